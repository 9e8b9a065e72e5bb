"""Operators whose change no plan asks for: those that only plans of maintenance contain, and closures, always stages."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Closure, Keys, Positive, Tally
from belvedere.maintenance.change import Change
from belvedere.maintenance.propagate import rule


@rule(Keys)
@rule(Positive)
@rule(Tally)
def internal(node: Node, change: Change) -> Node | None:
    raise AssertionError(f"{type(node).__name__} belongs into plans of maintenance, not into definitions")


@rule(Closure)
def closure(node: Closure, change: Change) -> Node | None:
    raise AssertionError("a closure is a stage of its own, maintained by the procedure of maintenance/reach.py")
