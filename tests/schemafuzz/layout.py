"""Fragments → relations: UNFOLD and SPLIT, and what makes them impossible."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.schemafuzz.ranges import Invalid
from tests.schemafuzz.tree import Cell, Const, Expr, Query, Ref, Var


@dataclass(frozen=True)
class Fragment:
    """What one binding gives: a value for each select item, and the values of the variables in the header."""

    items: tuple[Any, ...]
    named: dict[str, Any]


@dataclass
class Relation:
    columns: tuple[str, ...]
    rows: Counter[tuple[Any, ...]] = field(default_factory=Counter)


Content = dict[str, Relation]


def arrange(query: Query, name: str, fragments: list[Fragment]) -> Content:
    h = query.header
    if h is None:
        columns = tuple(alias or plain_name(e) for e, alias in query.select)
        return {name: Relation(columns, Counter(f.items for f in fragments))}
    homes = [h.name.name if isinstance(h.name, Const) else as_name(f.named[h.name.var]) for f in fragments]
    if None in homes:
        raise Invalid("null relation", "NULL cannot name a relation")
    every = {n for n in homes if n is not None} | ({h.name.name} if isinstance(h.name, Const) else set())
    placed = [(home, f) for home, f in zip(homes, fragments, strict=True) if home is not None]
    if h.pivot is None:
        columns = tuple(a.name for a in h.attrs if isinstance(a, Const))
        flat = {n: Relation(columns) for n in sorted(every)}
        for home, f in placed:
            flat[home].rows[f.items] += 1
        return flat
    return unfold(query, sorted(every), placed)


def unfold(query: Query, every: list[str], placed: list[tuple[str, Fragment]]) -> Content:
    h = query.header
    assert h is not None
    assert h.pivot is not None
    at, pivot = h.pivot, h.attrs[h.pivot]
    assert isinstance(pivot, Ref)
    fixed = [a.name for a in h.attrs if isinstance(a, Const)]
    rows: dict[tuple[str, tuple[Any, ...]], dict[str, Any]] = {}
    for home, f in placed:
        cells = rows.setdefault((home, f.items[:at] + f.items[at + 1 :]), {})
        column = as_name(f.named[pivot.var])
        if column is None:
            continue
        if column in cells and cells[column] != f.items[at]:
            raise Invalid("key violation", f"{column!r} is both {cells[column]!r} and {f.items[at]!r}")
        cells[column] = f.items[at]
    columns = sorted({c for cells in rows.values() for c in cells})
    for c in columns:
        if c in fixed:
            raise Invalid("collision", f"{c!r} is both a value and a fixed attribute")
    content = {n: Relation((*fixed[:at], *columns, *fixed[at:])) for n in every}
    for (home, key), cells in rows.items():
        content[home].rows[(*key[:at], *(cells.get(c) for c in columns), *key[at:])] += 1
    return content


def as_name(v: Any) -> str | None:
    """`cast(value as string)`"""
    if v is None or isinstance(v, str):
        return v
    return ("true" if v else "false") if isinstance(v, bool) else str(v)


def plain_name(e: Expr) -> str:
    match e:
        case Var(name=v) | Cell(attr=Ref(var=v)):
            return v
        case Cell(attr=Const(name=n)):
            return n
    raise AssertionError(f"{e} needs an alias")
