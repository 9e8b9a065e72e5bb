"""One state of a PostgreSQL database whose changes are decoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from belvedere.errors import BelvedereError
from belvedere.sources.postgres.connection import Connection, quote, sqlstate
from belvedere.sources.postgres.log import SETTINGS, check_table
from belvedere.sources.postgres.logical.decoded import Decoded, Entry, decoded
from belvedere.sources.postgres.logical.publication import Member, members, publication_name
from belvedere.sources.postgres.logical.slot import Slot, flushed, patiently, peek, slots
from belvedere.sources.postgres.logical.visible import Visible
from belvedere.sources.postgres.snapshot import PostgresSnapshot
from belvedere.sources.source import LogLost, Position, TableInfo, Watch

#: the slot, its publication or the log behind them are not there (any more)
_GONE = ("42704", "55000", "58P01")


class LogicalSnapshot(PostgresSnapshot):
    """The slot is read once, when it is first needed, over a connection of its own and after the snapshot was taken. A position
    is one of the log by triggers, and besides says up to where the slot may be advanced."""

    def __init__(
        self, connection: Connection, tables: Mapping[str, TableInfo], watch: Watch | None, another: Callable[[], Connection]
    ) -> None:
        super().__init__(connection, tables, watch)
        self._another = another
        self._told: tuple[Slot, Decoded] | None = None
        self._members: dict[str, Member] = {}
        self._looked = False

    def position(self) -> Position:
        told = self._tell()
        return super().position() | ({"upto": told[1].upto} if told else {})

    def _check(self, info: TableInfo) -> None:
        check_table(info, self._watch)
        told = self._tell()
        if told is None:
            raise LogLost(info.name, "its replication slot is gone, or the server has removed what the slot was to tell")
        member = self._members.get(info.name)
        if member is None or member.number != self._watch.tables[info.name]:
            raise LogLost(info.name, "somebody removed or altered its publication or its replication slot")
        if not member.whole:
            raise LogLost(info.name, "somebody changed the replica identity of the table")

    def _entries(self, info: TableInfo, after: Position) -> list[tuple[Any, ...]]:
        told = self._tell()
        assert told is not None, "checked before"
        slot, changes = told
        if slot.confirmed > after.get("upto", -1):
            raise LogLost(info.name, "somebody else has read its replication slot, or advanced it")
        seen = Visible(after["snapshot"])
        entries = [e for e in changes.entries.get(self._members[info.name].oid, ()) if not seen(e.xid)]
        for e in entries:
            if e.why or e.columns != info.schema.names:
                raise LogLost(info.name, e.why or "its columns had other names meanwhile")
        return self._rows(info, entries)

    def _rows(self, info: TableInfo, entries: list[Entry]) -> list[tuple[Any, ...]]:
        """The server reads its own text for rows, here as for a log by triggers."""
        columns = ", ".join(f"(bv_row).{quote(n)}" for n in info.schema.names).replace("%", "%%")
        table, size = quote(info.name).replace("%", "%%"), self._connection.address.settings.batch
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(entries), size):
            some = entries[start : start + size]
            found += self._connection.rows(
                f"""SELECT {columns}, bv_w FROM (SELECT bv_text::{table} AS bv_row, bv_w
                      FROM unnest(%s::text[], %s::int8[]) AS t(bv_text, bv_w) OFFSET 0) AS entries""",
                ([e.row for e in some], [e.weight for e in some]),
            )
        return found

    def _tell(self) -> tuple[Slot, Decoded] | None:
        """The slot and what it tells of this state; None if it cannot tell all."""
        if not self._looked:
            self._looked = True
            self._told = self._peeked() if self._watch.token else None
            if self._told is not None:
                self._members = members(self._connection, self._watch.token, self._told[0].name)
        return self._told

    def _peeked(self) -> tuple[Slot, Decoded] | None:
        connection, token = self._another(), self._watch.token
        before = _usable(connection, token)
        if before is None:
            return None
        seen, end = Visible(self._snapshot), flushed(connection)
        for name, value in SETTINGS.items():
            connection.run(f"SET {name} = {value}")
        connection.run("SET client_encoding = 'UTF8'")
        told = publication_name(token)
        try:
            changes = patiently(connection, lambda: decoded(peek(connection, before.name, told), seen, end))
        except BelvedereError as e:
            if sqlstate(e) in _GONE:
                return None
            raise
        after = _usable(connection, token)  # somebody may have advanced it while it was read
        return None if after is None or after.name != before.name else (after, changes)


def _usable(connection: Connection, token: str) -> Slot | None:
    found = slots(connection, token)
    return found[0] if len(found) == 1 and found[0].usable else None
