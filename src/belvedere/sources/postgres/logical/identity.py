"""The replica identity of watched tables: what the server tells of a row that goes. It has to be all of the row.

What it was before is kept as a comment on the publication, so that whoever detaches, and whenever, finds it. Where several
attachments follow one table they hand that on, and the last one puts it back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from belvedere.sources.postgres.connection import Connection, quote
from belvedere.sources.postgres.logical.publication import publication_name

_TABLE = """
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relreplident::text,
       (SELECT i.relname::text FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
         WHERE x.indrelid = c.oid AND x.indisreplident)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = %s"""
_OTHERS = """
SELECT 1 FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid
 WHERE r.prrelid = %s AND p.pubname LIKE 'bv\\_log\\_%%' AND p.pubname <> %s"""

WHOLE, INDEX = "f", "i"
_KINDS = {"d": "DEFAULT", "n": "NOTHING", WHOLE: "FULL"}

#: kind, and the index of an identity that is one
Identity = tuple[str, str | None]


def make_whole(connection: Connection, token: str, oids: Iterable[int]) -> None:
    """Inside a transaction that holds the tables."""
    kept = _kept(connection)
    own = dict(kept.get(publication_name(token), {}))
    for oid in oids:
        known = [before[oid] for before in kept.values() if oid in before]
        [(table, kind, index)] = connection.rows(_TABLE, (oid,))
        own[oid] = known[0] if known else (kind, index)
        if kind != WHOLE:
            connection.run(f"ALTER TABLE ONLY {table} REPLICA IDENTITY FULL")
    said = json.dumps({str(oid): before for oid, before in own.items()}).replace("'", "''")
    connection.run(f"COMMENT ON PUBLICATION {publication_name(token)} IS '{said}'")


def put_back(connection: Connection, token: str) -> None:
    """Inside a transaction. Tables that are gone, that others follow too, or whose identity somebody changed stay as they are."""
    name = publication_name(token)
    for oid, before in sorted(_kept(connection).get(name, {}).items()):
        found = connection.rows(_TABLE, (oid,))
        if not found or before[0] == WHOLE:
            continue
        connection.run(f"LOCK TABLE ONLY {found[0][0]} IN ACCESS EXCLUSIVE MODE")
        [(table, kind, _)] = connection.rows(_TABLE, (oid,))
        if kind == WHOLE and not connection.rows(_OTHERS, (oid, name)):
            connection.run(f"ALTER TABLE ONLY {table} REPLICA IDENTITY {_clause(connection, oid, before)}")


def _clause(connection: Connection, oid: int, before: Identity) -> str:
    kind, index = before
    if kind != INDEX or index is None:
        return _KINDS.get(kind, "DEFAULT")
    there = connection.rows(
        "SELECT 1 FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = %s AND i.relname = %s", (oid, index)
    )
    return f"USING INDEX {quote(index)}" if there else "DEFAULT"


def _kept(connection: Connection) -> dict[str, dict[int, Identity]]:
    """Publication of an attachment → table → what its identity was before anyone of us came."""
    found = connection.rows(
        """SELECT pubname::text, obj_description(oid, 'pg_publication') FROM pg_publication
            WHERE pubname LIKE 'bv\\_log\\_%' ORDER BY pubname"""
    )
    return {name: {int(oid): (b[0], b[1]) for oid, b in json.loads(said).items()} for name, said in found if said}
