"""The sources of one piece of work, each opened once and read in one snapshot.

A change log that cannot tell the whole story any more is installed anew before the snapshot that counts, so that nothing falls
between the two; who read the old log then finds that its position is of another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType

import pyarrow as pa

from belvedere.errors import BelvedereError, Conflict, UnknownName
from belvedere.sources.opening import open_source
from belvedere.sources.source import LOG, LogLost, Position, Snapshot, Source, TableInfo, Watch
from belvedere.store.faults import point
from belvedere.store.store import Store
from belvedere.warehouse.sources.attached import ATTACHED, Attached, check_unread

#: how often a log that is lost while we look is installed again
TRIES = 3


@dataclass
class Site:
    """A source in one state: `attached` with its logs as they are now, and tables whose logs were lost, with the reason."""

    attached: Attached
    snapshot: Snapshot
    lost: Mapping[str, str]
    asked_for: tuple[str, ...]
    #: changed rows that were read, per table
    seen: dict[str, int] = field(default_factory=dict)
    _changes: dict[tuple[str, str], pa.Table] = field(default_factory=dict)

    def changes(self, table: str, after: Position) -> pa.Table:
        """What came and went since a position; LogLost with the reason."""
        if table in self.lost:
            raise LogLost(table, self.lost[table])
        key = (table, repr(after))
        if key not in self._changes:
            self._changes[key] = self.snapshot.changes(table, after)
            self.seen[table] = max(self.seen.get(table, 0), self._changes[key].num_rows)
        return self._changes[key]


class Sites:
    """Opens sources when they are first asked for; one that fails is not tried again. Lost logs are installed anew if `mend`."""

    def __init__(
        self, store: Store, known: Mapping[str, Attached], tables: Mapping[str, Iterable[str]], *, mend: bool = True
    ) -> None:
        self.store = store
        self.known = known
        self.mend = mend
        self.tables = {s: sorted(set(t)) for s, t in tables.items()}
        self.sites: dict[str, Site] = {}
        self.failed: dict[str, BelvedereError] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Sites:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def site(self, name: str) -> Site:
        """The source in its one state; the error that it failed with."""
        if name in self.failed:
            raise self.failed[name]
        if name not in self.sites:
            try:
                self.sites[name] = self._open(name)
            except Conflict:
                raise
            except BelvedereError as e:
                self.failed[name] = e
                raise
        return self.sites[name]

    def _open(self, name: str) -> Site:
        attached = self.known.get(name)
        if attached is None or attached.state != ATTACHED:
            raise UnknownName(f"the source {name!r} is not attached")
        source = open_source(name, attached.address)
        self._stack.callback(source.close)
        return self._look(source, attached)

    def _look(self, source: Source, attached: Attached) -> Site:
        names, watch = self.tables[attached.name], attached.watch
        lost: dict[str, str] = {}
        for _ in range(TRIES):
            with ExitStack() as stack:
                snapshot = stack.enter_context(source.snapshot(names, watch))
                newly = _broken(attached.name, snapshot, watch, lost)
                if not newly or not self.mend:
                    self._stack.push(stack.pop_all())
                    point("sync.read")
                    return Site(replace(attached, watch=watch), snapshot, lost | newly, tuple(names))
                found = [snapshot.tables[n] for n in newly]
            check_unread(self.store, attached)
            lost |= newly
            watch = source.watch(watch, found)
            point("sync.watched")
        raise BelvedereError(
            f"source {attached.name!r}: its tables are altered faster than they can be read ({', '.join(sorted(lost))}); "
            "run refresh again when that is over"
        )


def _broken(source: str, snapshot: Snapshot, watch: Watch, lost: Mapping[str, str]) -> dict[str, str]:
    """Tables that need a new log, and why."""
    newly: dict[str, str] = {}
    here = snapshot.position()
    for name, info in snapshot.tables.items():
        _check_follow(source, info)
        if name in lost and watch.stamps.get(name) == info.stamp:
            continue
        try:
            snapshot.changes(name, here)
        except LogLost as e:
            newly[name] = e.why
    return newly


def _check_follow(source: str, info: TableInfo) -> None:
    if info.follow != LOG:
        raise BelvedereError(
            f"source {source!r}: changes of table {info.name!r} can only be found by comparing it with a mirror ({info.why}); "
            "detach it and attach it with mirror=True"
        )
