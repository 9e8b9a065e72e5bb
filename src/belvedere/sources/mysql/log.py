"""The change log of a MariaDB or MySQL table: a Z-set whose entries are numbered when written, not when committed.

A number that is missing may belong to a transaction that is still under way. So a position does not say "up to 17" but lists
the entries that were there: ranges of numbers without a gap. Whatever is there later and not among them is new. Entries that
were read are removed once that is safe, which keeps the lists short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from belvedere.sources.mysql.connection import Connection, quote
from belvedere.sources.mysql.tables import Described
from belvedere.sources.source import LogLost, TableInfo, Watch

Ranges = list[list[int]]


def log_name(token: str, number: int) -> str:
    return f"bv_log_{token}_{number}"


def triggers(log: str) -> list[str]:
    return [f"{log}_{when}" for when in ("ai", "au", "ad")]


def install(connection: Connection, log: str, table: Described) -> None:
    """Make the log and its triggers. Each trigger waits for the transactions that use the table, and the next one for those
    that came between; so after the last one nobody is left who has written past any of them.

    The entry of weight 0 is never removed: without it the log was emptied.
    """
    info = table.info
    kept = [f"c{i}" for i in range(len(info.schema))]
    columns = ", ".join(
        f"{k} {t}{_collated(table, n)} NULL" for k, t, n in zip(kept, table.native, info.schema.names, strict=True)
    )
    remove(connection, log)
    connection.run(
        f"CREATE TABLE {log} (bv_seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, bv_w BIGINT NOT NULL, {columns}) ENGINE=InnoDB"
    )
    connection.run(f"INSERT INTO {log} (bv_w) VALUES (0)")
    into = f"INSERT INTO {log} (bv_w, {', '.join(kept)}) VALUES"
    old, new = (", ".join(f"{side}.{quote(n)}" for n in info.schema.names) for side in ("OLD", "NEW"))
    bodies = {"INSERT": f"{into} (1, {new})", "UPDATE": f"{into} (-1, {old}), (1, {new})", "DELETE": f"{into} (-1, {old})"}
    for name, (event, body) in zip(triggers(log), bodies.items(), strict=True):
        connection.run(f"CREATE TRIGGER {name} AFTER {event} ON {quote(info.name)} FOR EACH ROW {body}")


def _collated(table: Described, column: str) -> str:
    found = table.collations.get(column)
    return f" CHARACTER SET {found[0]} COLLATE {found[1]}" if found else ""


def logs(connection: Connection, token: str) -> set[str]:
    """The logs under a token that are there, and those of which only triggers are left."""
    pattern = f"bv!_log!_{token}!_%"
    found = connection.rows(
        """SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE %s ESCAPE '!'
           UNION SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()
             AND trigger_name LIKE %s ESCAPE '!'""",
        (pattern, pattern),
    )
    return {"_".join(name.split("_")[:4]) for (name,) in found}


def remove(connection: Connection, log: str) -> None:
    """Drop a log and its triggers; the triggers first, or writers would fail in between."""
    for name in triggers(log):
        connection.run(f"DROP TRIGGER IF EXISTS {name}")
    connection.run(f"DROP TABLE IF EXISTS {log}")


def check(connection: Connection, info: TableInfo, watch: Watch) -> str:
    """The name of a table's log, which must be whole."""
    if info.name not in watch.tables:
        raise LogLost(info.name, "it has none")
    if watch.stamps.get(info.name) != info.stamp:
        raise LogLost(info.name, "the table was altered, truncated or rewritten")
    log = log_name(watch.token, watch.tables[info.name])
    there = connection.rows(
        """SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE() AND event_object_table = %s
              AND trigger_name IN (%s, %s, %s)""",
        (info.name, *triggers(log)),
    )
    tables = connection.rows(
        "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = %s", (log,)
    )
    if len(there) != len(triggers(log)) or not tables or not connection.rows(f"SELECT 1 FROM {log} WHERE bv_w = 0"):
        raise LogLost(info.name, "somebody removed it, emptied it or dropped its triggers")
    return log


def ranges(numbers: Iterable[int]) -> Ranges:
    """
    >>> ranges([1, 2, 3, 5, 8, 9])
    [[1, 3], [5, 5], [8, 9]]
    """
    found: Ranges = []
    for n in numbers:
        if found and found[-1][1] == n - 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return found


def in_all(lists: Sequence[Ranges]) -> Ranges:
    """What one or more lists of ascending ranges have in common.

    >>> in_all([[[1, 5], [8, 9]], [[2, 8]], [[0, 4], [8, 20]]])
    [[2, 4], [8, 8]]
    """
    common = lists[0]
    for other in lists[1:]:
        both = ([max(a, c), min(b, d)] for a, b in common for c, d in other if a <= d and c <= b)
        common = sorted(both)
    return common


def unread(numbers: Sequence[int], read: Ranges) -> list[bool]:
    """Which of the ascending numbers are in none of the ascending ranges.

    >>> unread([1, 4, 5, 9], [[1, 3], [5, 5]])
    [False, True, False, True]
    """
    out, at = [], 0
    for n in numbers:
        while at < len(read) and read[at][1] < n:
            at += 1
        out.append(at == len(read) or n < read[at][0])
    return out
