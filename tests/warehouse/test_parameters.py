"""Parameters: the way out for views that depend on the clock, or on anything else that is not data."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.warehouse.helpers import bag, order, unchanged

import belvedere as bv

DAY = dt.date(2026, 11, 1)


@pytest.fixture
def days(wh: bv.Warehouse) -> bv.Warehouse:
    wh.create_table("t", "id bigint, d date, n int", key="id")
    with wh.transaction() as tx:
        tx.insert("t", [{"id": i, "d": DAY + dt.timedelta(days=i), "n": i % 2} for i in range(6)])
    return wh


def ids(view: bv.View) -> list[int]:
    return sorted(r["id"] for r in view.rows())


@pytest.mark.parametrize("text", ["d > current_date", "d > current_date()", "d > now()"])
def test_the_clock_is_refused_with_the_way_out(days: bv.Warehouse, text: str) -> None:
    with unchanged(days), pytest.raises(bv.Unsupported, match=r"depends on when it is asked.*:today.*bind\(today=…\)"):
        days.create_view("v", f"select id from t where {text}")


@pytest.mark.parametrize("mode", ["immediate", "deferred"])
def test_a_view_of_a_day(days: bv.Warehouse, mode: str) -> None:
    fourth = DAY + dt.timedelta(days=4)
    view = days.create_view("v", "select id from t where d >= :today", parameters={"today": fourth}, mode=mode)
    over = days.create_view("over", "select count(*) n from v", mode=mode)
    assert ids(view) == [4, 5]
    with days.transaction() as tx:
        tx.insert("t", [{"id": 10, "d": DAY}, {"id": 11, "d": DAY + dt.timedelta(days=9)}])
    days.refresh()
    assert ids(view) == [4, 5, 11]
    assert view.history()[-1]["strategy"] == "incremental"
    view.bind(TODAY=DAY + dt.timedelta(days=9))
    assert view.status == "stale"
    reason = "its parameter 'today' was bound to '2026-11-10' since it was computed"
    assert view.reason == reason
    assert f"next refresh: recompute ({reason})" in view.explain()
    assert "'today' was bound" in over.reason
    assert ids(view) == [4, 5, 11]  # what it was last brought up to
    assert view.verify().ok
    with pytest.raises(bv.NotIncremental, match="'today' was bound"):
        view.refresh("incremental")
    reports = {r.view: r for r in days.refresh()}
    assert (reports["v"].strategy, reports["v"].reason) == ("recompute", reason)
    assert ids(view) == [11]
    assert over.rows() == [{"n": 1}]
    with days.transaction() as tx:
        tx.delete("t", key=11)
    assert days.refresh()
    assert (ids(view), over.rows()) == ([], [{"n": 0}])
    assert view.verify().ok
    assert "incremental" in {r["strategy"] for r in view.history()[-1:]}


def test_a_day_irrelevant_to_the_view_costs_nothing(days: bv.Warehouse) -> None:
    view = days.create_view("v", "select id from t where d >= :today", parameters={"today": DAY})
    with days.transaction() as tx:
        tx.insert("t", {"id": 10, "d": DAY - dt.timedelta(days=1)})
    assert view.refresh().strategy == "none"


def test_in_the_end_of_a_view_it_does_not_shine_through(days: bv.Warehouse) -> None:
    """A condition over a group is evaluated on reading, unless a parameter stands in it."""
    view = days.create_view("v", "select n, count(*) c from t group by n having count(*) > :least", parameters={"least": 1})
    over = days.create_view("over", "select sum(c) s from v")
    since = view.epoch
    view.bind(least=5)
    assert len(view.rows()) == 2
    days.refresh()
    assert view.rows() == []
    assert over.rows() == [{"s": None}]
    assert sorted(r["_w"] for r in view.changes(since)) == [-1, -1]
    assert len(view.rows(epoch=since)) == 2
    assert view.verify().ok


def test_values_are_kept(place: Path) -> None:
    with bv.open(place / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id bigint")
        with wh.transaction() as tx:
            tx.insert("t", [{"id": 1}, {"id": 2}])
        wh.create_view("v", "select id from t where id >= :low", parameters={"low": 2})
    with bv.open(place / "wh", engine="duckdb") as wh:
        assert wh.view("v").status == "fresh"
        assert wh.view("v").rows() == [{"id": 2}]
        wh.view("v").bind(low=1)
    with bv.open(place / "wh", engine="duckdb") as wh:
        assert wh.view("v").status == "stale"
        assert wh.refresh()[0].strategy == "recompute"
        assert len(wh.view("v").rows()) == 2
        epoch = wh.epoch
        wh.view("v").bind(low=1)  # as it is
        assert (wh.epoch, wh.view("v").status) == (epoch, "fresh")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "boolean"), (False, "boolean"), (0, "bigint"), (-5, "bigint"), (-(2**63), "bigint"), (1.5, "double"),
        (-1e300, "double"), (float("inf"), "double"), ("it's a \\ \"test\" :x", "string"), ("", "string"),
        (b"\x00\xff", "binary"),
        (DAY, "date"), (dt.datetime(2026, 1, 2, 3, 4, 5, 6, dt.UTC), "timestamp"), (Decimal("-12.50"), "decimal(4,2)"),
        (Decimal("1E+3"), "decimal(4,0)"),
    ],
)  # fmt: skip
def test_values_of_all_types(wh: bv.Warehouse, value: Any, kind: str) -> None:
    result = wh.query("select :x as x", parameters={"x": value})
    assert result.rows() == [{"x": value}]
    assert str(wh.bound("select :x as x", parameters={"x": value}).node.schema["x"].type) == kind


def test_naive_times_are_utc(wh: bv.Warehouse) -> None:
    rows = wh.query("select :x as x", parameters={"x": dt.datetime(2026, 1, 2)}).rows()
    assert rows == [{"x": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)}]
    zone = dt.timezone(dt.timedelta(hours=2))
    rows = wh.query("select :x as x", parameters={"x": dt.datetime(2026, 1, 2, 2, tzinfo=zone)}).rows()
    assert rows == [{"x": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)}]


def test_everywhere_in_a_text(shop: bv.Warehouse) -> None:
    view = shop.create_view(
        "v",
        "with o as (select * from orders where amount >= :low) "
        "select customer, sum(amount * :rate) s, :label as label from o "
        "where exists (select 1 from customers c where c.id = o.customer and c.city <> :label) "
        "group by customer order by customer limit :n",
        parameters={"low": Decimal("1.00"), "rate": 2, "label": "Oslo", "n": 1},
    )
    assert bag(view.rows()) == bag([{"customer": 7, "s": Decimal("21.50"), "label": "Oslo"}])
    with shop.transaction() as tx:
        tx.insert("orders", order(9, 7, "1.00"))
    shop.refresh()
    assert view.verify().ok
    view.bind(n=2, label="Bern", rate=3)
    shop.refresh()
    assert bag(view.rows()) == bag([{"customer": 8, "s": Decimal("12.00"), "label": "Bern"}])
    assert view.verify().ok


@pytest.mark.parametrize(
    ("text", "parameters", "kind", "message"),
    [
        ("select id from t where d > :today", None, bv.UnknownName, r":today has no value; give it in param.*\n.*column 28"),
        ("select id from t where d > :today", {"toady": DAY}, bv.UnknownName, "did you mean 'toady'"),
        ("select id from t", {"today": DAY}, bv.UnknownName, "there is no :today in the text"),
        ("select id from t where d > ?", {"today": DAY}, bv.Unsupported, r"\? is a parameter without a name"),
        ("select id from t where d > :today", {"today": None}, bv.TypeMismatch, "NULL has no type"),
        ("select id from t where d > :today", {"today": [1]}, bv.TypeMismatch, "give a bool, int"),
        ("select id from t where d > :today", {"today": 2**70}, bv.TypeMismatch, "does not fit"),
        ("select id from t where d > :today", {"today": 5}, bv.TypeMismatch, "date and bigint"),
        ("select id from t where d > :today", [DAY], bv.BelvedereError, "parameters= takes a dict"),
        ("select id from t limit :n", {"n": -1}, bv.BelvedereError, "limit"),
    ],
)
def test_parameters_that_do_not_fit(days: bv.Warehouse, text: str, parameters: Any, kind: type[Exception], message: str) -> None:
    with unchanged(days), pytest.raises(kind, match=f"(?s){message}"):
        days.create_view("v", text, parameters=parameters)


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ({}, bv.BelvedereError, "at least one parameter"),
        ({"toady": DAY}, bv.UnknownName, "view 'v' has no parameter 'toady'; did you mean 'today'"),
        ({"today": "2026-11-01"}, bv.TypeMismatch, "parameter 'today' of view 'v' is a date, and '2026-11-01' is a string"),
        ({"today": None}, bv.TypeMismatch, "NULL has no type"),
    ],
)
def test_values_that_cannot_be_bound(days: bv.Warehouse, values: dict[str, Any], kind: type[Exception], message: str) -> None:
    view = days.create_view("v", "select id from t where d > :today", parameters={"today": DAY})
    plain = days.create_view("plain", "select id from t")
    with unchanged(days), pytest.raises(kind, match=message):
        view.bind(**values)
    with unchanged(days), pytest.raises(bv.UnknownName, match="has no parameter 'x'; it has none"):
        plain.bind(x=1)


def test_parameters_belong_in_queries(days: bv.Warehouse) -> None:
    with pytest.raises(bv.Unsupported, match=":x is a parameter"), days.transaction() as tx:
        tx.delete("t", where="id = :x")
