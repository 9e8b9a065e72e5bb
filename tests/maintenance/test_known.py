"""Plans that are used again: for what makes no other plan, and where they reckon with more than what changed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import belvedere as bv
from belvedere.maintenance import known
from belvedere.maintenance.known import planned, usable
from belvedere.maintenance.stage_delta import Facts

A, B, C = (frozenset({n}) for n in "abc")

VIEWS = {
    "joined": "select a.id, b.x, c.y from a join b on a.k = b.k join c on b.k = c.k where c.y > 0",
    "summed": "select b.k, sum(a.x) s, count(*) n, max(c.y) m from a join b on a.k = b.k join c on b.k = c.k group by b.k",
    "kept": "select a.id, b.x from a left join b on a.k = b.k and b.x > 1",
    "without": "select id, k from a where not exists (select 1 from b where b.k = a.k) and k in (select k from c)",
    "most": "select a.k, max(b.x) m from a join b on a.k = b.k group by a.k",
    "floats": "select a.k, sum(cast(b.x as double)) s from a join b on a.k = b.k group by a.k",
    "first": "select a.id, b.x from a join b on a.k = b.k order by b.x desc, a.id limit 4",
}


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        for name in "abc":
            wh.create_table(name, "id bigint, k bigint, x bigint, y bigint", key="id")
        rng = random.Random(1)
        with wh.transaction() as tx:
            for name in "abc":
                tx.insert(name, [{"id": i, "k": rng.randrange(4), "x": rng.randrange(4), "y": i % 3} for i in range(12)])
        for name, text in VIEWS.items():
            wh.create_view(name, text)
        yield wh


def plan_of(wh: bv.Warehouse, view: str) -> Any:
    return wh.registry.definition(view).plan


def updated(*names: frozenset[str], columns: frozenset[str] = frozenset({"x"})) -> Facts:
    every = frozenset().union(*names)
    return Facts(every, every, every, dict.fromkeys(every, columns))


def test_columns_of_an_update_make_no_other_plan(wh: bv.Warehouse) -> None:
    plan = plan_of(wh, "joined")
    (stage,) = plan.stages
    first = planned(plan, stage, updated(B, columns=frozenset({"x"})))
    assert planned(plan, stage, updated(B, columns=frozenset({"x", "k"}))) is first
    assert planned(plan, stage, updated(B, columns=frozenset({"y"}))) == (), "it does not read that one"
    assert planned(plan, stage, updated(A, B, columns=frozenset({"x"}))) is first, "of a it does not read that one"


def test_a_plan_for_more_serves_until_what_changed_has_come_often(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "OWN", 3)
    plan = plan_of(wh, "joined")
    (stage,) = plan.stages
    rows = frozenset({"k"})
    wide = usable(plan, stage, updated(A, B, C, columns=rows))
    assert [usable(plan, stage, updated(A, B, columns=rows)) is wide for _ in range(4)] == [True, True, True, False]
    own = planned(plan, stage, updated(A, B, columns=rows))
    assert usable(plan, stage, updated(A, B, columns=rows)) is own
    assert usable(plan, stage, updated(A, columns=rows)) is own, "the one that reckons with least"
    assert usable(plan, stage, updated(columns=rows)) == ()


def test_insertions_are_not_served_by_a_plan_that_reckons_with_deletions(wh: bv.Warehouse) -> None:
    plan = plan_of(wh, "most")
    (stage,) = plan.stages
    usable(plan, stage, updated(A, B, columns=frozenset({"k"})))
    alone = usable(plan, stage, Facts(A, frozenset(), A))
    assert "insertions only" in alone[0].rule
    both = usable(plan, stage, Facts(A | B, frozenset(), A | B))
    assert usable(plan, stage, Facts(B, frozenset(), B)) is both


@pytest.mark.parametrize("seed", range(6))
def test_views_equal_recomputation_whatever_plan_serves(wh: bv.Warehouse, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    served = []
    covers = known._covers

    def noted(wide: known.Key, key: known.Key) -> bool:
        found = covers(wide, key)
        served.append(found)
        return found

    monkeypatch.setattr(known, "_covers", noted)
    rng = random.Random(seed)
    for turn in range(8):
        changed = "abc" if turn == 0 else rng.choice(["a", "b", "c", "ab", "bc", "ac"])
        kinds = ["update", "delete", "insert"] if turn % 3 else ["update"]
        with wh.transaction() as tx:
            for name in changed:
                match rng.choice(kinds):
                    case "update":
                        column = rng.choice("kxy") if turn else "k"
                        tx.update(name, {column: str(rng.randrange(4))}, where=f"id % 5 = {rng.randrange(5)}")
                    case "delete":
                        tx.delete(name, where=f"id % 7 = {rng.randrange(7)}")
                    case _:
                        row = {"k": rng.choice([None, 0, 1]), "x": 2, "y": 1}
                        tx.insert(name, [{"id": 100 * (turn + 1) + i, **row} for i in range(3)])
        for name in VIEWS:
            wh.view(name).refresh(strategy="incremental")
            assert wh.view(name).verify().ok, (seed, turn, name)
    assert any(served), "some plan served for less than it is for"
