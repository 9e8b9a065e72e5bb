"""Runs of a scan as tables in memory, in the place of their files.

Law: a run is the same rows wherever it lies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa

from belvedere.engines.arrow import WEIGHT, negated, stored_column, together
from belvedere.engines.scan import Scan
from belvedere.errors import EngineError
from belvedere.store.inlined import is_inlined
from belvedere.store.physical import physical_schema
from belvedere.store.small_runs import SmallRuns


def in_files(scan: Scan, runs: SmallRuns) -> Scan:
    """The scan for who reads files: what is none comes along in memory."""
    if not any(map(is_inlined, (*scan.files, *scan.negative))):
        return scan
    try:
        return in_memory(scan, runs, is_inlined)
    except OSError as e:
        raise EngineError(f"rows of the warehouse cannot be read: {e}") from e


def in_memory(scan: Scan, runs: SmallRuns, which: Callable[[str], bool] = lambda path: True) -> Scan:
    """The scan with these of its runs in memory."""
    came = [_fitted(runs.read(f), scan) for f in scan.files if which(f)]
    went = [negated(_fitted(runs.read(f), scan)) for f in scan.negative if which(f)]
    files, negative = (tuple(f for f in fs if not which(f)) for fs in (scan.files, scan.negative))
    return replace(scan, files=files, negative=negative, tables=(*together([*came, *went]), *scan.tables))


def _fitted(table: pa.Table, scan: Scan) -> pa.Table:
    """The columns that the run has of the collection, in the types that they have by now."""
    kinds = {f.name: f.type for f in physical_schema(scan.schema) if f.name in table.column_names}
    names = [*(n for n in kinds if n != WEIGHT.name), WEIGHT.name]
    return pa.Table.from_arrays([stored_column(table, n, kinds.get(n, WEIGHT.type)) for n in names], names=names)
