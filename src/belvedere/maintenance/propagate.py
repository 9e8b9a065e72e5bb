"""propagate: the tree of a node's change, over leaves in their old, new and delta versions.

Dispatch is by operator; `tests/maintenance/test_rules.py` walks all operators, so that none can be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from belvedere.algebra.node import Node
from belvedere.maintenance.change import Change

Rule = Callable[[Any, Change], Node | None]

_RULES: dict[type[Node], Rule] = {}


def rule(operator: type[Node]) -> Callable[[Rule], Rule]:
    """Register the change rule of an operator."""

    def register(function: Rule) -> Rule:
        if operator in _RULES:
            raise ValueError(f"two change rules for {operator.__name__}")
        _RULES[operator] = function
        return function

    return register


def propagate(node: Node, change: Change) -> Node | None:
    """The change of the node's result as a Z-set, or None if nothing that it reads changed."""
    if not change.touches(node):
        return None
    if node in change.known:
        return change.known[node]
    return _RULES[type(node)](node, change)


def settle(node: Node, change: Change) -> None:
    """Work out the change of a node that will be asked for more than once, so that the plan holds it once."""
    delta = propagate(node, change)
    change.known[node] = None if delta is None else change.share(delta, "rows")


def rules() -> dict[type[Node], Rule]:
    return dict(_RULES)
