"""The changes of a source since they were last read, brought into a transaction.

Everything is read in one snapshot. A table whose change log cannot tell the whole story any more (it was altered, emptied, or
never had one) is compared with its mirror instead; where a log can be had, a new one is installed before the comparison reads,
so that nothing falls between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.changes.rows import arrow_schema
from belvedere.changes.zset import add, consolidate, negate, weighted
from belvedere.errors import BelvedereError, KeyViolation, SourceUnavailable
from belvedere.sources.opening import open_source
from belvedere.sources.source import LOG, LogLost, Snapshot, Source, TableInfo, worth_moving
from belvedere.store.faults import point
from belvedere.store.model import Collection
from belvedere.warehouse.sources.attached import Attached, Shape, check_unread
from belvedere.warehouse.sources.mirrors import SOURCE, mirror_name
from belvedere.warehouse.sources.shape import reshape, reshaping, same_values
from belvedere.warehouse.tables import check_name, new_table
from belvedere.warehouse.transaction import Transaction

#: how often a log that is lost while we look is installed again
TRIES = 3


@dataclass
class Pulled:
    """What came of one source: rows per table, tables that were compared and why, those that came, went or got other columns, new
    ones that cannot be followed and why, and the source as it is now."""

    attached: Attached
    rows: dict[str, int] = field(default_factory=dict)
    compared: dict[str, str] = field(default_factory=dict)
    reshaped: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    changed: bool = False


def pull(tx: Transaction, attached: Attached) -> Pulled:
    """Read a mirrored source and write its changes into the transaction. Nothing is written if it raises."""
    source = open_source(attached.name, attached.address)
    try:
        return _Pull(tx, attached, source).run()
    finally:
        source.close()


class _Pull:
    def __init__(self, tx: Transaction, attached: Attached, source: Source) -> None:
        self.tx = tx
        self.attached = attached
        self.source = source
        self.watch = attached.watch
        self.result = Pulled(attached)

    def run(self) -> Pulled:
        names = [*self.attached.tables, *self._new()]
        lost: dict[str, str] = {}
        for _ in range(TRIES):
            with self.source.snapshot(names, self.watch) as snapshot:
                deltas, newly = self._look(snapshot, lost)
                if not newly:
                    point("sync.read")
                    return self._apply(snapshot, deltas, lost)
                found = [snapshot.tables[n] for n in newly]
            check_unread(self.tx.core.store, self.attached)
            lost |= newly
            self.watch = self.source.watch(self.watch, found)
            point("sync.watched")
        raise BelvedereError(
            f"source {self.attached.name!r}: its tables are altered faster than they can be read ({', '.join(sorted(lost))}); "
            "run sync again when that is over"
        )

    def _new(self) -> list[str]:
        """Tables that were made since. One that cannot be followed is left out, so that it does not hold up the others."""
        found: list[str] = []
        for name in self.source.names() if self.attached.every else ():
            if name in self.attached.tables:
                continue
            try:
                self.source.describe([name])
                check_name(self.tx.registry, mirror_name(self.attached.name, name), "table")
                if name.lower() in (n.lower() for n in found):
                    raise BelvedereError(f"there is another table {name!r} that differs in case only")
                found.append(name)
            except SourceUnavailable:
                raise
            except BelvedereError as e:
                self.result.left_out[name] = str(e)
        return found

    def _look(self, snapshot: Snapshot, lost: dict[str, str]) -> tuple[dict[str, pa.Table], dict[str, str]]:
        """The deltas that the logs tell, and tables that need a new log, with the reason."""
        deltas: dict[str, pa.Table] = {}
        newly: dict[str, str] = {}
        for name, info in snapshot.tables.items():
            if name in lost and self.watch.stamps.get(name) == info.stamp:
                continue
            try:
                if info.follow == LOG and not self._moved(info):
                    deltas[name] = snapshot.changes(name, self.attached.position)
                elif info.follow == LOG or name in self.watch.tables:
                    newly[name] = "its columns changed" if name in self.attached.tables else "it is new"
            except LogLost as e:
                newly[name] = e.why
        return deltas, newly

    def _moved(self, info: TableInfo) -> bool:
        mirror = self._mirror(info.name)
        return mirror is None or Shape.of(info) != self.attached.tables[info.name]

    def _mirror(self, table: str) -> Collection | None:
        return self.tx.registry.all_collections().get(mirror_name(self.attached.name, table))

    def _apply(self, snapshot: Snapshot, deltas: dict[str, pa.Table], lost: dict[str, str]) -> Pulled:
        result, tx = self.result, self.tx
        compared = [i for n, i in snapshot.tables.items() if n not in deltas and (i.follow == LOG or not self._same(snapshot, i))]
        # all that the source can fail at comes first, so that a transaction of several sources can leave this one out
        whole = {i.name: all_rows(i, snapshot) for i in compared}
        for name, rows in (deltas | whole).items():
            check_keys(self.attached.name, snapshot.tables[name], rows)
        tx.following = True
        shapes = dict(self.attached.tables)
        for name in dict.fromkeys((*self.attached.tables, *snapshot.tables)):
            info = snapshot.tables.get(name)
            if info is None:
                self._vanished(name)
            elif name in deltas:
                self._write(name, deltas[name])
            elif name in whole:
                self._reshape(info, whole[name])
                shapes[name] = Shape.of(info)
                result.compared[name] = lost.get(name) or info.why
                self._write(name, difference(tx, self._need(name), whole[name]))
        position = snapshot.position()
        shape_changed = shapes != self.attached.tables or self.watch != self.attached.watch or bool(result.reshaped)
        result.changed = shape_changed or any(result.rows.values()) or worth_moving(self.attached.position, position)
        result.attached = replace(self.attached, tables=shapes, watch=self.watch, position=position)
        if shape_changed:
            result.attached.put(tx.commit)
        elif result.changed:
            result.attached.put_position(tx.commit)
        return result

    def _same(self, snapshot: Snapshot, info: TableInfo) -> bool:
        """A table that is compared, and of which the source can tell that nothing has changed."""
        before = self.attached.position.get("unchanged", {}).get(info.name)
        return before is not None and bool(before == snapshot.position().get("unchanged", {}).get(info.name))

    def _vanished(self, name: str) -> None:
        if self._mirror(name) is not None:
            self.tx.drop_relation(mirror_name(self.attached.name, name))
            self.result.reshaped.append(name)

    def _need(self, name: str) -> Collection:
        found = self._mirror(name)
        assert found is not None, name
        return found

    def _reshape(self, info: TableInfo, rows: pa.Table) -> None:
        """The mirror as the source's table is now, made if there is none."""
        tx, full, mirror = self.tx, mirror_name(self.attached.name, info.name), self._mirror(info.name)
        if mirror is not None:
            agree = (lambda old, new: True) if info.permanent else same_values(tx, mirror, info.key, rows)
            change = reshaping(self.attached.tables[info.name], Shape.of(info), agree)
            if change.nothing:
                return
            if not change.anew:
                reshape(tx, full, change)
                self.result.reshaped.append(info.name)
                return
            tx.drop_relation(full)
        make_mirror(tx, self.attached.name, info)
        self.result.reshaped.append(info.name)

    def _write(self, name: str, delta: pa.Table) -> None:
        c = self._need(name)
        self.result.rows[name] = delta.num_rows
        if delta.num_rows:
            self.tx.apply(c, delta)


def make_mirror(tx: Transaction, source: str, info: TableInfo) -> Collection:
    return new_table(
        tx.registry, tx.commit, tx.overlay, mirror_name(source, info.name), info.schema, info.key, properties={SOURCE: source}
    )


def all_rows(info: TableInfo, snapshot: Snapshot) -> pa.Table:
    return pa.concat_tables([arrow_schema(info.schema).empty_table(), *snapshot.read(info.name)])


def check_keys(source: str, info: TableInfo, rows: pa.Table) -> None:
    """SQLite lets NULL into a primary key; we cannot."""
    for key in info.key:
        if rows[key].null_count:
            raise KeyViolation(
                f"source {source!r}: the key column {key!r} of table {info.name!r} is NULL in a row; declare it NOT NULL and "
                "give the row a key"
            )


def difference(tx: Transaction, c: Collection, there: pa.Table) -> pa.Table:
    """What must come and go so that the mirror holds these rows: all of one minus all of the other."""
    here = tx.rows(Get(c.name, c.schema, c.schema.names))
    came = weighted(there.select(list(c.schema.names)))
    went = pa.Table.from_arrays([here[f.name].cast(f.type) for f in came.schema], schema=came.schema)
    return consolidate(add(came, negate(went)))
