"""Does a change move anything, or only set values? An aggregate whose input is updated in columns that no condition and no group
looks at keeps its groups: each is there before and after, with other values. A window keeps its rows, with other values; and
where some keys of an aggregate move, the others still occur together as they did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Filter, Get, Join, OuterJoin, Project, Window
from belvedere.algebra.scalar import Scalar

#: visible column → (collection, column) that it is made of
Origins = dict[str, frozenset[tuple[str, str]]]


class _Unknown(Exception):
    pass


@dataclass(frozen=True)
class Moved:
    """The columns that differ from before. Without them the rows are as they were: as often if `exactly`, otherwise as a set."""

    columns: frozenset[str]
    exactly: bool


def moved(node: Node, changed: Mapping[str, Moved | None]) -> Moved | None:
    """What such updates of its inputs do to a stage; None if rows may come and go in any column."""
    decided: set[tuple[str, str]] = set()
    try:
        origins = _read(node.input if isinstance(node, (Aggregate, Window)) else node, decided)
    except _Unknown:
        return None
    touched: set[tuple[str, str]] = set()
    for name, how in changed.items():
        if how is None:
            return None
        touched |= {(name, c) for c in how.columns}
    if touched & decided:
        return None
    exactly = all(how is not None and how.exactly for how in changed.values())
    if not isinstance(node, Aggregate):
        calls = {n for n, _ in node.calls} if isinstance(node, Window) else set()
        return Moved(frozenset(n for n in origins if origins[n] & touched) | calls, exactly)
    keys = {n for n, s in node.keys if _behind(s, origins) & touched}
    if len(keys) == len(node.keys):
        return None
    # a group is one row: while the keys stay, the rows are the same but for what is worked out of them
    return Moved(frozenset(keys | {n for n, _ in node.aggs}), exactly=not keys)


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
