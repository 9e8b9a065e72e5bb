"""A case in the middle of a refresh: old and new content, the change in between, and what the view's change must be."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from tests.servers.sites import Site
from tests.sources.maintain.cases import Case, Databases, content, make
from tests.sources.maintain.duck import Duck

from belvedere.changes.zset import add, consolidate, equal, negate, weighted
from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.grouping import paths
from belvedere.planning.sources.search import sequences
from belvedere.planning.sources.strategies import batch as planned_batch
from belvedere.sources.maintain.batch import batch, sequential
from belvedere.sources.maintain.graph import view_graph
from belvedere.sources.maintain.grouping import grouping
from belvedere.sources.maintain.prepare import prepared
from belvedere.sources.maintain.recompute import recompute
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.maintain.visit import Work
from belvedere.sources.source import Snapshot, TableInfo

MakeSite = Callable[[str], Site]


class Disturbed:
    """A snapshot whose database is written to before every question."""

    def __init__(self, inner: Snapshot, databases: Databases, name: str) -> None:
        self.inner, self.databases, self.name = inner, databases, name

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def ask(self, *given: object) -> pa.Table:
        self.databases.change(self.name, 1)
        return self.inner.ask(*given)  # type: ignore[arg-type]


@dataclass
class Setting:
    """A case in the middle of a refresh."""

    case: Case
    view: JoinView
    here: Duck
    infos: Mapping[str, TableInfo]
    snapshots: Mapping[str, Snapshot]
    changes: dict[tuple[str, str], pa.Table]
    expected: pa.Table
    new: pa.Table

    def work(self, **options: bool) -> Work:
        return prepared(self.view, self.snapshots, self.changes, self.here, **options)

    def costing(self, work: Work) -> Costing:
        return Costing(view_graph(self.view, self.infos, {a: d.num_rows for a, d in work.deltas.items()}))


def state(case: Case, here: Duck, view: JoinView, tables: Mapping[str, pa.Table]) -> pa.Table:
    return weighted(here.sql(case.oracle(), {p.alias: tables[p.source] for p in case.parts}, view.schema))


@contextmanager
def setting(
    case: Case, make_site: MakeSite, changed: list[str] | None = None, systems: Sequence[str] = ("sqlite",)
) -> Iterator[Setting]:
    databases = Databases(case, make_site, systems)
    r, here = case.random, Duck()
    try:
        with databases.snapshots() as before:
            positions = {n: s.position() for n, s in before.items()}
            old = content(before)
        if changed is None:
            changed = [n for n in databases.sources if r.random() < 0.6] or [r.choice(list(databases.sources))]
        for name in changed:
            databases.change(name, r.randint(1, 6))
        with databases.snapshots() as now:
            infos = databases.infos(now)
            view = case.view(infos)
            after = state(case, here, view, content(now))
            expected = consolidate(add(after, negate(state(case, here, view, old))))
            changes = {(n, "items"): s.changes("items", positions[n]) for n, s in now.items()}
            disturbed = {n: Disturbed(s, databases, n) for n, s in now.items()}
            yield Setting(case, view, here, infos, disturbed, changes, expected, after)  # type: ignore[arg-type]
    finally:
        databases.close()


def names(costing: Costing, order: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(costing.names[k] for k in order)


def agree(seed: int, make_site: MakeSite, systems: Sequence[str] = ("sqlite",)) -> None:
    """Every strategy, in orders of the planner's and in random ones."""
    r = random.Random(seed)
    with setting(make(seed), make_site, None, systems) as s:
        work = s.work()
        costing = s.costing(work)
        size = len(s.view.parts)
        changed = [i for i, n in enumerate(costing.names) if work.deltas[n].num_rows]
        planned = planned_batch(costing).orders
        assert equal(batch(work, planned), s.expected)
        assert len(work.asked) <= len(changed) * (size - 1)
        any_order = [names(costing, r.choice(list(sequences(costing, i)))) for i in changed]
        for tuples in (False, True):
            assert equal(batch(s.work(tuples=tuples), any_order), s.expected)
        assert equal(sequential(s.work(), any_order), s.expected)
        found = list(paths(costing))
        for path in r.sample(found, min(3, len(found))):
            grouped = s.work(tuples=r.random() < 0.3)
            assert equal(grouping(grouped, names(costing, path)), s.expected)
            assert len(grouped.asked) <= 2 * (size - 1)
        assert equal(recompute(s.work()), consolidate(s.new))
