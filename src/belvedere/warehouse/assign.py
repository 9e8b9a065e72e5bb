"""New values for rows: constants, or expressions over the old row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from belvedere.algebra.ops import Get, Project
from belvedere.algebra.scalar import cast, col
from belvedere.changes.rows import to_table
from belvedere.engines.scan import Scan
from belvedere.errors import BelvedereError, UnknownName, suggest
from belvedere.languages.sql import bind_scalar
from belvedere.store.model import Collection
from belvedere.warehouse.core import Core


def assigned(core: Core, c: Collection, old: pa.Table, values: Mapping[str, Any]) -> tuple[set[str], pa.Table]:
    """The rows with their new values, and the columns that were set."""
    if not values:
        raise BelvedereError("update needs at least one column to set")
    constants: dict[str, Any] = {}
    items = {x.name: col(x) for x in c.schema}
    names = set()
    for given, value in values.items():
        name = _column(c, given)
        names.add(name)
        if isinstance(value, str):
            items[name] = cast(bind_scalar(value, c.schema, udfs=core.udf), c.schema[name].type)
        else:
            constants[name] = value
    leaf = Get(c.name, c.schema, c.schema.names)
    physical = old.rename_columns([f"c{x.id}" for x in c.schema] + ["_w"]) if old.num_rows else old
    if old.num_rows:
        scan = Scan(schema=c.schema, tables=(physical,), rows=old.num_rows)
        new, _ = core.small().run(
            Project(leaf, tuple((x.name, items[x.name]) for x in c.schema)), lambda get: scan, measured=False
        )
    else:
        new = old
    for name, value in constants.items():
        one = to_table([{name: value}], c.schema.select((name,)), what=f"table {c.name}").column(name)
        column = pa.chunked_array([pa.repeat(one[0], new.num_rows)]) if new.num_rows else one.slice(0, 0)
        new = new.set_column(new.schema.get_field_index(name), name, column)
    return names, new


def _column(c: Collection, given: str) -> str:
    if given in c.schema:
        return given
    for x in c.schema:
        if x.name.lower() == given.lower():
            return x.name
    raise UnknownName(f"table {c.name!r} has no column {given!r}{suggest(given, list(c.schema.names))}")
