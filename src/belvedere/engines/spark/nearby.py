"""Small files read by the driver: to list, open and read one is more work for a job than its rows are.

Most small runs were written by this process, which has them in memory still. Law: a run is the same rows wherever it lies.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.engines.arrow import WEIGHT, negated, stored_column
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.store.physical import physical_schema
from belvedere.store.small_runs import SmallRuns

#: rows of a leaf, and bytes of its files, up to which they go with the statement
ROWS, BYTES = 8192, 1 << 20

Ask = Callable[[Get], Scan]


def nearby(ask: Ask, runs: SmallRuns) -> tuple[Ask, Metrics]:
    """The scans, small ones in memory; and the files that were read for them, counted as they are asked for."""
    known: dict[Get, Scan] = {}
    spent = Metrics()

    def scan(get: Get) -> Scan:
        if get not in known:
            found = ask(get)
            # what cannot be read is left to Spark, which says what is wrong with it
            with suppress(OSError, pa.ArrowException):
                files = (*found.files, *found.negative)
                if files and found.rows <= ROWS and sum(map(os.path.getsize, files)) <= BYTES:
                    found = _in_memory(found, runs)
                    spent.files += len(files)
            known[get] = found
        return known[get]

    return scan, spent


def _in_memory(scan: Scan, runs: SmallRuns) -> Scan:
    came = [_fitted(runs.read(f), scan) for f in scan.files]
    went = [negated(_fitted(runs.read(f), scan)) for f in scan.negative]
    return replace(scan, files=(), negative=(), tables=(*came, *went, *scan.tables))


def _fitted(table: pa.Table, scan: Scan) -> pa.Table:
    """The columns that the run has of the collection, in the types that they have by now."""
    kinds = {f.name: f.type for f in physical_schema(scan.schema) if f.name in table.column_names}
    names = [*(n for n in kinds if n != WEIGHT.name), WEIGHT.name]
    return pa.Table.from_arrays([stored_column(table, n, kinds.get(n, WEIGHT.type)) for n in names], names=names)
