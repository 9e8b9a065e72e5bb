"""Every strategy gives exactly the new view minus the old one, over random views and changes, while others write."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.sources.maintain.cases import Case, Databases, make
from tests.sources.maintain.duck import Duck
from tests.sources.maintain.setting import MakeSite, agree, names, setting

from belvedere.changes.zset import equal
from belvedere.planning.sources.choice import choose
from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.experience import Experience
from belvedere.planning.sources.grouping import paths
from belvedere.planning.sources.strategies import batch as planned_batch
from belvedere.sources.maintain.batch import batch, sequential
from belvedere.sources.maintain.graph import view_graph
from belvedere.sources.maintain.grouping import grouping
from belvedere.sources.maintain.prepare import prepared
from belvedere.sources.maintain.probe import probe
from belvedere.sources.maintain.recompute import recompute
from belvedere.sources.maintain.view import JoinView


@pytest.mark.parametrize("seed", range(30))
def test_all_strategies_agree_with_recomputation(seed: int, make_site: MakeSite) -> None:
    agree(seed, make_site)


def linked(shape: str, size: int) -> Case:
    """Every table equal to its neighbours in `v`."""
    case = make(size, shape, size)
    case.parts = [p for p in case.parts if p.alias != "again"]
    edges = [(f"t{0 if shape == 'star' else i - 1}", f"t{i}") for i in range(1, size)]
    edges += [(f"t{size - 1}", "t0")] if shape == "cycle" and size > 2 else []
    case.where, case.outputs = " and ".join(f"{a}.v = {b}.v" for a, b in edges), ["t0.v"]
    return case


@pytest.mark.parametrize("shape", ["chain", "star", "cycle"])
@pytest.mark.parametrize("size", [2, 3, 6])
def test_query_counts_at_the_sources(shape: str, size: int, make_site: MakeSite) -> None:
    """n(n-1) for batch, 2(n-1) for grouping, when everything changed and something always comes back."""
    case = linked(shape, size)
    databases, here = Databases(case, make_site), Duck()
    for name in databases.sources:
        databases.execute(name, "insert into items values (5000, 1, 1, 'x', 77)")
    with databases.snapshots() as before:
        positions = {n: s.position() for n, s in before.items()}
    for name in databases.sources:
        databases.execute(name, "insert into items values (5001, 1, 1, 'x', 77)")
    with databases.snapshots() as now:
        infos = databases.infos(now)
        view = case.view(infos)
        changes = {(n, "items"): s.changes("items", positions[n]) for n, s in now.items()}
        work = prepared(view, now, changes, here)
        costing = Costing(view_graph(view, infos, {a: d.num_rows for a, d in work.deltas.items()}))
        expected = pa.table({"o0": [77], "_w": [2**size - 1]})
        assert equal(batch(work, planned_batch(costing).orders), expected)
        assert len(work.asked) == size * (size - 1)
        path = next(paths(costing), None)
        assert (path is None) == (shape == "star" and size > 3)
        if path is not None:
            grouped = prepared(view, now, changes, here)
            assert equal(grouping(grouped, names(costing, path)), expected)
            assert [a.kind for a in grouped.asked] == ["up"] * (size - 1) + ["down"] * (size - 1)
        alone = prepared(view, now, changes, here)
        sequential(alone, planned_batch(costing).orders)
        assert len(alone.asked) == size * (size - 1)
        whole = prepared(view, now, changes, here)
        recompute(whole)
        assert len(whole.asked) == size
    databases.close()


def test_nothing_changed_asks_nothing(make_site: MakeSite) -> None:
    with setting(make(3), make_site, []) as s:
        work = s.work()
        assert batch(work, []).num_rows == 0
        path = next(paths(s.costing(work)), None)
        if path is not None:
            assert grouping(work, names(s.costing(work), path)).num_rows == 0
        assert work.asked == []


def test_a_change_the_view_does_not_use_asks_nothing(make_site: MakeSite) -> None:
    case = linked("chain", 3)
    case.where, case.outputs = "t0.a = t1.a and t1.b = t2.b and t0.a > 2", ["t2.id"]
    databases = Databases(case, make_site)
    for name in databases.sources:
        databases.execute(name, "insert into items values (7000, 3, 3, 'x', 1)")
    with databases.snapshots() as before:
        positions = {n: s.position() for n, s in before.items()}
    databases.execute("s0", "update items set s = 'other', v = 9", "insert into items values (8000, 1, 1, 'x', 1)")
    with databases.snapshots() as now:
        work = prepared(
            case.view(databases.infos(now)), now, {(n, "items"): s.changes("items", positions[n]) for n, s in now.items()}, Duck()
        )
        assert {a: d.num_rows for a, d in work.deltas.items()} == {"t0": 0, "t1": 0, "t2": 0}
    databases.close()


def test_the_chosen_plan_runs_as_planned(make_site: MakeSite) -> None:
    with setting(make(5, "chain", 4), make_site, ["s0", "s1", "s2", "s3"]) as s:
        work = s.work()
        decision = choose(s.costing(work).graph, allowed=["batch", "grouping"])
        run = batch(work, decision.plan.orders) if decision.plan.strategy == "batch" else grouping(work, decision.plan.orders[0])
        assert equal(run, s.expected)
        assert len(work.asked) <= decision.plan.asked
        planned = {(q.kind, q.origins, q.to, q.version) for q in decision.plan.queries}
        assert {(a.kind, a.origins, a.to, a.version) for a in work.asked} <= planned


def test_probing_finds_costs_and_join_factors_of_every_hop(make_site: MakeSite) -> None:
    databases = Databases(linked("cycle", 3), make_site)
    for name in databases.sources:
        databases.execute(name, *(f"insert into items values ({9000 + i}, 1, 1, 'x', {100 + i // 3})" for i in range(30)))
    with databases.snapshots() as now:
        infos = databases.infos(now)
        view = databases.case.view(infos)
        known = Experience(keep=1.0)
        for asked in probe(prepared(view, now, {}, Duck()), (5, 50)):
            known.observe(asked)
        graph = known.applied_to(view_graph(view, infos, {}))
    edges = {(frozenset((a,)), b) for a in view_names(view) for b in view_names(view) if a != b}
    assert edges <= known.fits.keys()
    assert {(frozenset({"t0", "t1", "t2"} - {to}), to) for to in view_names(view)} <= known.fits.keys()
    assert all(1 < d.factor < 30 for d in graph.directions().values())
    databases.close()


def view_names(view: JoinView) -> list[str]:
    return [p.alias for p in view.parts]
