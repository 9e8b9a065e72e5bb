"""The SELECT of a leaf: files of a collection, and runs in memory, as one relation of weighted rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from belvedere.engines.duckdb.footers import Footers
from belvedere.engines.duckdb.types import type_text
from belvedere.engines.scan import Scan
from belvedere.engines.sql import Slot
from belvedere.engines.sql.names import quoted

_MANY = 3


@dataclass
class Scans:
    """Writes the scans of one statement; remembers which in-memory tables and which files it names."""

    footers: Footers
    pretty: bool
    #: name → table, to be registered before the statement runs
    tables: dict[str, pa.Table] = field(default_factory=dict)
    #: first file of a read → (collection, all its files)
    reads: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    #: collection → rows read from memory
    memory: dict[str, int] = field(default_factory=dict)

    def text(self, slot: Slot, scan: Scan) -> str:
        parts = [self._files(slot, scan, scan.files, "_w"), self._files(slot, scan, scan.negative, "-_w AS _w")]
        parts += [self._table(slot, scan, t) for t in scan.tables if t.num_rows]
        found = [p for p in parts if p]
        return "\nUNION ALL\n".join(found) if found else self._empty(slot, scan)

    def _files(self, slot: Slot, scan: Scan, files: tuple[str, ...], weight: str) -> str:
        if not files:
            return ""
        have = [self.footers[f].columns for f in files]
        physical = [scan.physical(source) for source, _ in slot.columns]
        differ = any((c in have[0]) != (c in h) for c in physical for h in have[1:])
        anywhere = frozenset[str]().union(*have)
        items = self._items(slot, scan, anywhere, weight)
        self.reads[files[0]] = (slot.get.name, files)
        return f"SELECT {items} FROM read_parquet({self._list(files)}{', union_by_name = true' if differ else ''})"

    def _list(self, files: tuple[str, ...]) -> str:
        if self.pretty and len(files) > _MANY:
            return f"[… {len(files)} files]"
        return "[" + ", ".join("'" + f.replace("'", "''") + "'" for f in files) + "]"

    def _table(self, slot: Slot, scan: Scan, table: pa.Table) -> str:
        name = f"memory_{len(self.tables) + 1}"
        self.tables[name] = table
        # what is held between two steps, or was looked up before, was counted when it was read
        if not slot.get.name.startswith("\0") and not scan.counted:
            self.memory[slot.get.name] = self.memory.get(slot.get.name, 0) + table.num_rows
        told = f" /* {table.num_rows} rows in memory */" if self.pretty else ""
        return f"SELECT {self._items(slot, scan, frozenset(table.column_names), '_w')} FROM {name}{told}"

    def _items(self, slot: Slot, scan: Scan, present: frozenset[str], weight: str) -> str:
        """Columns under their identifiers; what was added to the collection later is NULL."""
        items = []
        for source, name in slot.columns:
            column = scan.physical(source)
            value = column if column in present else f"CAST(NULL AS {type_text(scan.schema[source].type)})"
            items.append(value if value == name else value + " AS " + quoted(name, '"'))
        return ", ".join([*items, weight])

    def _empty(self, slot: Slot, scan: Scan) -> str:
        return f"SELECT {self._items(slot, scan, frozenset(), 'CAST(NULL AS BIGINT) AS _w')} WHERE FALSE"
