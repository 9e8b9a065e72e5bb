"""Prune columns that nobody reads, down to the leaves, so that a change of other columns cancels out in the delta."""

from __future__ import annotations

from dataclasses import replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Aggregate,
    Explode,
    Filter,
    Get,
    Join,
    Keys,
    OuterJoin,
    Project,
    Scale,
    SemiJoin,
    Tally,
    UnionAll,
    Window,
    equi_pairs,
    keep,
)
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Schema


def prune(node: Node) -> Node:
    return keep(_prune(node, frozenset(node.schema.names)), node.schema.names)


def _prune(node: Node, used: frozenset[str]) -> Node:
    """The node with at least the used columns, in their order, and few others."""
    match node:
        case Get(types=types):
            kept = [i for i, n in enumerate(types.names) if n in used] or [0]
            return replace(
                node, types=Schema(tuple(types.columns[i] for i in kept)), columns=tuple(node.columns[i] for i in kept)
            )
        case Filter(input=i, condition=c):
            return Filter(_prune(i, used | c.columns), c)
        case Project(input=i, items=items):
            kept_items = tuple((n, s) for n, s in items if n in used) or items[:1]
            below = frozenset[str]().union(*(s.columns for _, s in kept_items))
            return Project(_prune(i, below), kept_items)
        case Join(left=a, right=b, on=on):
            need = used | on.columns
            joined = Join(_side(a, need), _side(b, need), on)
            compared = _compared(joined, used)
            # said here, a change of the value that rows are compared with is known not to show
            return joined if compared is None else keep(joined, compared)
        case OuterJoin(left=a, right=b, on=on, kind=kind):
            if kind == "left" and not used & frozenset(b.schema.names) and _at_most_one(a, b, on):
                return _side(a, used)  # it neither adds rows nor takes any
            need = used | on.columns
            return OuterJoin(_side(a, need), _side(b, need), on, kind)
        case SemiJoin(left=a, right=b, on=on, anti=anti):
            return SemiJoin(_side(a, used | on.columns), _side(b, on.columns), on, anti)
        case UnionAll(parts=parts):
            positions = [i for i, n in enumerate(node.schema.names) if n in used] or [0]
            pruned = []
            for p in parts:
                names = tuple(p.schema.names[i] for i in positions)
                pruned.append(keep(_prune(p, frozenset(names)), names))
            return UnionAll(tuple(pruned))
        case Explode(input=i, collection=c):
            return node.with_inputs(_prune(i, (used & frozenset(i.schema.names)) | c.columns))
        case Scale(input=i, factor=f):
            return Scale(_prune(i, used | f.columns), f)
        case Aggregate(input=i, keys=keys, aggs=aggs):
            kept_aggs = tuple((n, a) for n, a in aggs if n in used)
            if not keys and not kept_aggs:
                kept_aggs = aggs[:1]
            need = frozenset[str]().union(*(s.columns for _, s in keys), *(a.columns for _, a in kept_aggs))
            return Aggregate(_prune(i, need), keys, kept_aggs)
        case Keys(input=i, items=items) | Tally(input=i, keys=items):
            sums = node.sums if isinstance(node, Tally) else ()
            return node.with_inputs(_prune(i, frozenset[str]().union(*(s.columns for _, s in (*items, *sums)))))
        case Window(input=i):
            # every column of the input takes part in the order of ties: none may go
            return node.with_inputs(_prune(i, frozenset(i.schema.names)))
        case _:
            return node.with_inputs(*(_prune(i, frozenset(i.schema.names)) for i in node.inputs))


def _side(node: Node, used: frozenset[str]) -> Node:
    names = frozenset(node.schema.names)
    return _prune(node, (used & names) or frozenset(node.schema.names[:1]))


def _compared(join: Join, used: frozenset[str]) -> tuple[str, ...] | None:
    """The columns to keep of a join with one row that rows are only compared with."""
    if equi_pairs(join.on, join.left.schema, join.right.schema):
        return None
    for rows, value in ((join.left, join.right), (join.right, join.left)):
        if _one_row(value) and used and used <= frozenset(rows.schema.names):
            return tuple(n for n in rows.schema.names if n in used)
    return None


def _one_row(node: Node) -> bool:
    while isinstance(node, Project):
        node = node.input
    return isinstance(node, Aggregate) and not node.keys


def _at_most_one(left: Node, right: Node, on: Scalar) -> bool:
    """Does each row on the left meet one row on the right at most? It does if those are groups, and all their keys are given."""
    given = {b for _, b in equi_pairs(on, left.schema, right.schema)}
    while isinstance(right, Project):
        given = {s.column for n, s in right.items if n in given and s.column is not None}
        right = right.input
    return isinstance(right, Aggregate) and set(right.key_names) <= given
