"""The commands, end to end, on a warehouse in a temporary directory."""

from __future__ import annotations

import json

import pytest
from tests.cli.conftest import BY_CUSTOMER, Shell

FIRST = [{"customer": 7, "n": 2, "total": "10.75"}, {"customer": 8, "n": 1, "total": "4.00"}]


def test_from_nothing_to_a_fresh_view(shop: Shell) -> None:
    assert shop.rows("by_customer") == FIRST
    shop.write("changes.jsonl", '{"op": "insert", "table": "orders", "row": {"id": 4, "customer": 8, "amount": 1}}')
    shop.run("apply", "changes.jsonl")
    [view] = shop.json("status")["views"]
    assert (view["view"], view["status"]) == ("by_customer", "stale")
    [refreshed] = shop.json("refresh")
    assert (refreshed["view"], refreshed["strategy"], refreshed["engine"]) == ("by_customer", "incremental", "duckdb")
    assert shop.rows("by_customer") == [FIRST[0], {"customer": 8, "n": 2, "total": "5.00"}]
    assert shop.json("verify") == [{"view": "by_customer", "ok": True, "missing": 0, "extra": 0}]
    assert shop.json("status")["views"][0]["status"] == "fresh"
    assert shop.run("refresh").strip() == "all views are fresh"


def test_show_reads_tables_and_earlier_epochs(shop: Shell) -> None:
    before = shop.json("status")["epoch"]
    shop.run("execute", "delete from orders where id = 1")
    assert [r["id"] for r in shop.rows("orders")] == [2, 3]
    shop.run("refresh")
    assert len(shop.json("show", "by_customer", "--epoch", str(before))) == 2
    assert shop.json("show", "by_customer", "--epoch", str(before))[0]["total"] in ("10.75", "4.00")


def test_a_cut_is_announced(shop: Shell) -> None:
    from typer.testing import CliRunner

    from belvedere.cli.main import app

    done = CliRunner().invoke(app, ["show", "orders", "--limit", "2", "--json"])
    assert len(json.loads(done.stdout)) == 2
    assert "2 of 3 rows; --limit 0 shows all" in done.stderr


def test_tables_for_people(shop: Shell) -> None:
    said = shop.run("show", "by_customer")
    assert "customer" in said
    assert "10.75" in said
    assert "orders" in shop.run("tables")
    assert "by_customer" in shop.run("view", "list")
    assert "epoch" in shop.run("status")


def test_listings_as_json(shop: Shell) -> None:
    [table] = shop.json("tables")
    assert (table["table"], table["rows"], table["key"]) == ("orders", 3, "id")
    [view] = shop.json("view", "list")
    assert (view["view"], view["status"], view["mode"], view["definition"]) == ("by_customer", "fresh", "deferred", BY_CUSTOMER)


def test_query(shop: Shell) -> None:
    assert shop.json("query", "select count(*) n from orders where amount > 2") == [{"n": 2}]


def test_execute_from_a_file_and_stdin(shop: Shell) -> None:
    shop.write("statement.sql", "insert into orders values (9, 9, 9.00)")
    shop.run("execute", "--file", "statement.sql")
    shop.run("execute", "-", input="update orders set amount = 0 where id = 9")
    assert [r["amount"] for r in shop.rows("orders") if r["id"] == 9] == ["0.00"]
    assert "either as an argument" in shop.run("execute", code=2)
    assert "cannot read nowhere.sql" in shop.run("execute", "--file", "nowhere.sql", code=1)


def test_changes_and_history(shop: Shell) -> None:
    since = shop.json("status")["epoch"]
    shop.run("execute", "insert into orders values (4, 8, 1.00)")
    shop.run("refresh")
    rows = shop.json("changes", "by_customer", "--since", str(since))
    assert len(rows) == 2
    assert {r["customer"] for r in rows} == {8}
    assert sorted(w for r in rows for k, w in r.items() if k not in ("customer", "n", "total")) == [-1, 1]
    assert len(shop.json("history", "by_customer")) >= 1
    assert len(shop.json("history", "by_customer", "--limit", "1")) == 1
    told = shop.run("history", "by_customer")
    assert "estimate" in told
    assert told.index("estimate") < told.index("seconds"), "what was expected beside what it took"


@pytest.mark.parametrize(("format", "expected"), [("text", "orders"), ("dict", "orders"), ("mermaid", "orders"), ("svg", "<svg")])
def test_explain(shop: Shell, format: str, expected: str) -> None:
    said = shop.run("explain", "by_customer", "--format", format)
    assert expected in said
    if format == "dict":
        assert isinstance(json.loads(said), dict)


def test_views_come_and_go(shop: Shell) -> None:
    shop.write("view.sql", "select id from orders where amount > 5")
    shop.run("view", "create", "large", "--file", "view.sql", "--mode", "immediate")
    shop.run("execute", "insert into orders values (5, 5, 50.00)")
    assert [r["id"] for r in shop.rows("large")] == [1, 5]
    shop.run("view", "publish", "large")
    shop.run("view", "drop", "large")
    assert [v["view"] for v in shop.json("view", "list")] == ["by_customer"]


def test_compact(shop: Shell) -> None:
    before = shop.rows("orders")
    shop.run("compact")
    assert shop.rows("orders") == before


def test_a_chosen_strategy(shop: Shell) -> None:
    shop.run("execute", "delete from orders where id = 1")
    [done] = shop.json("refresh", "by_customer", "--strategy", "recompute")
    assert done["strategy"] == "recompute"


def test_the_version(shell: Shell) -> None:
    assert shell.run("--version").startswith("belvedere 0.")
