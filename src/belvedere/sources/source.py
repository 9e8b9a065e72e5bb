"""What every attached database can do, whatever system it is.

A Source is opened for one piece of work and closed. All reading goes through a Snapshot: one state of the whole source for as
long as it is open. A Position says which entries of the change logs are part of a snapshot; it is plain JSON, kept by the
warehouse in the same transaction as the rows it stands for, and means nothing to anyone but the source that gave it.

Law: content(position b) = content(position a) + changes(a) read in the snapshot of b, for every table, exactly.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa
from sqlglot import exp

from belvedere.algebra.types import Schema
from belvedere.errors import BelvedereError

Position = dict[str, Any]

LOG = "log"
COMPARE = "compare"
"""How a table is followed: by its change log, or by comparing all of it with what was read before."""


NUL, NAN, INFINITY = "nul", "nan", "infinity"
"""Values that a system may not have: texts with a NUL in them, and numbers that are none."""


class LogLost(BelvedereError):
    """The change log of a table does not tell the whole change any more; compare the table instead. Says why."""

    def __init__(self, table: str, why: str) -> None:
        super().__init__(f"the change log of {table!r} is not complete: {why}")
        self.table = table
        self.why = why


@dataclass(frozen=True)
class TableInfo:
    """A table of a source.

    schema, key: in Belvedere's types; rows: an estimate
    numbers: what tells a column from others whatever it is called, if `permanent`; else its place
    follow: LOG, or COMPARE with the reason in `why` where triggers would miss changes
    equal: columns whose `=` at the source finds at least the rows that ours finds (a collation may find more)
    ordered: columns whose every comparison at the source means exactly what ours means
    stamp: changes whenever the table's shape changes, or its content changes without its triggers
    """

    name: str
    schema: Schema
    key: tuple[str, ...]
    rows: int
    numbers: tuple[int, ...]
    permanent: bool = False
    follow: str = LOG
    why: str = ""
    equal: frozenset[str] = frozenset()
    ordered: frozenset[str] = frozenset()
    stamp: str = ""


@dataclass(frozen=True)
class Watch:
    """The change logs of one attachment: `token` tells them from those of other warehouses, `tables` says the number of each
    table's log, and its stamp when the log was made."""

    token: str
    tables: Mapping[str, int] = field(default_factory=dict)
    stamps: Mapping[str, str] = field(default_factory=dict)


def fresh_number() -> int:
    """A number for a log. Never one that was used before: two who install logs at once must not take over each other's."""
    return secrets.randbelow(1 << 40)


def of_this_log(watch: Watch, table: str, positions: Sequence[Position]) -> list[Position]:
    """Those of the positions that speak of the log which a table has now."""
    return [p for p in positions if table in watch.tables and p.get("logs", {}).get(table) == watch.tables[table]]


#: bytes of its own log that a server may have to keep for a position before it is moved though no row changed
KEPT_BYTES = 16 << 20


def worth_moving(old: Position, new: Position) -> bool:
    """Whether a later position is to be kept though no row changed: it marks unchanged content, or lets a server forget much."""
    marks = new.get("unchanged", {})
    if marks and marks != old.get("unchanged", {}):
        return True
    return bool(new.get("upto", 0) - old.get("upto", 0) > KEPT_BYTES)


class Snapshot(Protocol):
    """One consistent state of a source."""

    #: seconds spent so far on moving rows, rather than on evaluating
    moved_seconds: float
    #: the tables asked for that are there, as they are in this state
    tables: Mapping[str, TableInfo]
    #: NUL, NAN, INFINITY: what its columns cannot hold, and it cannot be asked about
    lacks: frozenset[str]

    def position(self) -> Position:
        """What of the change logs is part of this state."""
        ...

    def changes(self, table: str, after: Position) -> pa.Table:
        """What came and went between a position and this state: a consolidated Z-set. LogLost if the log cannot tell."""
        ...

    def read(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """All rows, in batches."""
        ...

    def ask(self, select: exp.Select, inputs: Mapping[str, pa.Table], types: Schema) -> pa.Table:
        """The answer to a select over tables of the source and given ones, which travel there. `types` are the columns of the
        answer. Unsupported if a condition could mean something else at the source than it means to us."""
        ...


class Source(Protocol):
    """An attached database."""

    name: str
    #: what the system is called in messages
    system: str

    def names(self) -> list[str]:
        """The tables that `describe` would describe, whether it can or not."""
        ...

    def describe(self, tables: Sequence[str] | None = None) -> list[TableInfo]:
        """The named tables, or all. TypeMismatch names a column whose type has no counterpart."""
        ...

    def watch(self, watch: Watch, tables: Sequence[TableInfo]) -> Watch:
        """Install the change logs of these tables, anew where there are some. Logs under the token that `watch` does not know
        are removed. Changes committed after it returns are in the logs; a snapshot taken after it tells what came before."""
        ...

    def unwatch(self, token: str) -> None:
        """Remove all that `watch` made under the token. Does nothing twice."""
        ...

    def snapshot(self, tables: Sequence[str], watch: Watch | None = None) -> AbstractContextManager[Snapshot]:
        """Open one state of these tables; one that is gone is not among `Snapshot.tables`. `watch` is needed for changes."""
        ...

    def prune(self, watch: Watch, read: Mapping[str, Sequence[Position]]) -> None:
        """Forget entries of tables' logs that all these positions have seen; those of a log that is no more do not count."""
        ...

    def close(self) -> None: ...
