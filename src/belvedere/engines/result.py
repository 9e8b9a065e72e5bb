"""What an engine is, and what it reports about a statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.engines.function import Function
from belvedere.engines.scan import Resolve
from belvedere.store.model import Collection, Run

#: the weight column of every result, after the visible ones
WEIGHT = "_w"


@dataclass
class Metrics:
    """What a statement cost. `rows_read` counts rows of the row groups that a scan had to open, and in-memory rows; `fetched`
    only those of them that a lookup found, or a scan gave on, where the engine tells."""

    rows_read: int = 0
    bytes_read: int = 0
    files: int = 0
    jobs: int = 0
    seconds: float = 0.0
    sql: str = ""
    scanned: dict[str, int] = field(default_factory=dict)
    fetched: int = 0

    def add(self, other: Metrics) -> Metrics:
        """The cost of two statements together; the text is that of both."""
        scanned = dict(self.scanned)
        for name, rows in other.scanned.items():
            scanned[name] = scanned.get(name, 0) + rows
        return Metrics(
            self.rows_read + other.rows_read, self.bytes_read + other.bytes_read, self.files + other.files,
            self.jobs + other.jobs, self.seconds + other.seconds, ";\n\n".join(t for t in (self.sql, other.sql) if t), scanned,
            self.fetched + other.fetched,
        )  # fmt: skip


def shared(metrics: Metrics, count: int) -> list[Metrics]:
    """The cost of a statement that several share: each took its part of the time; what was read is told once."""
    share = metrics.seconds / count
    return [replace(metrics, seconds=share), *(Metrics(seconds=share, sql=metrics.sql) for _ in range(count - 1))]


class Engine(Protocol):
    """Something that evaluates algebra. Both engines give the same rows and the same types."""

    name: str

    def register(self, function: Function) -> None:
        """Let plans call a user's function; one of the same name goes."""

    def supports(self, node: Node) -> str | None:
        """Why this engine cannot evaluate the node, or None if it can."""

    def sql(self, node: Node, resolve: Resolve, *, pretty: bool = True) -> str:
        """The text that `run` executes; file lists are shortened when it is pretty."""

    def run(self, node: Node, resolve: Resolve, *, measured: bool = True) -> tuple[pa.Table, Metrics]:
        """The rows: columns of the node's schema, then the weight. An engine may save itself the counts if nobody asks."""

    def write(
        self, node: Node, resolve: Resolve, columns: Mapping[str, int], sort: Sequence[str], directory: str
    ) -> tuple[list[str], Metrics]:
        """The rows as sorted Parquet files, written by the engine itself. `columns` maps visible names to column ids."""

    def merge(self, collection: Collection, runs: list[Run], sort: tuple[int, ...], out_path: str) -> None:
        """Consolidate runs of a collection into one sorted file (the store's Merger)."""

    def net(self, collection: Collection, runs: list[Run]) -> pa.Table | None:
        """The rows of that file, not written anywhere; None where there are many."""

    def keep(self, path: str, table: pa.Table) -> None:
        """What was written to a file, for those who read it next."""

    def forget(self, paths: Iterable[str]) -> None:
        """What is kept in memory of these files can go."""

    def close(self) -> None:
        """Free what the engine holds."""
