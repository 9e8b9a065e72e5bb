"""Published views: a plain Iceberg table for readers that know nothing of us, advanced in the same epoch as the view."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

import pyarrow as pa

from belvedere.algebra.ops import Consolidate
from belvedere.algebra.types import Column, Schema
from belvedere.changes.zset import expand
from belvedere.store.commit import Commit
from belvedere.store.parquet import write_table
from belvedere.store.physical import named_schema, numbered
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.resolve import Overlay, Resolver

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse

#: rows of one data file
FILE_ROWS = 1_000_000


def publish_view(warehouse: Warehouse, name: str) -> str:
    """Start publishing."""
    store = warehouse.core.store
    d = warehouse.registry.definition(name)
    with store.begin() as commit:
        commit.touch(d.stage_names)
        _write(warehouse, warehouse.registry, commit, Overlay(), d)
        commit.put_doc("published", name, {"table": f"published.{name}"})
        commit.publish()
    warehouse.after_publish()
    return f"published.{name}"


def republish(warehouse: Warehouse, registry: Registry, commit: Commit, overlay: Overlay, names: list[str]) -> None:
    """Advance the published tables of views that were just refreshed, in the same commit."""
    published = warehouse.core.store.docs("published", commit.base)
    commit.touch(names, kind="published")  # whoever begins to publish one of them meanwhile has its rows of before
    for name in names:
        outline = registry.outline(name)
        if name in published and (outline is None or outline.invalid is None):
            _write(warehouse, registry, commit, overlay, registry.definition(name))


def _write(warehouse: Warehouse, registry: Registry, commit: Commit, overlay: Overlay, d: Definition) -> None:
    core = warehouse.core
    resolver = Resolver(core.store, until=commit.base, overlay=overlay)
    node, columns = d.visible, d.columns
    if d.schema is not None:
        relation = registry.view_relation(d.name, None)
        node, columns = relation.plan(), relation.schema.names
    z, _ = core.engine(warehouse.reading_engine(node, commit.base)).run(Consolidate(node), resolver)
    schema = numbered(Schema(tuple(Column(n, c.type) for n, c in zip(columns, node.schema, strict=True))))
    arrow = named_schema(schema)
    rows = expand(z).rename_columns(list(columns))
    table = pa.Table.from_arrays([a.cast(f.type) for a, f in zip(rows.columns, arrow, strict=True)], schema=arrow)
    files = []
    for number, start in enumerate(range(0, max(table.num_rows, 1), FILE_ROWS)):
        path = os.path.join(commit.directory(), f"published-{uuid.uuid4().hex}-{number}.parquet")
        write_table(path, arrow, table.slice(start, FILE_ROWS))
        files.append(path)
    old = [path for path, _ in core.store.iceberg_files(d.name)]
    commit.publish_iceberg(d.name, schema, files, remove=old)
