"""explain shows what will run, and history what ran."""

from __future__ import annotations

import re

import pytest
from tests.warehouse.helpers import order, watched

import belvedere as bv

JOINED = (
    "select c.city, sum(o.amount) total from orders o join customers c on o.customer = c.id where o.amount > 1 group by c.city"
)


@pytest.fixture
def view(shop: bv.Warehouse) -> bv.View:
    return shop.create_view("by_city", JOINED)


def test_as_data(shop: bv.Warehouse, view: bv.View) -> None:
    with shop.transaction() as tx:
        tx.insert("orders", [order(5, 8, "2.00"), order(6, 8, "3.00")])
    facts = view.explain("dict")
    assert (facts["view"], facts["status"], facts["language"], facts["mode"]) == ("by_city", "stale", "sql", "deferred")
    assert facts["text"] == JOINED
    assert facts["reads"] == {"customers": ["city", "id"], "orders": ["amount", "customer"]}
    assert facts["tests"]["orders"] == ["amount > 1"]
    assert facts["tests"]["customers"] == ["every row"]
    assert facts["pending"] == {"orders": 2}
    assert facts["strategy"] in ("incremental", "recompute")
    assert facts["engine"] == "duckdb"
    assert len(facts["options"]) == 2
    [stage] = facts["stages"]
    assert (stage["name"], stage["kind"]) == ("by_city$1", "aggregate")
    assert stage["rule"] == "old state plus tally of the delta"
    assert "Get orders [delta]" in stage["plan"]
    assert "Get by_city$1 [old]" in stage["plan"]
    assert "SELECT" in stage["sql"]
    assert "by_city$1" in facts["tail"]


def test_the_sql_shown_is_the_sql_that_runs(shop: bv.Warehouse, view: bv.View) -> None:
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "2.00"))
    [stage] = view.explain("dict")["stages"]
    report = view.refresh(strategy="incremental")
    told = re.sub(r" /\*.*?\*/", "", stage["sql"])  # how many rows are in memory, for the reader
    shown = [line.strip() for line in told.splitlines() if "parquet" not in line.lower()]
    ran = [line.strip() for line in report.steps[0].sql.splitlines() if "parquet" not in line.lower()]
    assert shown == ran


def test_as_text(shop: bv.Warehouse, view: bv.View) -> None:
    quiet = view.explain()
    assert quiet.startswith("view by_city: fresh\n")
    assert "orders (amount, customer) where amount > 1" in quiet
    assert "nothing to do: nothing that it reads changed" in quiet
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "2.00"))
    loud = view.explain()
    assert "pending: orders 1 rows" in loud
    assert "next refresh: " in loud
    assert "as SQL:" in loud
    assert "its change:" in loud


def test_as_pictures(view: bv.View) -> None:
    chart = view.explain("mermaid")
    assert chart.startswith("flowchart LR\n")
    assert '"orders"' in chart
    assert '"by_city"' in chart
    assert "-->" in chart
    picture = view.explain("svg")
    assert picture.startswith("<svg")
    assert picture.rstrip().endswith("</svg>")
    assert "orders" in picture
    with pytest.raises(bv.BelvedereError, match="format='pdf' is not known; use text, dict, mermaid or svg"):
        view.explain("pdf")


def test_explaining_reads_no_data(shop: bv.Warehouse, view: bv.View) -> None:
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "2.00"))
    epoch = shop.epoch
    with watched(shop) as cost:
        for form in ("text", "dict", "mermaid", "svg"):
            view.explain(form)
    assert (cost.statements, shop.epoch, view.status) == ([], epoch, "stale")


def test_history_keeps_every_refresh(shop: bv.Warehouse, view: bv.View) -> None:
    made = shop.epoch
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "2.00"))
    incremental = view.refresh(strategy="incremental")
    recompute = view.refresh(strategy="recompute")
    view.refresh()  # nothing to do is nothing to remember
    history = view.history()
    assert [h["strategy"] for h in history] == ["recompute", "incremental", "recompute"]
    assert next(h["reason"] for h in history) == "first extent"
    assert history[0]["epoch"] <= made
    assert [h["epoch"] for h in history][1:] == [incremental.epoch, recompute.epoch]
    for h, r in zip(history[1:], (incremental, recompute), strict=True):
        for field in ("engine", "rows_in", "rows_out", "rows_read", "bytes_read", "rows_written", "bytes_written", "jobs"):
            assert h[field] == getattr(r, field), field
        assert h["seconds"] == pytest.approx(r.seconds)
        assert [s["name"] for s in h["steps"]] == ["by_city$1"]
    assert [h["epoch"] for h in view.history(limit=1)] == [recompute.epoch]


def test_an_invalid_view_explains_itself(shop: bv.Warehouse, view: bv.View) -> None:
    with shop.transaction() as tx:
        tx.drop_attribute("customers", "city")
    text = view.explain()
    assert text.startswith("view by_city: invalid\n")
    assert "city" in text
    assert view.explain("dict")["status"] == "invalid"
