"""`belvedere apply`: each op reaches the warehouse; a bad file leaves it alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.cli.conftest import Shell


def line(op: str, **fields: Any) -> str:
    return json.dumps({"op": op, **fields})


def apply(shop: Shell, *lines: str) -> list[list[Any]]:
    shop.run("apply", shop.write("changes.jsonl", *lines))
    return [list(r.values()) for r in shop.rows("orders")]


def test_rows(shop: Shell) -> None:
    after = apply(
        shop,
        line("insert", table="orders", row={"id": 4, "customer": 9, "amount": 1.1}),
        line("insert", table="orders", rows=[{"id": 5, "customer": 9, "amount": "2.20"}, {"id": 6, "customer": 9}]),
        line("merge", table="orders", row={"id": 1, "customer": 1, "amount": 1}),
        line("update", table="orders", set={"amount": "amount * 2", "customer": 10}, where="id in (4, 5)"),
        line("delete", table="orders", key=2),
        line("delete", table="orders", where="id = 3"),
        line("delete", table="orders", row={"id": 6, "customer": 9, "amount": None}),
    )
    assert after == [[1, 1, "1.00"], [4, 10, "2.20"], [5, 10, "4.40"]]


def test_the_file_is_one_epoch_unless_it_commits(shop: Shell) -> None:
    before = shop.json("status")["epoch"]
    rows = [line("insert", table="orders", row={"id": n, "customer": 1, "amount": 1}) for n in range(10, 14)]
    apply(shop, *rows)
    assert shop.json("status")["epoch"] == before + 1
    deletes = [line("delete", table="orders", key=n) for n in range(10, 14)]
    apply(shop, deletes[0], deletes[1], line("commit"), deletes[2], line("commit"), deletes[3], line("commit"))
    assert shop.json("status")["epoch"] == before + 4


def test_truncate_and_refresh(shop: Shell) -> None:
    shop.write("changes.jsonl", line("truncate", table="orders"))
    assert "refreshed by_customer" in shop.run("apply", "changes.jsonl", "--refresh")
    assert shop.rows("by_customer") == []


def test_schema_changes(shop: Shell) -> None:
    apply(
        shop,
        line("add_relation", table="returns", schema="id bigint, reason string", key="id"),
        line("insert", table="returns", row={"id": 1, "reason": "broken"}),
        line("rename_relation", table="returns", new="refunds"),
        line("add_attribute", table="orders", name="status", type="string"),
        line("rename_attribute", table="orders", name="status", new="state"),
        line("commit"),
        line("update", table="orders", set={"state": "'open'"}, where="true"),
    )
    assert shop.rows("refunds") == [{"id": 1, "reason": "broken"}]
    assert {r["state"] for r in shop.rows("orders")} == {"open"}
    apply(shop, line("drop_attribute", table="orders", name="state"), line("drop_relation", table="refunds"))
    assert [(t["table"], "state" in t["columns"]) for t in shop.json("tables")] == [("orders", False)]


def test_stdin(shop: Shell) -> None:
    shop.run("apply", "-", input=line("delete", table="orders", key=1))
    assert [r["id"] for r in shop.rows("orders")] == [2, 3]


def test_an_empty_file(shop: Shell) -> None:
    before = shop.json("status")
    assert shop.run("apply", shop.write("changes.jsonl", "", "")).strip() == "no changes"
    assert shop.json("status") == before


INSERT = line("insert", table="orders", row={"id": 50, "customer": 1, "amount": 1})


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ('{"op": "insert"', "line 3, column 16"),
        (line("insert", table="ordres", row={"id": 51}), "orders"),
        (line("insert", table="orders", row={"id": 1, "customer": 1, "amount": 1}), "line"),
        (line("insert", table="orders", row={"id": "x"}), "id"),
        (line("insert", table="orders", row={"id": 51, "amonut": 1}), "amount"),
        (line("update", table="orders", set={"amount": "amuont + 1"}, where="true"), "amount"),
        (line("delete", table="orders", where="id ="), "line 3"),
        (line("drop_attribute", table="orders", name="nothing"), "nothing"),
    ],
)
def test_a_bad_line_undoes_its_transaction(shop: Shell, bad: str, said: str) -> None:
    before = shop.json("status"), shop.rows("orders")
    message = shop.run("apply", shop.write("changes.jsonl", INSERT, "", bad), code=1)
    assert "changes.jsonl" in message
    assert "nothing was applied" in message
    assert said in message
    assert (shop.json("status"), shop.rows("orders")) == before


def test_earlier_transactions_stay(shop: Shell) -> None:
    message = shop.run("apply", shop.write("changes.jsonl", INSERT, line("commit"), line("truncate", table="nothing")), code=1)
    assert "nothing was applied from line 3 on" in message
    assert sorted(r["id"] for r in shop.rows("orders")) == [1, 2, 3, 50]
