"""Leaves: the change of a collection is its delta, summed up; constants never change."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get, Values
from belvedere.maintenance.change import Change
from belvedere.maintenance.propagate import rule


@rule(Get)
def get(node: Get, change: Change) -> Node | None:
    return change.share(Consolidate(node.at("delta")), "delta")


@rule(Values)
def values(node: Values, change: Change) -> Node | None:
    return None
