"""The publication of an attachment: the tables whose changes are decoded for it.

The number of a table's log is made from all that the log consists of: the slot, the publication as it was last altered, and the
table's membership. Whoever drops one of them and makes it again has made another log, with another number.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from belvedere.sources.postgres.connection import Connection, quote
from belvedere.sources.source import TableInfo

_MEMBERS = """
SELECT c.relname::text, c.oid::int8, c.relreplident = 'f', r.oid::text, p.xmin::text
  FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid JOIN pg_class c ON c.oid = r.prrelid
 WHERE p.pubname = %s AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"""


@dataclass(frozen=True)
class Member:
    """A table of the publication. `whole`: the server tells all of a row that goes."""

    oid: int
    whole: bool
    number: int


def publication_name(token: str) -> str:
    return f"bv_log_{token}"


def create(connection: Connection, token: str) -> None:
    """Without tables, if there is none. Decoding looks it up as it was when a change was made, so it comes before its slot."""
    name = publication_name(token)
    if not connection.rows("SELECT 1 FROM pg_publication WHERE pubname = %s", (name,)):
        connection.run(f"CREATE PUBLICATION {name}")


def members(connection: Connection, token: str, slot: str) -> dict[str, Member]:
    """The tables by their names."""
    found = connection.rows(_MEMBERS, (publication_name(token),))
    return {name: Member(oid, whole, _number(slot, member, version)) for name, oid, whole, member, version in found}


def add(connection: Connection, token: str, slot: str, info: TableInfo) -> Member:
    """The table anew, inside a transaction that keeps others from writing to it: who writes meanwhile could be overlooked."""
    remove(connection, token, slot, info.name)
    connection.run(f"ALTER PUBLICATION {publication_name(token)} ADD TABLE ONLY {quote(info.name)}")
    return members(connection, token, slot)[info.name]


def remove(connection: Connection, token: str, slot: str, table: str) -> None:
    if table in members(connection, token, slot):
        connection.run(f"ALTER PUBLICATION {publication_name(token)} DROP TABLE ONLY {quote(table)}")


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("/".join(parts).encode()).digest()[:5])
