"""Making and altering a collection's description: pure checks, ids handed out once and never again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from belvedere.algebra.types import Column, Schema
from belvedere.errors import StoreError, suggest
from belvedere.store.model import Collection

KINDS = ("table", "view", "stage")


def new_collection(
    number: int,
    name: str,
    kind: str,
    schema: Schema,
    *,
    key: Iterable[str] = (),
    sort: Iterable[str] = (),
    arrangements: Iterable[Iterable[str]] = (),
    properties: Mapping[str, Any] | None = None,
) -> Collection:
    """A collection with fresh column ids from 1. Without a sort order it is sorted by its key."""
    if kind not in KINDS:
        raise StoreError(f"a collection is a {', a '.join(KINDS)}, not a {kind!r}")
    if not name:
        raise StoreError("a collection needs a name")
    columns = tuple(Column(c.name, c.type, i) for i, c in enumerate(schema, 1))
    if not columns:
        raise StoreError(f"{name!r} needs at least one column")
    numbered = Schema(columns)
    key_ids = _ids(name, numbered, key)
    orders = tuple(dict.fromkeys(_ids(name, numbered, a) for a in arrangements))
    made = Collection(
        number,
        name,
        kind,
        numbered,
        key_ids,
        _ids(name, numbered, sort) or key_ids,
        orders,
        len(columns) + 1,
        dict(properties or {}),
    )
    return replace(made, arrangements=tuple(a for a in orders if a != made.sort))


def _ids(name: str, schema: Schema, columns: Iterable[str]) -> tuple[int, ...]:
    found = []
    for column in columns:
        if column not in schema:
            raise StoreError(f"{name!r} has no column {column!r}{suggest(column, list(schema.names))}")
        found.append(schema[column].id)
    return tuple(dict.fromkeys(found))


def altered(old: Collection, new: Collection) -> Collection:
    """The new description, checked against the old one. Columns with id 0 are new and get the next ids.

    A dropped column shortens the sort orders that contain it to the part before it, which is still an order of the
    files. A dropped key column is the caller's decision to make, so it is refused while the key names it.
    """
    if not new.name:
        raise StoreError("a collection needs a name")
    known = {c.id: c for c in old.schema}
    next_id = old.next_id
    columns = []
    for c in new.schema:
        if c.id == 0:
            c = Column(c.name, c.type, next_id)
            next_id += 1
        elif c.id not in known:
            raise StoreError(
                f"column {c.name!r} of {old.name!r} has the id {c.id}, which is not its own; leave it 0 for a new column"
            )
        elif known[c.id].type != c.type:
            raise StoreError(
                f"column {c.name!r} of {old.name!r} cannot change its type from {known[c.id].type} to {c.type}; add a new column"
            )
        columns.append(c)
    ids = {c.id for c in columns}
    if not ids:
        raise StoreError(f"the last column of {old.name!r} cannot be dropped; drop {old.name!r} instead")
    lost = [known[k].name if k in known else str(k) for k in new.key if k not in ids]
    if lost:
        raise StoreError(f"{', '.join(map(repr, lost))} is part of the key of {old.name!r} and cannot be dropped")
    sort = _prefix(new.sort, ids)
    orders = tuple(dict.fromkeys(a for a in (_prefix(a, ids) for a in new.arrangements) if a and a != sort))
    return replace(new, id=old.id, kind=old.kind, schema=Schema(tuple(columns)), sort=sort, arrangements=orders, next_id=next_id)


def _prefix(order: tuple[int, ...], ids: set[int]) -> tuple[int, ...]:
    kept: list[int] = []
    for i in order:
        if i not in ids:
            break
        kept.append(i)
    return tuple(kept)
