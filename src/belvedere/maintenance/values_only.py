"""Does a change move anything, or only set values? An aggregate whose input is updated in columns that no condition and no group
looks at keeps its groups: each is there before and after, with other values."""

from __future__ import annotations

from collections.abc import Mapping

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Filter, Get, Join, OuterJoin, Project
from belvedere.algebra.scalar import Scalar

#: visible column → (collection, column) that it is made of
Origins = dict[str, frozenset[tuple[str, str]]]


class _Unknown(Exception):
    pass


def deciding(node: Aggregate) -> frozenset[tuple[str, str]] | None:
    """The (collection, column) that decide which groups there are, and what rows are in each; None where that is not known."""
    found: set[tuple[str, str]] = set()
    try:
        origins = _read(node.input, found)
    except _Unknown:
        return None
    for _, s in node.keys:
        found |= _behind(s, origins)
    return frozenset(found)


def values_set(node: Node, changed: frozenset[str], updated: Mapping[str, frozenset[str] | None]) -> frozenset[str] | None:
    """The columns of an aggregate that such updates can set, where its groups stay; None if groups may come, go or move."""
    if not isinstance(node, Aggregate) or not node.keys:
        return None
    decided = deciding(node)
    for name in changed:
        columns = updated.get(name)
        if decided is None or columns is None or any((name, c) in decided for c in columns):
            return None
    return frozenset(n for n, _ in node.aggs)


def _behind(s: Scalar, origins: Origins) -> frozenset[tuple[str, str]]:
    return frozenset[tuple[str, str]]().union(*(origins[c] for c in s.columns))


def _read(node: Node, found: set[tuple[str, str]]) -> Origins:
    match node:
        case Get(name=name, types=types, columns=columns):
            return {c.name: frozenset({(name, s)}) for c, s in zip(types.columns, columns, strict=True)}
        case Filter(input=i, condition=c):
            origins = _read(i, found)
            found |= _behind(c, origins)
            return origins
        case Project(input=i, items=items):
            below = _read(i, found)
            return {n: _behind(s, below) for n, s in items}
        case Join(left=a, right=b, on=on) | OuterJoin(left=a, right=b, on=on):
            origins = _read(a, found) | _read(b, found)
            found |= _behind(on, origins)
            return origins
        case _:
            raise _Unknown
