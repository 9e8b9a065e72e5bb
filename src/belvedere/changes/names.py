"""Which column a given name means: exactly as written first, then without regard to case."""

from __future__ import annotations

from collections.abc import Iterable

from belvedere.algebra.types import Schema
from belvedere.errors import TypeMismatch, UnknownName, suggest

WEIGHT = "_w"
"""The column of weights of a Z-set; no visible column may have this name."""


def check_name(name: str, what: str) -> None:
    """Refuse a column name that cannot be one."""
    if not name:
        raise TypeMismatch(f"{what}: a column needs a name that is not empty")
    if name == WEIGHT:
        raise TypeMismatch(f"{what}: a column cannot be called {WEIGHT}, which holds the weights of changes; choose another name")


def resolve(name: str, schema: Schema, what: str, where: str = "") -> str:
    """The name as the schema writes it."""
    if name in schema:
        return name
    near = [c.name for c in schema if c.name.lower() == name.lower()]
    if len(near) == 1:
        return near[0]
    place = f"{what}, {where}" if where else what
    if near:
        raise UnknownName(f"{place}: '{name}' could mean {' or '.join(near)}; write it exactly")
    raise UnknownName(f"{place}: there is no column '{name}'{suggest(name, list(schema.names))}")


def resolve_all(names: Iterable[str], schema: Schema, what: str, where: str = "") -> dict[str, str]:
    """Given name → schema name; two names for one column are refused."""
    result: dict[str, str] = {}
    for name in names:
        target = resolve(str(name), schema, what, where)
        if target in result.values():
            place = f"{what}, {where}" if where else what
            raise TypeMismatch(f"{place}: the column {target} is given twice")
        result[name] = target
    return result
