"""Push filters towards the leaves, and single-sided join conditions to their side.

A filter next to its leaf is what relevance tests read, and what keeps deltas small from the start. An outer join is told by what
is asked above it: rows that are refused there need not be padded.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Explode, Filter, Join, OuterJoin, Project, Scale, SemiJoin, UnionAll, Window
from belvedere.algebra.rewrite.factor import implied
from belvedere.algebra.rewrite.refused import refuses
from belvedere.algebra.scalar import Scalar, conjunction


def push_filters(node: Node) -> Node:
    return _push(node, ())


def _over(node: Node, parts: tuple[Scalar, ...]) -> Node:
    return Filter(node, conjunction(parts)) if parts else node


def _split(parts: tuple[Scalar, ...], names: tuple[str, ...]) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
    """Parts that read only these columns (and at least one), and the others."""
    inside = tuple(p for p in parts if p.columns and p.columns <= set(names))
    return inside, tuple(p for p in parts if p not in inside)


def _implied(parts: tuple[Scalar, ...], side: Node) -> tuple[Scalar, ...]:
    """What disjunctions over both sides of a join say about one of them; they stay, and this keeps the side small."""
    names = frozenset(side.schema.names)
    return tuple(x for p in parts if (x := implied(p, names)) is not None)


def _push(node: Node, parts: tuple[Scalar, ...]) -> Node:
    """The node filtered by all parts."""
    match node:
        case Filter(input=i, condition=c):
            return _push(i, tuple(dict.fromkeys(c.conjuncts() + parts)))
        case Project(input=i, items=items):
            mapping = dict(items)
            return Project(_push(i, tuple(p.substitute(mapping) for p in parts)), items)
        case Join(left=a, right=b, on=on):
            every = tuple(dict.fromkeys(on.conjuncts() + parts))
            left, rest = _split(every, a.schema.names)
            right, rest = _split(rest, b.schema.names)
            return Join(_push(a, left + _implied(rest, a)), _push(b, right + _implied(rest, b)), conjunction(rest))
        case SemiJoin(left=a, right=b, on=on, anti=anti):
            right, rest = _split(on.conjuncts(), b.schema.names)
            more: tuple[Scalar, ...] = ()
            if not anti:
                more, rest = _split(rest, a.schema.names)
            return SemiJoin(_push(a, parts + more), _push(b, right), conjunction(rest), anti)
        case OuterJoin() if (asked := _asked(node, parts)) != node:
            return _push(asked, parts)
        case OuterJoin(left=a, right=b, on=on, kind=kind):
            left, above = _split(parts, a.schema.names) if kind == "left" else ((), parts)
            right, above = _split(above, b.schema.names) if kind == "right" else ((), above)
            on_right, on_rest = _split(on.conjuncts(), b.schema.names) if kind == "left" else ((), on.conjuncts())
            on_left, on_rest = _split(on_rest, a.schema.names) if kind == "right" else ((), on_rest)
            joined = OuterJoin(_push(a, left + on_left), _push(b, right + on_right), conjunction(on_rest), kind)
            return _over(joined, above)
        case UnionAll(parts=inputs):
            names = inputs[0].schema.names
            pushed = []
            for i in inputs:
                renames = dict(zip(names, i.schema.names, strict=True))
                pushed.append(_push(i, tuple(p.rename(renames) for p in parts)))
            return UnionAll(tuple(pushed))
        case Explode(input=i):
            below, above = _split(parts, i.schema.names)
            return _over(node.with_inputs(_push(i, below)), above)
        case Scale(input=i, factor=f):
            return Scale(_push(i, parts), f)
        case Aggregate(input=i, keys=keys):
            below, above = _split(parts, node.key_names)
            mapping = dict(keys)
            return _over(node.with_inputs(_push(i, tuple(p.substitute(mapping) for p in below))), above)
        case Window(input=i, partition=partition):
            below, above = _split(parts, partition)
            return _over(node.with_inputs(_push(i, below)), above)
        case _:
            return _over(node.with_inputs(*(_push(i, ()) for i in node.inputs)), parts)


def _asked(node: OuterJoin, parts: tuple[Scalar, ...]) -> OuterJoin | Join:
    """The join without the rows of NULLs that conditions above refuse."""
    # a left row without a partner has no right side, and the other way round
    lone_left = node.kind in ("left", "full") and not _refused(parts, node.right)
    lone_right = node.kind in ("right", "full") and not _refused(parts, node.left)
    if not lone_left and not lone_right:
        return Join(node.left, node.right, node.on)
    return OuterJoin(node.left, node.right, node.on, "full" if lone_left and lone_right else "left" if lone_left else "right")


def _refused(parts: tuple[Scalar, ...], side: Node) -> bool:
    """Whether rows without this side are refused. What may fail must not be asked of more rows of it than were asked before."""
    return refuses(parts, side.schema.names) and not any(p.may_fail for p in _split(parts, side.schema.names)[0])
