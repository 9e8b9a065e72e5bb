"""Operators that only plans of maintenance contain. A view's definition never holds one, so they have no change."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Keys, Positive, Tally
from belvedere.maintenance.change import Change
from belvedere.maintenance.propagate import rule


@rule(Keys)
@rule(Positive)
@rule(Tally)
def internal(node: Node, change: Change) -> Node | None:
    raise AssertionError(f"{type(node).__name__} belongs into plans of maintenance, not into definitions")
