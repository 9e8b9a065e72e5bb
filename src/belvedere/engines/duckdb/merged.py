"""What a merge reads: all rows of some runs, added up."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get
from belvedere.engines.scan import Scan
from belvedere.store.model import Collection, Run


def all_rows(collection: Collection, runs: list[Run]) -> tuple[Node, Scan]:
    """The plan, and what its one leaf holds."""
    schema = collection.schema
    files = tuple(r.path for r in runs)
    return Consolidate(Get(collection.name, schema, schema.names)), Scan(schema, files=files, rows=sum(r.rows for r in runs))
