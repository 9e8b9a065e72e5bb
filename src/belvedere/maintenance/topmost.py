"""The first rows in an order, from the first rows as they were and the change: the rest is read only if one of it may move up.

Law: let T be the first k rows of X, b the last of them, D the change of X, and N the first k rows of T + D. Rows of X before b
are all in T, b at least as often as T has it, the others are after b. So where T + D has k rows up to b, these are the first k
of X + D, and N is they. That is so if N has k rows and none after b. If T had fewer than k rows, it was all of X, and N is right
as well.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Consolidate, Filter, Keys, Negate, SemiJoin, Share, SortKey, TopK, UnionAll
from belvedere.algebra.scalar import col, cols, compare, integer, true
from belvedere.algebra.types import BigInt
from belvedere.maintenance.change import Change


def topmost(node: TopK, old: Node, delta: Node, now: Node, change: Change) -> Node:
    """The rows that the top has now. `old`: those that it had; `now`: all rows there are."""
    summed = isinstance(delta, Share) and isinstance(delta.input, Consolidate)
    rows = delta if summed else change.share(Consolidate(delta), "rows")
    near = change.share(TopK(UnionAll((old, rows)), node.order, node.limit), "near")
    unsure = change.share(_unsure(node, old, near, rows, change), "unsure")
    return UnionAll((SemiJoin(near, unsure, true(), anti=True), node.with_inputs(SemiJoin(now, unsure, true()))))


def _unsure(node: TopK, old: Node, near: Node, rows: Node, change: Change) -> Node:
    """A row if others may have moved up, else none."""
    assert node.limit is not None
    full = _counted(old, "=", node.limit, change)
    short = _counted(near, "<", node.limit, change)
    # the last of both is another one than the last there was: some of what is near comes after it
    after = Consolidate(UnionAll((_last(node, UnionAll((near, old))), Negate(_last(node, old)))))
    reasons = UnionAll((_mark(short, change), _mark(after, change)))
    found = SemiJoin(_mark(reasons, change), full, true())
    return SemiJoin(found, _mark(rows, change), true())  # it begins with the change, and so is looked at first


def _counted(rows: Node, op: str, limit: int, change: Change) -> Node:
    """A row if the number of rows compares so with the limit."""
    name = change.fresh("size")
    size = Aggregate(rows, (), ((name, Agg("count", (), BigInt())),))
    return Filter(size, compare(op, col(size.schema[name]), integer(limit)))


def _mark(rows: Node, change: Change) -> Node:
    """One row if there are any."""
    return Keys(rows, ((change.fresh("any"), integer(1)),))


def _last(node: TopK, rows: Node) -> Node:
    """The row that comes last in the order."""
    named = {k.column for k in node.order}
    order = [SortKey(k.column, not k.descending, not k.nulls_first) for k in node.order]
    order += [SortKey(n, descending=True, nulls_first=False) for n in node.schema.names if n not in named]
    return TopK(Keys(rows, cols(node.schema)), tuple(order), 1)
