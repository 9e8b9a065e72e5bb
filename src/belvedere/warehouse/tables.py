"""Making tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from belvedere.algebra.types import Array, Map, Schema, Struct, Variant, Void
from belvedere.changes.names import WEIGHT
from belvedere.errors import BelvedereError, TypeMismatch, UnknownName, suggest
from belvedere.store.commit import Commit
from belvedere.store.model import Collection
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.resolve import Overlay


def check_name(registry: Registry, name: str, what: str) -> None:
    """A name that can be used and is free."""
    if not isinstance(name, str) or not name.strip():
        raise BelvedereError(f"a {what} needs a name")
    if "\x00" in name or "$" in name:
        raise BelvedereError(f"{name!r} cannot be the name of a {what}: $ and NUL are kept for inner use")
    taken = registry.taken(name)
    if taken:
        raise BelvedereError(f"there is a {taken} {name!r} already; drop it first or choose another name")


def check_column(what: str, name: str) -> None:
    """A name that a column can have."""
    if not name:
        raise TypeMismatch(f"{what}: a column needs a name")
    if name.lower() == WEIGHT:
        raise TypeMismatch(f"{what}: {name!r} is kept for the weight of a row and cannot be the name of a column")


def key_names(schema: Schema, key: str | Iterable[str] | None) -> tuple[str, ...]:
    """The key's columns, checked."""
    if key is None:
        return ()
    if isinstance(key, str):
        given = [key] if key in schema else [k.strip() for k in key.split(",")]
    else:
        given = list(key)
    names = []
    for g in given:
        found = next((n for n in schema.names if n == g), None) or next((n for n in schema.names if n.lower() == g.lower()), None)
        if found is None:
            raise UnknownName(f"the key column {g!r} is not among the columns{suggest(g, list(schema.names))}")
        if isinstance(schema[found].type, (Array, Map, Struct, Variant)):
            raise TypeMismatch(f"{found!r} is {schema[found].type}: a key column must hold plain values")
        names.append(found)
    return tuple(names)


def new_table(
    registry: Registry,
    commit: Commit,
    overlay: Overlay,
    name: str,
    schema: Schema,
    key: str | Iterable[str] | None,
    properties: Mapping[str, Any] | None = None,
) -> Collection:
    """Create the collection of a table inside a commit."""
    check_name(registry, name, "table")
    low = [n.lower() for n in schema.names]
    for c in schema:
        check_column(f"table {name!r}", c.name)
        if c.type.contains(Void):
            raise TypeMismatch(f"table {name!r}: column {c.name!r} has no type (void); give it one")
        if low.count(c.name.lower()) > 1:
            raise TypeMismatch(f"table {name!r}: column name {c.name!r} is used twice (SQL does not tell upper from lower case)")
    keys = key_names(schema, key)
    plain = tuple(c.name for c in schema if not isinstance(c.type, (Array, Map, Struct, Variant)))
    made = commit.create_collection(name, "table", schema, key=keys, sort=keys or plain[:1], properties=properties)
    overlay.collections[name] = made
    overlay.dropped.discard(name)
    return made
