"""A PostgreSQL database as a source whose changes are decoded from its write-ahead log, without triggers.

Needs wal_level = logical, a role that may replicate, and owns the tables. `watch` makes a publication and a slot; the slot keeps
the log until `prune` advances it, which is after what it told is published here. Peeking alone forgets nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from belvedere.errors import BelvedereError
from belvedere.sources.postgres.connection import Connection, quote, sqlstate
from belvedere.sources.postgres.log import log_name
from belvedere.sources.postgres.logical import publication, slot
from belvedere.sources.postgres.logical.identity import make_whole, put_back
from belvedere.sources.postgres.logical.snapshot import LogicalSnapshot
from belvedere.sources.postgres.snapshot import PostgresSnapshot
from belvedere.sources.postgres.source import PostgresSource
from belvedere.sources.source import COMPARE, LOG, Position, TableInfo, Watch, fresh_number, of_this_log
from belvedere.sources.url import LOGICAL, TRIGGERS

_UNTOLD = """
SELECT c.relname::text, CASE WHEN c.relpersistence = 'u' THEN 'it is unlogged' ELSE 'it has generated columns' END
  FROM pg_class c
 WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND (c.relpersistence = 'u'
       OR EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attgenerated <> '' AND NOT a.attisdropped))"""


class LogicalSource(PostgresSource):
    """Opened for one piece of work, by one thread at a time."""

    def _found(self, tables: Sequence[str] | None, *, missing: bool = False) -> list[TableInfo]:
        untold = dict(self._connection.rows(_UNTOLD))
        said = "{}, which the decoded log does not tell"
        return [
            replace(t, follow=COMPARE, why=said.format(untold[t.name])) if t.follow == LOG and t.name in untold else t
            for t in super()._found(tables, missing=missing)
        ]

    def watch(self, watch: Watch, tables: Sequence[TableInfo]) -> Watch:
        slot.check_able(self._connection)
        names = {t.name for t in tables}
        kept = {n: i for n, i in watch.tables.items() if n not in names}
        made, stamps = dict(kept), dict(watch.stamps)
        with self._rights():
            where = self._kept_slot(watch.token, kept) or self._new_slot(watch.token)
            with self._altering():
                for name in sorted(t.name for t in tables if t.follow == LOG):
                    self._hold(name)
                oids = []
                for info in self._found(sorted(names)):
                    stamps[info.name] = info.stamp
                    if info.follow == LOG:
                        member = publication.add(self._connection, watch.token, where, info)
                        made[info.name] = member.number
                        oids.append(member.oid)
                    else:
                        publication.remove(self._connection, watch.token, where, info.name)
                make_whole(self._connection, watch.token, oids)
        return Watch(watch.token, made, stamps)

    def unwatch(self, token: str) -> None:
        for old in slot.slots(self._connection, token):
            slot.drop(self._connection, old.name)
        with self._altering():
            put_back(self._connection, token)
            self._connection.run(f"DROP PUBLICATION IF EXISTS {publication.publication_name(token)}")

    def prune(self, watch: Watch, read: Mapping[str, Sequence[Position]]) -> None:
        """To where all have read; a table of which nobody says that holds the slot where it is."""
        if not watch.tables.keys() <= read.keys():
            return
        upto = [p.get("upto", 0) for table, positions in read.items() for p in of_this_log(watch, table, positions)]
        found = slot.slots(self._connection, watch.token)
        if upto and len(found) == 1 and found[0].usable:
            slot.advance(self._connection, found[0], min(upto))

    def _kept_slot(self, token: str, kept: Mapping[str, int]) -> str | None:
        """The slot of logs that stay, if they are whole."""
        found = slot.slots(self._connection, token)
        if len(found) == 1 and found[0].usable:
            there = publication.members(self._connection, token, found[0].name)
            if any(n in there and there[n].number == number for n, number in kept.items()):
                return found[0].name
        return None

    def _new_slot(self, token: str) -> str:
        for old in slot.slots(self._connection, token):
            slot.drop(self._connection, old.name)
        publication.create(self._connection, token)
        name = log_name(token, fresh_number())
        slot.create(self._connection, name)
        return name

    def _hold(self, name: str) -> None:
        """Keep writers away. All who wrote before the slot was made are over then, and seen by every later snapshot: the slot
        tells nothing of them. Readers are kept away only where the table has to be altered."""
        found = self._connection.rows(
            """SELECT relreplident = 'f' FROM pg_class WHERE relname = %s
                  AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())""",
            (name,),
        )
        mode = "SHARE ROW EXCLUSIVE" if found and found[0][0] else "ACCESS EXCLUSIVE"
        self._connection.run(f"LOCK TABLE ONLY {quote(name)} IN {mode} MODE")

    @contextmanager
    def _rights(self) -> Iterator[None]:
        try:
            yield
        except BelvedereError as e:
            if sqlstate(e) != "42501":
                raise
            raise BelvedereError(
                f"source {self.name!r}: changes={LOGICAL!r} needs a role that may make a publication (grant create on database) "
                f"and owns the tables; {' '.join(str(e.__cause__).split())}. Use such a role, or attach with changes={TRIGGERS!r}"
            ) from e

    @contextmanager
    def _state(self, tables: Mapping[str, TableInfo], watch: Watch | None) -> Iterator[PostgresSnapshot]:
        with ExitStack() as stack:

            def another() -> Connection:
                made = Connection(self.name, self._connection.address)
                stack.callback(made.close)
                return made

            yield LogicalSnapshot(self._connection, tables, watch, another)
