"""The remote joins of a transaction: brought up to date before the views that stand on them, in the same epoch.

Positions are written with the rows that they stand for, and a source forgets entries only after that, and only those that every
remote join over the table has read. A new remote join touches the document that each such epoch writes (`position` of the
source), so it cannot begin from a state whose later entries somebody has just let be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from belvedere.algebra.ops import Get
from belvedere.errors import BelvedereError, Conflict, InvalidView, StoreError
from belvedere.maintenance.remote import RemoteJoin
from belvedere.sources.opening import open_source
from belvedere.sources.source import LogLost, worth_moving
from belvedere.store.commit import Commit
from belvedere.store.faults import point
from belvedere.store.model import Collection
from belvedere.store.store import Store
from belvedere.warehouse.report import Asking
from belvedere.warehouse.resolve import Overlay
from belvedere.warehouse.sources.attached import KIND, POSITION, Attached
from belvedere.warehouse.sources.bring import Bringing, Brought
from belvedere.warehouse.sources.here import EngineHere
from belvedere.warehouse.sources.joins import digest, join_view, tables_of
from belvedere.warehouse.sources.learned import Learned, consumers, learned
from belvedere.warehouse.sources.readers import remote_tables
from belvedere.warehouse.sources.report import Synced
from belvedere.warehouse.sources.shapes import settle_shapes
from belvedere.warehouse.sources.sites import Site, Sites
from belvedere.warehouse.transaction import Transaction


class Remotes:
    """What came of databases that are not mirrored, view by view."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.asked: dict[str, tuple[Asking, ...]] = {}
        #: why a view could not be brought up to date
        self.failed: dict[str, BelvedereError] = {}
        #: sources that could not be read, or over which a view could not be brought up to date
        self.errors: dict[str, BelvedereError] = {}
        self.rows: dict[str, dict[str, int]] = {}
        self.reshaped: dict[str, list[str]] = {}
        self.moved: dict[str, Attached] = {}

    @property
    def changed(self) -> bool:
        return bool(self.moved)

    def sync(self, known: dict[str, Attached], names: list[str]) -> None:
        """All remote joins over these sources, and tables of theirs that nobody reads."""
        if not names:
            return
        registry = self.tx.registry
        views = [v for v in registry.in_order() if set(names) & remote_tables(registry, v).keys()]
        self.bring(known, views, {}, {n: set(known[n].tables) for n in names})

    def report(self, epoch: int) -> list[Synced]:
        read = [n for n in self.rows if n not in self.errors]
        done = [Synced(n, epoch, self.rows[n], reshaped=tuple(self.reshaped.get(n, ()))) for n in read]
        return done + [Synced(n, epoch, error=str(e)) for n, e in self.errors.items()]

    def bring(
        self, known: dict[str, Attached], views: Iterable[str], strategies: dict[str, str], whole: dict[str, set[str]]
    ) -> None:
        """The remote joins of these views; `strategies` for those that are not to choose themselves. `whole`: tables to look at
        besides."""
        tx = self.tx
        wanted = {v: remote_tables(tx.registry, v) for v in views}
        tables: dict[str, set[str]] = {s: set(t) for s, t in whole.items()}
        for found in wanted.values():
            for source, names in found.items():
                tables.setdefault(source, set()).update(names)
        if not tables:
            return
        with Sites(tx.core.store, known, tables) as sites:
            for source in tables:
                touch(tx.commit, source)
                site = _answering(sites, source)
                if site is not None:
                    self._settle(known[source], site)
            for view, found in wanted.items():
                if found:
                    self._view(view, sites, strategies.get(view, "auto"))
            for source in whole.keys() & sites.sites.keys():
                self._unread(sites.site(source))
            self.errors |= sites.failed
            self.rows = {n: dict(s.seen) for n, s in sites.sites.items()}

    def _settle(self, before: Attached, site: Site) -> None:
        attached, changed = settle_shapes(self.tx, site)
        if changed or attached != before:
            self.reshaped[attached.name] = changed
            site.attached = attached
            attached.put(self.tx.commit)
            self.moved[attached.name] = attached

    def _unread(self, site: Site) -> None:
        """What changed in tables that nobody reads need not be kept at the source either."""
        read = consumers(self.tx.core.store, site.attached.name)
        for table in site.snapshot.tables.keys() - read.keys():
            try:
                some = site.changes(table, site.attached.position).num_rows > 0
                some = some or worth_moving(site.attached.position, site.snapshot.position())
            except LogLost:
                some = True  # read up to nowhere that is known
            if some:
                self.moved[site.attached.name] = moved(self.tx.commit, site)

    def _view(self, name: str, sites: Sites, strategy: str) -> None:
        """All its remote joins, or none: they must be of the same states."""
        try:
            joins = self.tx.registry.definition(name).remotes
        except InvalidView as e:
            self.failed[name] = e
            self._let_go(name, sites)
            return
        try:
            brought = [(j, self._join(j, sites, strategy)) for j in joins]
        except (Conflict, StoreError):
            raise
        except BelvedereError as e:
            self.failed[name] = e
            self.errors |= dict.fromkeys(remote_tables(self.tx.registry, name).keys() - sites.failed.keys(), e)
            return
        for join, b in brought:
            if b.moved:
                self._write(join, b, sites)
        self.asked[name] = tuple(b.asking for _, b in brought)

    def _let_go(self, name: str, sites: Sites) -> None:
        """A view that became invalid with the log of a table does not hold entries of others; valid again, it is read anew."""
        for join in self.tx.registry.document(name).get("remotes", ()):
            before = learned(self.tx.core.store, join, self.tx.commit.base)
            if before is None or not before.positions or not self._lost(before, sites):
                continue
            replace(before, positions={}).put(self.tx.commit, join)
            for source in before.tables:
                site = _answering(sites, source)
                if site is not None:
                    self.moved[source] = moved(self.tx.commit, site)

    def _lost(self, before: Learned, sites: Sites) -> bool:
        """Is a table gone, or its log, so that the positions are of no more use?"""
        for source, tables in before.tables.items():
            site = _answering(sites, source)
            if site is not None and any(t in site.lost or t not in site.snapshot.tables for t in tables):
                return True
        return False

    def _join(self, join: RemoteJoin, sites: Sites, strategy: str) -> Brought:
        tx = self.tx
        known = tx.registry.all_collections()
        view, same = join_view(join, known), digest(join, known)
        bringing = Bringing(join, view, sites, EngineHere(tx.core.duckdb))
        before = learned(tx.core.store, join.name, tx.commit.base)
        if before is None or before.digest != same or join.name not in known:
            fresh = Learned(same, tables_of(view))
            return bringing.first(fresh, "what it reads of other databases has another shape now")
        return bringing.follow(before, lambda: tx.rows(_all(known[join.name])), strategy)

    def _write(self, join: RemoteJoin, b: Brought, sites: Sites) -> None:
        tx = self.tx
        before = learned(tx.core.store, join.name, tx.commit.base)
        stored = tx.registry.all_collections().get(join.name)
        if stored is None or before is None or before.digest != b.learned.digest:
            stored = make(tx.commit, tx.overlay, join, stored)
        tx.write(stored, b.delta)
        b.learned.put(tx.commit, join.name)
        for source in b.learned.tables:
            self.moved[source] = moved(tx.commit, sites.site(source))

    def forget(self) -> None:
        """After publication: what all have read, the sources need not keep. One that is gone meanwhile keeps it, without harm."""
        point("sync.published")
        for attached in self.moved.values():
            with suppress(BelvedereError):
                _forget(self.tx.core.store, attached)
        point("sync.pruned")


def _answering(sites: Sites, source: str) -> Site | None:
    try:
        return sites.site(source)
    except Conflict:
        raise
    except BelvedereError:
        return None


def _forget(store: Store, attached: Attached) -> None:
    read = consumers(store, attached.name)
    for table in attached.tables:
        read.setdefault(table, [attached.position])  # nobody reads it
    source = open_source(attached.name, attached.address)
    try:
        source.prune(attached.watch, read)
    finally:
        source.close()


def touch(commit: Commit, source: str) -> None:
    commit.touch([source], kind=KIND)
    commit.touch([source], kind=POSITION)


def moved(commit: Commit, site: Site) -> Attached:
    """Note in the catalog that somebody has read the source up to this state."""
    site.attached = site.attached.at(site.snapshot.position())
    site.attached.put_position(commit)
    return site.attached


def make(commit: Commit, overlay: Overlay, join: RemoteJoin, old: Collection | None) -> Collection:
    """The collection of a remote join, empty, in place of one of another shape."""
    if old is not None:
        commit.drop_collection(join.name)
    made = commit.create_collection(join.name, "stage", join.schema, sort=join.columns[:1])
    overlay.collections[join.name] = made
    overlay.tables.pop(join.name, None)
    overlay.replaced.add(join.name)
    return made


def _all(c: Collection) -> Get:
    return Get(c.name, c.schema, c.schema.names)

