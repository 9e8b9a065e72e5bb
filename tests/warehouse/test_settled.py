"""What a definition is, and that what is stored fits it, is found out once for as long as nothing is declared anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import belvedere as bv
from belvedere.warehouse import rebuild


@pytest.fixture
def wh(wh: bv.Warehouse) -> bv.Warehouse:
    wh.create_table("t", "id bigint, k bigint, name string", key="id")
    wh.load("t", [{"id": n, "k": n % 7, "name": "x"} for n in range(100)])
    wh.register_function("double_of", lambda k: 2 * k, ["bigint"], "bigint")
    wh.create_view("v", "select k, count(*) n, max(double_of(id)) m from t group by k")
    wh.create_view("w", "select id, k from t where k > 3")
    return wh


def changed(wh: bv.Warehouse) -> None:
    with wh.transaction() as tx:
        tx.update("t", {"k": "(k + 1) % 7"}, where="id < 9")


def right(wh: bv.Warehouse) -> None:
    changed(wh)
    wh.refresh()
    assert all(v.verify().ok for v in wh.views())


def test_it_stands_while_only_rows_change(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    right(wh)
    asked: list[str] = []
    before = rebuild._shape_reason
    monkeypatch.setattr(rebuild, "_shape_reason", lambda registry, d: asked.append(d.name) or before(registry, d))
    one = wh.registry.definition("v")
    for _ in range(3):
        right(wh)
        assert wh.registry.definition("v") is one
    assert asked == []


@pytest.mark.parametrize(
    "declare",
    [
        lambda wh: wh.execute("alter table t rename column k to kk"),
        lambda wh: wh.execute("alter table t add columns (extra bigint)"),
        lambda wh: wh.execute("alter table t drop columns name"),
        lambda wh: wh.create_table("other", "id bigint"),
        lambda wh: (wh.drop_view("w"), wh.create_view("w", "select id from t where k < 2")),
        lambda wh: wh.register_function("double_of", lambda k: 2 * k + 1, ["bigint"], "bigint"),
        lambda wh: wh.execute("alter table t rename to tt"),
    ],
    ids=["a column is renamed", "a column comes", "a column goes", "a table comes", "a view", "a function", "a table is renamed"],
)
def test_it_is_looked_at_again(wh: bv.Warehouse, declare: Callable[[bv.Warehouse], object]) -> None:
    right(wh)
    declare(wh)
    table = "tt" if "tt" in wh.registry.tables() else "t"
    column = "kk" if "kk" in wh.registry.table(table).schema.names else "k"
    with wh.transaction() as tx:
        tx.update(table, {column: f"({column} + 1) % 7"}, where="id < 9")
    reports = {r.view: r for r in wh.refresh()}
    assert reports.keys() >= {"v", "w"}
    assert all(v.verify().ok for v in wh.views())


def test_a_function_with_other_code_makes_its_view_anew(wh: bv.Warehouse) -> None:
    right(wh)
    wh.register_function("double_of", lambda k: 3 * k, ["bigint"], "bigint")
    changed(wh)
    reports = {r.view: r for r in wh.refresh()}
    assert reports["v"].strategy == "recompute"
    assert "other code" in reports["v"].reason
    assert "code" not in reports["w"].reason
    assert all(v.verify().ok for v in wh.views())


def test_a_table_of_the_same_name_is_another_one(wh: bv.Warehouse) -> None:
    right(wh)
    with wh.transaction() as tx:
        tx.drop_relation("t")
        tx.create_table("t", "id bigint, k bigint, name string", key="id")
    wh.load("t", [{"id": n, "k": n % 3, "name": "y"} for n in range(30)])
    reports = {r.view: r for r in wh.refresh()}
    assert {r.strategy for r in reports.values()} == {"recompute"}
    assert all(v.verify().ok for v in wh.views())
