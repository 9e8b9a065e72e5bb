"""COPY of a statement into a Parquet file of the store's layout: `c<id>` columns with field ids, sorted, small row groups."""

from __future__ import annotations

import pyarrow as pa

from belvedere.store.parquet import ROW_GROUP


def copy_text(select: str, path: str, physical: pa.Schema) -> str:
    target = path.replace("'", "''")
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}, FIELD_IDS {field_ids(physical)}"
    return f"COPY (\n{select}\n) TO '{target}' ({options})"


def field_ids(schema: pa.Schema) -> str:
    """The field ids of an Arrow schema as DuckDB's COPY takes them.

    >>> field_ids(pa.schema([pa.field("c1", pa.int64(), metadata={"PARQUET:field_id": "1"})]))
    "{'c1': 1}"
    """
    return "{" + ", ".join(f"'{f.name}': {_of(f)}" for f in schema) + "}"


def _of(field: pa.Field) -> str:
    own = int(field.metadata[b"PARQUET:field_id"])
    t = field.type
    if pa.types.is_map(t):
        children = [("key", t.key_field), ("value", t.item_field)]
    elif pa.types.is_list(t):
        children = [("element", t.value_field)]
    elif pa.types.is_struct(t):
        children = [(f.name, f) for f in t]
    else:
        return str(own)
    inner = ", ".join("'" + name.replace("'", "''") + f"': {_of(child)}" for name, child in children)
    return f"{{__duckdb_field_id: {own}, {inner}}}"
