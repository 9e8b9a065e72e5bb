"""The first load of a mirror: never the whole table in memory, all of it of one state of the source.

Small tables come through the connection that is open anyway. Where the source lets others read the same state, larger ones are
read by several connections at once, and very large ones by Spark's workers, if the warehouse may use Spark. What is written at
the source meanwhile is not in that state; it is in the change log, and due next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pyarrow as pa

from belvedere.changes.zset import weighted
from belvedere.sources.opening import read_part
from belvedere.sources.parts import Batches, Part, Shareable, Sharing, gathered, together
from belvedere.sources.source import Snapshot, TableInfo
from belvedere.sources.url import Settings
from belvedere.store.model import Collection
from belvedere.store.parquet import to_physical
from belvedere.warehouse.sources.pull import check_keys, make_mirror
from belvedere.warehouse.transaction import Transaction

#: called with a table, the rows loaded so far, and an estimate of all
Progress = Callable[[str, int, int], None]

#: a part that Spark's workers read has so many batches
BATCHES = 10


def load(tx: Transaction, source: str, settings: Settings, info: TableInfo, snapshot: Snapshot, progress: Progress | None) -> int:
    """Make the mirror of a table and fill it; gives the number of rows."""
    c = make_mirror(tx, source, info)
    shared = snapshot.share(info.name) if isinstance(snapshot, Shareable) else None
    total = info.rows if shared is None else shared.rows

    def report(rows: int) -> None:
        if progress is not None:
            progress(c.name, rows, max(rows, total))

    if shared is not None and shared.rows >= settings.spark_rows and tx.core.spark_possible:
        rows = _by_spark(tx, c, settings, shared, report)
    else:
        rows = _here(tx, source, c, info, _batches(info, settings, snapshot, shared), report)
    tx.check_whole_key(c)
    return rows


def _batches(info: TableInfo, settings: Settings, snapshot: Snapshot, shared: Sharing | None) -> Batches:
    count = 1 if shared is None else min(settings.parts, shared.rows // settings.batch)
    if shared is None or count < 2:
        yield from snapshot.read(info.name)
    else:
        yield from gathered(together([partial(read_part, part) for part in shared.parts(count)]), settings.batch)


def _here(
    tx: Transaction, source: str, c: Collection, info: TableInfo, batches: Batches, report: Callable[[int], None]
) -> int:
    """Each batch is a run on disk."""
    rows = 0
    with closing(batches):  # after a failure, too: who reads holds on to the table
        for batch in batches:
            check_keys(source, info, batch)
            run = tx.commit.append(c, to_physical(weighted(batch), c))
            tx.overlay.files.setdefault(c.name, []).append(run)
            rows += batch.num_rows
            report(rows)
    return rows


def _by_spark(tx: Transaction, c: Collection, settings: Settings, shared: Sharing, report: Callable[[int], None]) -> int:
    """Spark's workers read the parts and write the runs; nothing passes through this process."""
    parts = shared.parts(max(settings.parts, shared.rows // (BATCHES * settings.batch)))
    stored = c.physical

    def read(part: Part) -> Iterator[pa.Table]:
        """In a worker, which need not know more of the warehouse than how its rows are stored."""
        for batch in read_part(part):
            columns = weighted(batch).columns
            yield pa.Table.from_arrays([v.cast(f.type) for v, f in zip(columns, stored, strict=True)], schema=stored)

    paths = tx.core.spark.write_parts(parts, read, c, tx.commit.directory(), lambda share: report(int(share * shared.rows)))
    runs = tx.commit.adopt(c, paths, arrangement=c.sort)
    tx.overlay.files.setdefault(c.name, []).extend(runs)
    rows = sum(r.rows for r in runs)
    report(rows)
    return rows
