"""The scans of a statement as DataFrames, and the text that reads them.

Parquet is read with an explicit schema: a column that a file does not have is NULL, one that was dropped is not read, and
no job looks at footers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.algebra.types import BigInt
from belvedere.engines.arrow import together
from belvedere.engines.scan import Scan
from belvedere.engines.spark.dialect import type_text
from belvedere.engines.spark.types import ddl
from belvedere.engines.sql import Slot
from belvedere.engines.sql.names import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OPEN, _CLOSE = "\x01", "\x02"


@dataclass
class Frames:
    """The sources of one statement by the names that its text has for them."""

    files: dict[str, tuple[str, tuple[str, ...], str]] = field(default_factory=dict)
    tables: dict[str, tuple[pa.Table, str]] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    #: the names of tables that hold a leaf's rows, by the columns that are read of it: several slots may read the same
    _known: dict[tuple[Get, tuple[str, ...]], list[str]] = field(default_factory=dict)

    def text(self, slot: Slot, scan: Scan) -> str:
        """The SELECT of a leaf."""
        # what is held between two steps, or was looked up before, was counted when it was read
        if not slot.get.name.startswith("\0") and not scan.counted:
            self.rows[slot.get.name] = self.rows.get(slot.get.name, 0) + scan.rows
        parts = [self._files(slot, scan, scan.files, "_w"), self._files(slot, scan, scan.negative, "-_w AS _w")]
        parts += [f"SELECT {items} FROM {_OPEN}{name}{_CLOSE}" for name, items in self._in_memory(slot, scan)]
        found = [p for p in parts if p]
        return "\nUNION ALL\n".join(found) if found else self._empty(slot, scan)

    def _files(self, slot: Slot, scan: Scan, files: tuple[str, ...], weight: str) -> str:
        if not files:
            return ""
        name = f"{slot.name}_files" if weight == "_w" else f"{slot.name}_undone"
        columns = [(scan.physical(source), scan.schema[source].type) for source, _ in slot.columns]
        unique = dict(columns)
        self.files[name] = (slot.get.name, files, ddl([*unique.items(), ("_w", BigInt())]))
        return f"SELECT {self._items(slot, scan, None, weight)} FROM {_OPEN}{name}{_CLOSE}"

    def _in_memory(self, slot: Slot, scan: Scan) -> list[tuple[str, str]]:
        """(name, items of the SELECT) for each table of rows in memory."""
        key = (slot.get, tuple(source for source, _ in slot.columns))
        if key not in self._known:
            self._known[key] = [self._table(slot, scan, t) for t in together(scan.tables)]
        counted = not slot.get.name.startswith("\0") and not scan.counted
        found = []
        for name in self._known[key]:
            table = self.tables[name][0]
            if counted:
                self.memory[slot.get.name] = self.memory.get(slot.get.name, 0) + table.num_rows
            found.append((name, self._items(slot, scan, frozenset(table.column_names), "_w")))
        return found

    def _table(self, slot: Slot, scan: Scan, table: pa.Table) -> str:
        name = f"memory_{len(self.tables) + 1}"
        columns = {
            c: scan.schema[source].type for source, _ in slot.columns if (c := scan.physical(source)) in table.column_names
        }
        # said in words, because Spark takes a wall clock of Arrow for an instant
        self.tables[name] = (table.select([*columns, "_w"]), ddl([*columns.items(), ("_w", BigInt())]))
        return name

    def _items(self, slot: Slot, scan: Scan, present: frozenset[str] | None, weight: str) -> str:
        items = []
        for source, name in slot.columns:
            column = scan.physical(source)
            there = present is None or column in present
            value = column if there else f"CAST(NULL AS {type_text(scan.schema[source].type)})"
            items.append(f"{value} AS {quoted(name, '`')}")
        return ", ".join([*items, weight])

    def _empty(self, slot: Slot, scan: Scan) -> str:
        return f"SELECT {self._items(slot, scan, frozenset(), 'CAST(NULL AS BIGINT) AS _w')} WHERE FALSE"

    def open(self, session: SparkSession, text: str) -> DataFrame:
        """The statement as a DataFrame."""
        sources: dict[str, Any] = {}
        for name, (_, files, schema) in self.files.items():
            sources[name] = session.read.schema(schema).parquet(*files)
        for name, (table, schema) in self.tables.items():
            sources[name] = session.createDataFrame(_plain(table), schema=schema)
        if not sources:
            return session.sql(shown(text))
        escaped = text.replace("{", "{{").replace("}", "}}").replace(_OPEN, "{").replace(_CLOSE, "}")
        return session.sql(escaped, **sources)


def shown(text: str) -> str:
    """The text as people read it: sources by their names."""
    return text.replace(_OPEN, "").replace(_CLOSE, "")


def _plain(table: pa.Table) -> pa.Table:
    """Without the field ids of files, which mean nothing here."""
    return table.replace_schema_metadata(None)
