"""The change log of a PostgreSQL table: a Z-set whose entries carry the transaction that wrote them.

A position is a snapshot in PostgreSQL's own sense: which transactions were over. What is new in a later one are the entries
of transactions that were not visible then and are now, in whatever order they began, wrote or committed. Sequence numbers
could not tell that.
"""

from __future__ import annotations

from typing import Any

from belvedere.sources.postgres.connection import Connection, quote
from belvedere.sources.source import LogLost, TableInfo, Watch

#: how values are written as text in a log
SETTINGS = {
    "search_path": "pg_catalog", "DateStyle": "'ISO, YMD'", "TimeZone": "'UTC'", "IntervalStyle": "'iso_8601'",
    "extra_float_digits": "1", "bytea_output": "'hex'",
}  # fmt: skip


def log_name(token: str, number: int) -> str:
    return f"bv_log_{token}_{number}"


def install(connection: Connection, log: str, info: TableInfo) -> None:
    """Make the log and its trigger, inside a transaction. The entry of weight 0 is never removed: without it the log was emptied.

    Making a trigger waits for all who are writing to the table, so nothing is written past it. A row is kept as the text that
    PostgreSQL itself writes and reads for it, under settings that lose nothing, whatever the writer's are. So the trigger names
    no column, and goes on working when one is renamed or dropped.
    """
    [(schema,)] = connection.rows("SELECT current_schema()")
    place, table = f"{quote(schema)}.{quote(log)}", quote(info.name)
    settings = " ".join(f"SET {name} = {value}" for name, value in SETTINGS.items())
    connection.run(f"CREATE TABLE {place} (bv_xid xid8 NOT NULL DEFAULT pg_current_xact_id(), bv_w int8 NOT NULL, bv_row text)")
    connection.run(f"CREATE INDEX ON {place} (bv_xid)")
    connection.run(f"INSERT INTO {place} (bv_w) VALUES (0)")
    connection.run(
        f"""CREATE FUNCTION {place}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER {settings} AS $bv$
            BEGIN
                IF TG_OP <> 'INSERT' THEN INSERT INTO {place} (bv_w, bv_row) VALUES (-1, OLD::text); END IF;
                IF TG_OP <> 'DELETE' THEN INSERT INTO {place} (bv_w, bv_row) VALUES (1, NEW::text); END IF;
                RETURN NULL;
            END $bv$"""
    )
    when = f"AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW"
    connection.run(f"CREATE TRIGGER {quote(log)} {when} EXECUTE FUNCTION {place}()")
    connection.run(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {quote(log)}")


def entries(connection: Connection, log: str, info: TableInfo, after: str) -> list[tuple[Any, ...]]:
    """Rows with their weight last, of the transactions that a snapshot had not seen."""
    columns = ", ".join(f"(bv_row).{quote(n)}" for n in info.schema.names).replace("%", "%%")
    table = quote(info.name).replace("%", "%%")
    return connection.rows(
        f"""SELECT {columns}, bv_w FROM (
                SELECT bv_row::{table} AS bv_row, bv_w FROM {quote(log)}
                 WHERE bv_w <> 0 AND bv_xid >= pg_snapshot_xmin(%s::pg_snapshot)
                   AND NOT pg_visible_in_snapshot(bv_xid, %s::pg_snapshot) OFFSET 0) AS entries""",
        (after, after),
    )


def logs(connection: Connection, token: str) -> set[str]:
    """The logs under a token that are there, and those of which only the function is left."""
    pattern = f"bv\\_log\\_{token}\\_%"
    found = connection.rows(
        """SELECT proname FROM pg_proc WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
              AND proname LIKE %s
           UNION SELECT relname FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
              AND relkind = 'r' AND relname LIKE %s""",
        (pattern, pattern),
    )
    return {name for (name,) in found}


def remove(connection: Connection, log: str) -> None:
    """Drop a log, its function and with that its trigger, inside a transaction."""
    connection.run(f"DROP FUNCTION IF EXISTS {quote(log)}() CASCADE")
    connection.run(f"DROP TABLE IF EXISTS {quote(log)}")


def check_table(info: TableInfo, watch: Watch) -> None:
    """LogLost if a table has no log, or is not the one that its log was made for."""
    if info.name not in watch.tables:
        raise LogLost(info.name, "it has none")
    if watch.stamps.get(info.name) != info.stamp:
        raise LogLost(info.name, "the table was altered, truncated or rewritten")


def check(connection: Connection, info: TableInfo, watch: Watch) -> None:
    """LogLost if a table's log is not whole."""
    check_table(info, watch)
    log = log_name(watch.token, watch.tables[info.name])
    found = connection.rows(
        """SELECT 1 FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname = %s AND c.relname = %s
              AND t.tgenabled = 'A' AND to_regclass(%s) IS NOT NULL""",
        (log, info.name, quote(log)),
    )
    if not found or not connection.rows(f"SELECT 1 FROM {quote(log)} WHERE bv_w = 0"):
        raise LogLost(info.name, "somebody removed it, emptied it or disabled its trigger")
