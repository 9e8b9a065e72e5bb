"""Work on rows that came from sources: the in-process engine over tables in memory, by the same algebra as everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Get, Join, Project
from belvedere.algebra.rewrite import rewrite
from belvedere.algebra.scalar import Scalar, conjunction, true
from belvedere.algebra.types import Boolean, Column, DataType, Schema
from belvedere.changes.names import WEIGHT
from belvedere.engines.scan import Scan
from belvedere.maintenance.closures import GIVEN
from belvedere.store.physical import physical_schema

if TYPE_CHECKING:
    from belvedere.engines.duckdb import DuckDBEngine
    from belvedere.sources.maintain.view import Output

Types = Mapping[str, DataType]


class EngineHere:
    """Conditions and joins at the view. What a remote join asks of it every engine can do; this one starts in no time."""

    def __init__(self, engine: DuckDBEngine) -> None:
        self.engine = engine

    def joined(self, inputs: Sequence[pa.Table], on: Sequence[object], types: Types) -> pa.Table:
        leaves = [_leaf(i, t, types) for i, t in enumerate(inputs)]
        node: Node = leaves[0][0]
        for leaf, _ in leaves[1:]:
            node = Join(node, leaf, true())
        if on:
            node = Filter(node, conjunction([Scalar(c, Boolean()) for c in on]))  # type: ignore[arg-type]
        return self._run(node, leaves)

    def computed(self, rows: pa.Table, outputs: Sequence[Output], types: Types) -> pa.Table:
        leaf = _leaf(0, rows, types)
        return self._run(Project(leaf[0], tuple((o.name, Scalar(o.expr, o.type)) for o in outputs)), [leaf])

    def _run(self, node: Node, leaves: Sequence[tuple[Get, Scan]]) -> pa.Table:
        scans = {leaf.name: scan for leaf, scan in leaves}
        table, _ = self.engine.run(rewrite(node), lambda get: scans[get.name], measured=False)
        return table.select([*node.schema.names, WEIGHT])


def _leaf(number: int, rows: pa.Table, types: Types) -> tuple[Get, Scan]:
    """Rows in memory as a leaf, and what is behind it."""
    names = [n for n in rows.column_names if n != WEIGHT]
    schema = Schema(tuple(Column(n, types[n], i) for i, n in enumerate(names, 1)))
    physical = physical_schema(schema)
    columns = [rows[n] for n in (*names, WEIGHT)]
    table = pa.Table.from_arrays([c.cast(f.type) for c, f in zip(columns, physical, strict=True)], schema=physical)
    visible = Schema(tuple(Column(c.name, c.type) for c in schema))
    scan = Scan(schema, tables=(table,), rows=rows.num_rows)
    return Get(f"{GIVEN} {number}", visible, visible.names), scan
