"""A logical replication slot, through the functions that SQL has for it.

A slot keeps the write-ahead log from where its transactions have not been confirmed. Peeking confirms nothing, so it can be done
again, after a crash of whoever; advancing confirms. One session at a time may use a slot; another waits for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from belvedere.errors import BelvedereError
from belvedere.sources.postgres.connection import Connection, sqlstate
from belvedere.sources.url import LOGICAL, TRIGGERS

T = TypeVar("T")

PLUGIN = "pgoutput"
_BUSY = "55006"
_NOT_ALLOWED, _TOO_MANY = "42501", "53400"
_WAIT = 0.05


@dataclass(frozen=True)
class Slot:
    """`confirmed`: transactions whose commit begins before it are not told any more. `usable`: the log is still there."""

    name: str
    confirmed: int
    usable: bool


def check_able(connection: Connection) -> None:
    """Does the server decode changes at all?"""
    [(level, standby)] = connection.rows("SELECT current_setting('wal_level'), pg_is_in_recovery()")
    instead = f"or attach it with changes={TRIGGERS!r}"
    if standby:
        raise BelvedereError(f"source {connection.name!r} is a standby, which can be read only; attach the primary server")
    if level != "logical":
        raise BelvedereError(
            f"source {connection.name!r}: changes={LOGICAL!r} needs wal_level = logical, and the server has {level}; set it in "
            f"postgresql.conf (alter system set wal_level = logical) and restart the server, {instead}"
        )


def slots(connection: Connection, token: str) -> list[Slot]:
    """Those under a token."""
    found = connection.rows(
        """SELECT slot_name::text, coalesce(confirmed_flush_lsn - '0/0', 0)::int8,
                  plugin = %s AND wal_status IS DISTINCT FROM 'lost' AND confirmed_flush_lsn IS NOT NULL
             FROM pg_replication_slots WHERE database = current_database() AND slot_name LIKE %s ORDER BY slot_name""",
        (PLUGIN, f"bv\\_log\\_{token}\\_%"),
    )
    return [Slot(*row) for row in found]


def create(connection: Connection, name: str) -> None:
    """Waits for all who are writing, in whatever database of the server; the slot tells what is committed after."""
    wait = connection.address.settings.connect_timeout
    try:
        connection.run(f"SET lock_timeout = {int(wait * 1000)}")
        connection.run("SELECT pg_create_logical_replication_slot(%s, %s)", (name, PLUGIN))
    except BelvedereError as e:
        if sqlstate(e) == _NOT_ALLOWED:
            raise BelvedereError(
                f"source {connection.name!r}: changes={LOGICAL!r} needs a role that may replicate (alter role … replication); "
                f"give it that, or attach with changes={TRIGGERS!r}"
            ) from e
        if sqlstate(e) == _TOO_MANY:
            raise BelvedereError(
                f"source {connection.name!r} has no replication slot left; raise max_replication_slots in postgresql.conf, drop "
                f"slots that nobody uses (select * from pg_replication_slots), or attach with changes={TRIGGERS!r}"
            ) from e
        raise
    finally:
        with suppress(BelvedereError):
            connection.run("SET lock_timeout = 0")


def drop(connection: Connection, name: str) -> None:
    patiently(connection, lambda: connection.run("SELECT pg_drop_replication_slot(%s)", (name,)))


def flushed(connection: Connection) -> int:
    """Where the log ends now, once all before it is on disk: only that is decoded. Who commits with synchronous_commit = off is
    seen by others before; so we commit something ourselves, which takes all before it along."""
    [(end, behind)] = connection.rows(
        "SELECT (l - '0/0')::int8, pg_current_wal_flush_lsn() < l FROM pg_current_wal_insert_lsn() AS l"
    )
    if behind:
        with connection.transaction():
            connection.run("SET LOCAL synchronous_commit = local")
            connection.run("SELECT pg_logical_emit_message(true, 'belvedere', '')")
    return int(end)


def peek(connection: Connection, slot: str, publication: str) -> Iterator[tuple[int, bytes]]:
    """(transaction, message) of all that is committed and not confirmed, in the order of the commits."""
    sql = f"""SELECT xid::text::int8, data FROM pg_logical_slot_peek_binary_changes('{slot}', NULL, NULL, 'proto_version', '1',
              'publication_names', '{publication}')"""
    with connection.transaction():
        for rows in connection.stream(sql, connection.address.settings.batch):
            yield from rows


def advance(connection: Connection, slot: Slot, upto: int) -> None:
    if upto > slot.confirmed:
        said = (slot.name, upto)
        patiently(connection, lambda: connection.run("SELECT pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s::numeric)", said))


def patiently(connection: Connection, work: Callable[[], T]) -> T:
    """Do it; while another session uses the slot, again for as long as one waits for a connection."""
    until = time.monotonic() + connection.address.settings.connect_timeout
    while True:
        try:
            return work()
        except BelvedereError as e:
            if sqlstate(e) != _BUSY or time.monotonic() > until:
                raise
        time.sleep(_WAIT)
