"""Stored closures follow their tables: after every change the rows are those of the plainest fixpoint, and ranks prove them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.closure.graphs import Chance, Facts, fixpoint, unproved
from tests.closure.language import SHAPES, closures, text

import belvedere as bv
from belvedere.maintenance.reach import Row


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[Any]:
    with closures():
        made = bv.open(tmp_path / "w", engine="duckdb")
        make(made)
        yield made
        made.close()


def make(wh: Any) -> None:
    wh.create_table("seeds", "src string, state int, node string")
    wh.create_table("steps", "s1 int, a string, s2 int, b string")


def insert(wh: Any, table: str, rows: list[dict[str, Any]]) -> None:
    with wh.transaction() as tx:
        tx.insert(table, rows)


def delete(wh: Any, table: str, where: str) -> None:
    with wh.transaction() as tx:
        tx.delete(table, where=where)


def change(wh: Any, before: Facts, after: Facts) -> None:
    """From one graph to another in one transaction."""
    with wh.transaction() as tx:
        for name, columns, old, new in (
            ("seeds", ("src", "state", "node"), before[0], after[0]),
            ("steps", ("s1", "a", "s2", "b"), before[1], after[1]),
        ):
            for row in sorted(old - new):
                tx.delete(name, where=" and ".join(f"{c} = {v!r}" for c, v in zip(columns, row, strict=True)))
            tx.insert(name, [dict(zip(columns, row, strict=True)) for row in sorted(new - old)])


def stored(wh: Any, view: str, stage: int = 0) -> dict[Row, int]:
    """The rows of a closure's stage, with their ranks."""
    from belvedere.algebra.ops import Consolidate
    from belvedere.warehouse.resolve import Resolver

    get = wh.registry.definition(view).plan.stages[stage].get()
    table, _ = wh.core.duckdb.run(Consolidate(get), Resolver(wh.core.store, until=wh.core.store.epoch))
    assert set(table.column("_w").to_pylist()) <= {1}
    return {(r["src"], r["state"], r["node"]): r["rank"] for r in table.to_pylist()}


@pytest.mark.parametrize("number", range(4))
def test_random_changes(wh: Any, number: int) -> None:
    chance = Chance(number + 100)
    facts = chance.facts()
    change(wh, (frozenset(), frozenset()), facts)
    for shape in SHAPES:
        wh.create_view(shape, text(shape))
    for _ in range(5):
        rows = stored(wh, "plain")
        assert set(rows) == fixpoint(*facts)
        assert unproved(rows, *facts) == []
        after = chance.changed(facts)
        change(wh, facts, after)
        for shape in SHAPES:
            wh.view(shape).refresh(strategy="incremental")
            checked = wh.view(shape).verify()
            assert checked.ok, f"{shape}: {checked}"
        facts = after


def test_one_stage_for_equal_closures(wh: Any) -> None:
    wh.create_view("twice", text("twice"))
    kinds = [s.kind for s in wh.registry.definition("twice").plan.stages]
    assert kinds.count("closure") == 2


def test_steps_that_come_from_a_join_and_for_two_reasons(wh: Any) -> None:
    """Two edges of different labels make one step; it stays while one of them does."""
    wh.create_table("edges", "source string, label string, target string", key=("source", "label", "target"))
    wh.create_table("labels", "s1 int, label string, s2 int")
    insert(wh, "labels", [{"s1": 0, "label": "x", "s2": 0}, {"s1": 0, "label": "y", "s2": 0}])
    insert(wh, "seeds", [{"src": "r", "state": 0, "node": "r"}])
    steps = "select l.s1, e.source, l.s2, e.target from edges e join labels l on e.label = l.label"
    wh.create_view("v", text("plain", steps=steps), mode="immediate")
    for edge in (("r", "x", "a"), ("r", "y", "a"), ("a", "x", "b"), ("b", "y", "a"), ("a", "z", "c")):
        insert(wh, "edges", [dict(zip(("source", "label", "target"), edge, strict=True))])
    assert set(stored(wh, "v")) == {("r", 0, n) for n in "rab"}
    delete(wh, "edges", "source = 'r' and label = 'x'")
    assert set(stored(wh, "v")) == {("r", 0, n) for n in "rab"}
    delete(wh, "edges", "source = 'r' and label = 'y'")
    assert set(stored(wh, "v")) == {("r", 0, "r")}
    insert(wh, "labels", [{"s1": 0, "label": "z", "s2": 1}])
    insert(wh, "edges", [{"source": "r", "label": "z", "target": "b"}])
    assert set(stored(wh, "v")) == {("r", 0, "r"), ("r", 1, "b")}
    assert wh.view("v").verify().ok


def test_nulls_and_duplicates(wh: Any) -> None:
    wh.create_view("v", text("plain"), mode="immediate")
    insert(wh, "seeds", [{"src": "x", "state": 0, "node": "x"}] * 2 + [{"src": None, "state": 0, "node": "x"}])
    insert(wh, "steps", [{"s1": 0, "a": "x", "s2": 0, "b": "y"}] * 3 + [{"s1": 0, "a": "x", "s2": None, "b": "z"}])
    assert set(stored(wh, "v")) == {("x", 0, "x"), ("x", 0, "y")}
    assert wh.view("v").verify().ok
    delete(wh, "seeds", "src is null")
    assert set(stored(wh, "v")) == {("x", 0, "x"), ("x", 0, "y")}
    assert wh.view("v").verify().ok


def test_explain_shows_what_runs(wh: Any) -> None:
    wh.create_view("v", text("plain"))
    shown = wh.view("v").explain()
    assert "Closure of seeds under steps, ranked" in shown
    for word in ("the change of its steps", "steps into nodes", "rows by themselves"):
        assert word in shown
    insert(wh, "steps", [{"s1": 0, "a": "x", "s2": 0, "b": "y"}])
    report = wh.view("v").refresh(strategy="incremental")
    assert [s.rule for s in report.steps] == ["what went with no other way to it is removed, what can be reached now is added"]


def test_a_query_over_an_earlier_epoch_and_a_view_over_the_view(wh: Any) -> None:
    wh.create_view("v", text("plain"), mode="immediate")
    wh.create_view("w", "select node, count(*) n from v group by node", mode="immediate")
    insert(wh, "seeds", [{"src": "x", "state": 0, "node": "x"}])
    epoch = wh.core.store.epoch
    insert(wh, "steps", [{"s1": 0, "a": "x", "s2": 0, "b": "y"}, {"s1": 0, "a": "y", "s2": 0, "b": "x"}])
    assert len(wh.view("v").rows()) == 2
    assert len(wh.view("v").rows(epoch)) == 1
    delete(wh, "seeds", "true")
    assert wh.view("w").rows() == []
    assert wh.view("w").verify().ok


def test_a_long_chain_is_not_walked_by_lookups(wh: Any) -> None:
    """Cut at its head and mended again: far fewer statements than it has links."""
    links = [{"s1": 0, "a": f"n{i}", "s2": 0, "b": f"n{i + 1}"} for i in range(300)]
    insert(wh, "steps", links)
    insert(wh, "seeds", [{"src": "x", "state": 0, "node": "n0"}])
    wh.create_view("v", text("plain"))
    for n in (1, 301):
        if n == 1:
            delete(wh, "steps", "a = 'n0'")
        else:
            insert(wh, "steps", links[:1])
        report = wh.view("v").refresh(strategy="incremental")
        assert len(stored(wh, "v")) == n
        assert report.steps[0].sql.count(";\n\n") < 60
    assert wh.view("v").verify().ok
