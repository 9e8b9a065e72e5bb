"""Reading only what some keys need.

`restrict` pushes a semijoin with keys down to the leaves: through an operator where the law allows it, and in any case
on top of it. Correctness never depends on how far it gets. `hint` marks a leaf with the columns it will be joined on, so
that the store picks a sort order in which the engine can skip the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Aggregate,
    Consolidate,
    Explode,
    Filter,
    Get,
    Join,
    Keys,
    Negate,
    OuterJoin,
    Project,
    Scale,
    SemiJoin,
    UnionAll,
    Values,
    Window,
    equi_pairs,
)
from belvedere.algebra.scalar import Scalar, col, compare, conjunction, is_null, same
from belvedere.algebra.types import Struct
from belvedere.maintenance.change import Change
from belvedere.maintenance.ordering import flatten, ordered

#: a scalar over the node's columns, and the key column that it must equal (NULL equals NULL)
Pair = tuple[Scalar, str]


def keys_of(node: Node, items: Sequence[Scalar], change: Change) -> tuple[Node, tuple[str, ...]]:
    """The distinct values of some scalars over a delta, shared, with names of their own."""
    names = tuple(change.fresh("k") for _ in items)
    return change.share(Keys(node, tuple(zip(names, items, strict=True))), "keys"), names


def restrict(node: Node, keys: Node, pairs: Sequence[Pair], change: Change, *, nulls: bool = True) -> Node:
    """The rows of the node for which some row of keys agrees in all pairs. Where NULL keys cannot matter, as in joins on
    equality, nulls=False spares the branch that looks for them."""
    if not pairs:
        return node
    down = _push(node, keys, pairs, change, nulls)
    return down if down is not None else _on_top(node, keys, pairs)


def _condition(keys: Node, pairs: Sequence[Pair]) -> Scalar:
    return conjunction(same(s, col(keys.schema[k])) for s, k in pairs)


def _on_top(node: Node, keys: Node, pairs: Sequence[Pair]) -> Node:
    return SemiJoin(node, keys, _condition(keys, pairs))


def _inside(pairs: Sequence[Pair], names: Sequence[str]) -> tuple[list[Pair], list[Pair]]:
    inside = [p for p in pairs if p[0].columns and p[0].columns <= set(names)]
    return inside, [p for p in pairs if p not in inside]


def _partly(node: Node, below: Node, keys: Node, pairs: Sequence[Pair], rest: Sequence[Pair]) -> Node:
    """The operator over restricted inputs; what could not be pushed is tested on top, all pairs together."""
    new = node.with_inputs(below, *node.inputs[1:])
    return _on_top(new, keys, pairs) if rest else new


def _push(node: Node, keys: Node, pairs: Sequence[Pair], change: Change, nulls: bool) -> Node | None:
    match node:
        case Get():
            return _lookup(node, keys, pairs, nulls)
        case Filter(input=i) | Negate(input=i) | Consolidate(input=i) | Scale(input=i):
            return node.with_inputs(restrict(i, keys, pairs, change, nulls=nulls))
        case Project(input=i, items=items):
            mapping = dict(items)
            moved = [(s.substitute(mapping), k) for s, k in pairs]
            if any(not s.columns for s, _ in moved):
                return None
            return Project(restrict(i, keys, moved, change, nulls=nulls), items)
        case UnionAll(parts=parts):
            out = []
            for p in parts:
                renames = dict(zip(node.schema.names, p.schema.names, strict=True))
                out.append(restrict(p, keys, [(s.rename(renames), k) for s, k in pairs], change, nulls=nulls))
            return UnionAll(tuple(out))
        case Aggregate(input=i, keys=group):
            inside, rest = _inside(pairs, node.key_names)
            if not inside:
                return None
            mapping = dict(group)
            moved = [(s.substitute(mapping), k) for s, k in inside]
            if any(not s.columns for s, _ in moved):
                return None
            return _partly(node, restrict(i, keys, moved, change, nulls=nulls), keys, pairs, rest)
        case Window(input=i, partition=partition):
            inside, rest = _inside(pairs, partition)
            return _partly(node, restrict(i, keys, inside, change, nulls=nulls), keys, pairs, rest) if inside else None
        case Explode(input=i):
            inside, rest = _inside(pairs, i.schema.names)
            return _partly(node, restrict(i, keys, inside, change, nulls=nulls), keys, pairs, rest) if inside else None
        case SemiJoin(left=a, right=b, on=on):
            small = change.share(restrict(a, keys, pairs, change, nulls=nulls), "rows")
            return SemiJoin(small, narrow(b, small, equi_pairs(on, a.schema, b.schema), change), on, node.anti)
        case Join():
            return _join(node, keys, pairs, change, nulls)
        case OuterJoin(left=a, right=b, on=on, kind=kind):
            preserved = {"left": a, "right": b, "full": None}[kind]
            if preserved is None:
                return None
            inside, rest = _inside(pairs, preserved.schema.names)
            if not inside:
                return None
            small = change.share(restrict(preserved, keys, inside, change, nulls=nulls), "rows")
            links = equi_pairs(on, a.schema, b.schema)
            if kind == "left":
                joined = OuterJoin(small, narrow(b, small, links, change), on, kind)
            else:
                joined = OuterJoin(narrow(a, small, tuple((y, x) for x, y in links), change), small, on, kind)
            return _on_top(joined, keys, pairs) if rest else joined
        case _:
            return None


def _join(node: Join, keys: Node, pairs: Sequence[Pair], change: Change, nulls: bool) -> Node | None:
    """Restrict one input of a join of many, and reach the others from there."""
    inputs, conditions = flatten(node)
    best: tuple[int, list[Pair], list[Pair]] | None = None
    for i, x in enumerate(inputs):
        inside, rest = _inside(pairs, x.schema.names)
        if inside and (best is None or len(inside) > len(best[1])):
            best = (i, inside, rest)
    if best is None:
        return None
    i, inside, rest = best
    start = restrict(inputs[i], keys, inside, change, nulls=nulls)
    joined = ordered(start, [x for j, x in enumerate(inputs) if j != i], conditions, node.schema.names, change, reach)
    return _on_top(joined, keys, pairs) if rest else joined


def _lookup(node: Get, keys: Node, pairs: Sequence[Pair], nulls: bool) -> Node:
    """Semijoin of a leaf. Engines skip data on `=` only, so NULL keys take a branch of their own."""
    plain = [(s, k) for s, k in pairs if s.column is not None and not isinstance(s.type, Struct)]
    if not plain or node.version == "delta":
        return _on_top(node, keys, pairs)
    leaf = hint(node, tuple(s.column for s, _ in plain if s.column is not None))
    first, key = plain[0]
    others = [p for p in pairs if p != plain[0]]
    test = [same(s, col(keys.schema[k])) if nulls else compare("=", s, col(keys.schema[k])) for s, k in others]
    found = SemiJoin(leaf, keys, conjunction([compare("=", first, col(keys.schema[key])), *test]))
    if not nulls:
        return found
    no_key = Filter(keys, is_null(col(keys.schema[key])))
    without = SemiJoin(Filter(leaf, is_null(first)), no_key, conjunction([same(first, col(keys.schema[key])), *test]))
    return UnionAll((found, without))


def hint(node: Node, columns: tuple[str, ...]) -> Node:
    """Mark the leaf behind these columns as looked up by them; changes nothing else."""
    match node:
        case Get():
            known = tuple(c for c in columns if c in node.schema)
            return replace(node, by=known) if known else node
        case Filter(input=i) | Negate(input=i) | Consolidate(input=i) | Scale(input=i):
            return node.with_inputs(hint(i, columns))
        case Project(input=i, items=items):
            plain = {n: s.column for n, s in items}
            below = tuple(b for c in columns if (b := plain.get(c)) is not None)
            return node.with_inputs(hint(i, below)) if below else node
        case UnionAll(parts=parts):
            out = []
            for p in parts:
                renames = dict(zip(node.schema.names, p.schema.names, strict=True))
                out.append(hint(p, tuple(renames[c] for c in columns if c in renames)))
            return UnionAll(tuple(out))
        case _:
            return node


def _simple(node: Node) -> bool:
    """A leaf, or several side by side, under filters and projections: the engine's own join filters reach it."""
    match node:
        case Get() | Values():
            return True
        case UnionAll(parts=parts):
            return all(_simple(p) for p in parts)
        case Filter(input=i) | Project(input=i) | Negate(input=i):
            return _simple(i)
        case _:
            return False


def reach(node: Node, start: Node, links: Sequence[tuple[str, str]], change: Change) -> Node:
    """The node as an inner join with `start` needs it, over the links (start column, node column)."""
    if _simple(node):
        return hint(node, tuple(b for _, b in links)) if links else node
    return narrow(node, start, links, change)


def narrow(node: Node, start: Node, links: Sequence[tuple[str, str]], change: Change) -> Node:
    """The node cut down to what rows of `start` can meet over the links, for joins in which the engine would read it all."""
    if not links:
        return node
    names = tuple(dict.fromkeys(a for a, _ in links))
    keys, fresh = keys_of(start, [col(start.schema[a]) for a in names], change)
    as_key = dict(zip(names, fresh, strict=True))
    return restrict(node, keys, [(col(node.schema[b]), as_key[a]) for a, b in links], change, nulls=False)
