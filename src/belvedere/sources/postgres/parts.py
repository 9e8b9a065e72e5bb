"""A PostgreSQL table cut into parts: its snapshot is exported, and each part is read in it over a connection of its own.

Parts are ranges of the blocks that the table is kept in: even, read in the order they are on disk, and independent of what the
key is. A version of a row stays in its place as long as a snapshot can see it, so each row is in one part. Where there are no
such ranges (a table with partitions or children, a server before 14, which would read all for each) an integer key is cut.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa

from belvedere.algebra.types import Integral
from belvedere.sources.parts import Part
from belvedere.sources.postgres.connection import Connection, quote
from belvedere.sources.rows import to_arrow
from belvedere.sources.source import TableInfo
from belvedere.sources.url import password

#: ranges of blocks are looked up since
BLOCKS = 140000
#: blocks that are looked at for an estimate
SAMPLE = 200
_KEPT = """
SELECT pg_relation_size(c.oid) / current_setting('block_size')::int8, c.relkind = 'r' AND NOT c.relhassubclass,
       current_setting('server_version_num')::int
  FROM pg_class c WHERE c.oid = %s::regclass"""


class SharedTable:
    """A table in the state of the running transaction, which must stay open until all parts are read."""

    def __init__(self, connection: Connection, info: TableInfo) -> None:
        self._connection, self._info = connection, info
        # the transaction does nothing while others read
        connection.run("SET LOCAL idle_in_transaction_session_timeout = 0")
        [(self._blocks, self._plain, self._version)] = connection.rows(_KEPT, (quote(info.name),))
        self.rows = self._estimate()

    def _estimate(self) -> int:
        """The server's own, by what the table takes on disk now. If nobody has analyzed it yet a few blocks are looked at."""
        table = quote(self._info.name)
        if self._plain and not self._info.rows:
            share = min(100.0, 100.0 * SAMPLE / max(1, self._blocks))
            [(found,)] = self._connection.rows(f"SELECT count(*) FROM {table} TABLESAMPLE SYSTEM ({share}) REPEATABLE (1)")
            return int(found * 100.0 / share)
        [(plan,)] = self._connection.rows(f"EXPLAIN (FORMAT JSON) SELECT 1 FROM {table}")
        return int(json.loads(plan)[0]["Plan"]["Plan Rows"])

    def parts(self, count: int) -> list[Part]:
        wheres = self._wheres(count)
        c, info = self._connection, self._info
        [(state,)] = c.rows("SELECT pg_export_snapshot()")
        batch, secret = max(1, c.address.settings.batch // len(wheres)), password(c.name, c.address)
        return [Part(c.name, c.address, state, info.name, info.schema, where, batch, secret) for where in wheres]

    def _wheres(self, count: int) -> list[str]:
        if count < 2:
            return [""]
        if self._plain and self._version >= BLOCKS:
            return _ranges("ctid", "'({},0)'::tid", 0, self._blocks, count)
        key = self._info.key[0]
        if isinstance(self._info.schema[key].type, Integral):
            [(least, most)] = self._connection.rows(f"SELECT min({quote(key)}), max({quote(key)}) FROM {quote(self._info.name)}")
            if least is not None:
                return _ranges(quote(key), "{}", least, most + 1, count)
        return [""]


def _ranges(what: str, written: str, least: int, end: int, count: int) -> list[str]:
    """Conditions, of which each value meets exactly one: the first and the last range are open.

    >>> _ranges("k", "{}", 10, 20, 3)
    ['k < 13', 'k >= 13 AND k < 16', 'k >= 16']
    >>> _ranges("k", "{}", 10, 11, 3)
    ['']
    """
    inner = sorted({least + (end - least) * i // count for i in range(1, count)} - {least})
    low = ["", *(f"{what} >= {written.format(b)}" for b in inner)]
    high = [*(f"{what} < {written.format(b)}" for b in inner), ""]
    return [" AND ".join(c for c in pair if c) for pair in zip(low, high, strict=True)]


def read_part(part: Part) -> Iterator[pa.Table]:
    """The rows of a part in batches, over a connection of its own."""
    columns = ", ".join(quote(n) for n in part.schema.names)
    sql = f"SELECT {columns} FROM {quote(part.table)}" + (f" WHERE {part.where}" if part.where else "")
    with (
        closing(Connection(part.source, part.address, part.secret)) as connection,
        connection.transaction("ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
    ):
        connection.run(f"SET TRANSACTION SNAPSHOT '{part.state}'")
        for rows in connection.stream(sql, part.batch):
            yield to_arrow(rows, part.schema, f"source {part.source}, {part.table}")
