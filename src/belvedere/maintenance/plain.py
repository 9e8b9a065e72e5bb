"""Definitions that are linear all the way down: their delta is the definition over the deltas of its leaves, as these are.

Elsewhere a delta is summed up before anything is done with it, because it is looked up by, or counted, or may hold rows that came
and went and that a scalar would fail on. None of that can happen here, so the sum at the end is enough, and the one at every leaf
is spared: with a leaf for each relation that a variable ranges over, those are most of the statement.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Get, Project, UnionAll, Values, renamed
from belvedere.maintenance.change import Change


def is_plain(node: Node) -> bool:
    match node:
        case Get() | Values():
            return True
        case Filter(input=i, condition=s):
            return s.never_fails and is_plain(i)
        case Project(input=i, items=items):
            return all(s.never_fails for _, s in items) and is_plain(i)
        case UnionAll(parts=parts):
            return all(map(is_plain, parts))
        case _:
            return False


def plain_delta(node: Node, change: Change) -> Node | None:
    """The change of a plain node as a Z-set that is not summed up; None if nothing that it reads changed."""
    match node:
        case Get():
            return node.at("delta") if node.name in change.changed else None
        case Filter(input=i) | Project(input=i):
            delta = plain_delta(i, change)
            return None if delta is None else node.with_inputs(delta)
        case UnionAll(parts=parts):
            deltas = tuple(d for p in parts if (d := plain_delta(p, change)) is not None)
            if not deltas:
                return None
            first = renamed(deltas[0], node.schema.names)
            return first if len(deltas) == 1 else UnionAll((first, *deltas[1:]))
        case _:
            return None
