"""Small files read by the driver: to list, open and read one is more work for a job than its rows are.

Most small runs were written by this process, which has them in memory still. Those that lie in the catalog are no files at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.engines.in_memory import in_files, in_memory
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.store.inlined import is_inlined
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
                runs_of_it = (*found.files, *found.negative)
                files = [f for f in runs_of_it if not is_inlined(f)]
                if runs_of_it and found.rows <= ROWS and sum(map(os.path.getsize, files)) <= BYTES:
                    found = in_memory(found, runs)
                    spent.files += len(files)
            known[get] = in_files(found, runs)
        return known[get]

    return scan, spent
