"""What is left of a plan where a part of it is known to have no rows.

Most changes pass few of a view's conditions, so most parts of a plan of maintenance have no rows. A join with nothing is
nothing, and whatever would have been looked up for it need not be opened.
"""

from __future__ import annotations

from collections.abc import Callable

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Closure, Get, OuterJoin, Project, SemiJoin, Tally, UnionAll, Values, gets, renamed
from belvedere.algebra.scalar import col, null

#: combinations of leaves without rows that a plan remembers, and of inputs that a node does
KNOWN = 16


def empty(node: Node) -> Node:
    """No rows, with the node's columns; a node remembers it."""
    known: Node | None = node.__dict__.get("_empty")
    if known is None:
        known = node.__dict__["_empty"] = Values(node.schema, ())
    return known


def is_empty(node: Node) -> bool:
    """Known to have no rows."""
    return isinstance(node, Values) and not node.rows


def fold_empty(node: Node) -> Node:
    """The node, simplified if one of its inputs is known to have no rows; inputs are taken as they are."""
    if not any(is_empty(i) for i in node.inputs):
        return node
    match node:
        case UnionAll(parts=parts):
            left = [p for p in parts if not is_empty(p)]
            if not left:
                return empty(node)
            first = renamed(left[0], node.schema.names)
            return first if len(left) == 1 else UnionAll((first, *left[1:]))
        case SemiJoin(left=a, anti=anti):
            return empty(node) if is_empty(a) or not anti else a
        case OuterJoin():
            return _outer(node)
        case Aggregate(keys=()) | Tally(keys=()):
            return node
        case Closure(seeds=seeds):
            return empty(node) if is_empty(seeds) else node
        case _:
            return empty(node)


def over(node: Node, *inputs: Node) -> Node:
    """The operator over other inputs, simplified if one of them is known to have no rows. Over the same inputs it is the same
    node: what is found out about a plan is remembered by its nodes, and plans that are worked off come by this way often."""
    if all(a is b for a, b in zip(inputs, node.inputs, strict=True)):
        return fold_empty(node)
    known: dict[tuple[int, ...], tuple[tuple[Node, ...], Node]] = node.__dict__.setdefault("_over", {})
    key = tuple(id(i) for i in inputs)
    found = known.get(key)
    if found is None:
        if len(known) >= KNOWN:
            known.clear()
        found = known[key] = (inputs, fold_empty(node.with_inputs(*inputs)))  # held, so that nothing else gets their ids
    return found[1]


def without_empty(node: Node, has_none: Callable[[Get], bool]) -> Node:
    """What is left of a plan over leaves of which some have no rows. What they have no part in stays the very same node, and so
    does what is left, as long as the plan is the same: a node remembers it."""
    none = frozenset(g for g in gets(node) if has_none(g))
    if not none:
        return node
    known: dict[frozenset[Get], Node] = node.__dict__.setdefault("_left", {})
    if none not in known:
        if len(known) >= KNOWN:
            known.clear()
        known[none] = _without(node, none)
    return known[none]


def _without(node: Node, none: frozenset[Get]) -> Node:
    done: dict[int, Node] = {}

    def left(n: Node) -> Node:
        if id(n) not in done:
            if isinstance(n, Get):
                done[id(n)] = empty(n) if n in none else n
            else:
                done[id(n)] = over(n, *(left(i) for i in n.inputs))
        return done[id(n)]

    return left(node)


def _outer(node: OuterJoin) -> Node:
    """A side that is preserved stays, with NULLs for the other."""
    if is_empty(node.left):
        kept = node.right if node.kind in ("right", "full") else None
    else:
        kept = node.left if node.kind in ("left", "full") else None
    if kept is None or is_empty(kept):
        return empty(node)
    return Project(kept, tuple((c.name, col(c) if c.name in kept.schema else null(c.type)) for c in node.schema))

