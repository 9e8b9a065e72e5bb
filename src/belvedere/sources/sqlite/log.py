"""The change log of a SQLite table: itself a Z-set, filled by triggers. Each entry is a row with its weight, +1 or −1.

SQLite fires no trigger for rows that REPLACE takes away (unless recursive triggers are on). So before an insert or update the
rows that stand in its way are noted with weight 0: they were there. Whether they still are, the table says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from belvedere.sources.source import LogLost, TableInfo, Watch
from belvedere.sources.sqlite.connection import Connection, quote
from belvedere.sources.sqlite.tables import uniques

Row = tuple[Any, ...]


def log_name(token: str, number: int) -> str:
    return f"bv_log_{token}_{number}"


def triggers(log: str) -> list[str]:
    return [f"{log}_{when}" for when in ("bi", "bu", "ai", "au", "ad")]


def install(connection: Connection, log: str, info: TableInfo) -> None:
    """Make the log and its triggers, inside a write transaction. Entry 0 is never removed: without it the log was emptied."""
    columns = [quote(n) for n in info.schema.names]
    kept = [f"c{i}" for i in range(len(columns))]
    table, into = quote(info.name), f"INSERT INTO {log} (bv_w, {', '.join(kept)})"
    connection.run(f"CREATE TABLE {log} (bv_seq INTEGER PRIMARY KEY AUTOINCREMENT, bv_w INTEGER, {', '.join(kept)})")
    connection.run(f"INSERT INTO {log} (bv_seq) VALUES (0)")
    old, new = (", ".join(f"{side}.{c}" for c in columns) for side in ("OLD", "NEW"))
    seen = f"{into} SELECT 0, {', '.join(columns)} FROM {table} WHERE {_taken(connection, info)}"
    itself = " AND ".join(f"{quote(k)} IS OLD.{quote(k)}" for k in info.key)
    gone, came = f"{into} VALUES (-1, {old});", f"{into} VALUES (1, {new});"
    bodies = {
        "BEFORE INSERT": f"{seen};",
        "BEFORE UPDATE": f"{seen} AND NOT ({itself});",
        "AFTER INSERT": came,
        "AFTER UPDATE": gone + came,
        "AFTER DELETE": gone,
    }
    for name, (when, body) in zip(triggers(log), bodies.items(), strict=True):
        connection.run(f"CREATE TRIGGER {name} {when} ON {table} FOR EACH ROW BEGIN {body} END")


def _taken(connection: Connection, info: TableInfo) -> str:
    """Rows that a new row could replace."""
    parts = []
    for unique in uniques(connection, info.name, info.key):
        same = [f"{quote(column)} = NEW.{quote(column)} COLLATE {quote(collation)}" for column, collation in unique.columns]
        parts.append(" AND ".join(same))
    return "(" + " OR ".join(f"({p})" for p in parts) + ")"


def logs(connection: Connection, token: str) -> set[str]:
    """The logs under a token that are there, and those of which only triggers are left."""
    found = connection.rows("SELECT name FROM sqlite_master WHERE name GLOB ?", (f"bv_log_{token}_*",))
    return {"_".join(name.split("_")[:4]) for (name,) in found}


def remove(connection: Connection, log: str) -> None:
    """Drop a log and its triggers, inside a write transaction."""
    for name in triggers(log):
        connection.run(f"DROP TRIGGER IF EXISTS {name}")
    connection.run(f"DROP TABLE IF EXISTS {log}")


def check(connection: Connection, info: TableInfo, watch: Watch) -> str:
    """The name of a table's log, which must be whole."""
    if info.name not in watch.tables:
        raise LogLost(info.name, "it has none")
    if watch.stamps.get(info.name) != info.stamp:
        raise LogLost(info.name, "the table was altered")
    log = log_name(watch.token, watch.tables[info.name])
    wanted = [log, *triggers(log)]
    marks = ", ".join("?" for _ in wanted)
    [(there,)] = connection.rows(f"SELECT count(*) FROM sqlite_master WHERE name IN ({marks})", wanted)
    if there != len(wanted) or not connection.rows(f"SELECT 1 FROM {log} WHERE bv_seq = 0"):
        raise LogLost(info.name, "somebody removed it, emptied it or dropped its triggers")
    return log


def entries(connection: Connection, log: str, info: TableInfo, after: int) -> list[Row]:
    """Rows with their weight last, for what came and went after an entry."""
    width = len(info.schema)
    kept = ", ".join(f"c{i}" for i in range(width))
    found = connection.rows(f"SELECT {kept}, bv_w FROM {log} WHERE bv_seq > ? ORDER BY bv_seq", (after,))
    places = [info.schema.names.index(k) for k in info.key]
    unsure = {tuple(r[p] for p in places) for r in found if r[width] == 0}
    if not unsure:
        return found
    sure = [r for r in found if tuple(r[p] for p in places) not in unsure]
    return sure + _settled(connection, info, [r for r in found if tuple(r[p] for p in places) in unsure], places)


def _settled(connection: Connection, info: TableInfo, found: Sequence[Row], places: Sequence[int]) -> list[Row]:
    """For keys that REPLACE may have taken: the row as it was first seen goes, the row that is there now comes."""
    first: dict[Row, Row] = {}
    for row in found:
        first.setdefault(tuple(row[p] for p in places), row)
    columns = ", ".join(quote(n) for n in info.schema.names)
    where = " AND ".join(f"{quote(k)} IS ?" for k in info.key)
    out: list[Row] = []
    for key, row in first.items():
        if row[-1] <= 0:
            out.append((*row[:-1], -1))
        out += [(*now, 1) for now in connection.rows(f"SELECT {columns} FROM {quote(info.name)} WHERE {where}", key)]
    return out
