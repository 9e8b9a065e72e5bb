"""Changes of rows: what each kind does to a table and to a view over it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from tests.warehouse.helpers import bag, minus, order, unchanged, weights

import belvedere as bv
from belvedere.warehouse import transaction

Change = Callable[[bv.Transaction], Any]

CHANGES: dict[str, tuple[Change, int | None, set[tuple[int, int | None, str | None]]]] = {
    # name: (change, number of rows it reports, (id, customer, amount) afterwards)
    "insert": (
        lambda tx: tx.insert("orders", [order(5, 8, "1.00"), order(6, 8, None)]), 2,
        {(1, 7, "9.50"), (2, 7, "1.25"), (3, 8, "4.00"), (4, None, "2.00"), (5, 8, "1.00"), (6, 8, None)},
    ),
    "insert one dict": (
        lambda tx: tx.insert("orders", order(5, 8, "1.00")), 1,
        {(1, 7, "9.50"), (2, 7, "1.25"), (3, 8, "4.00"), (4, None, "2.00"), (5, 8, "1.00")},
    ),
    "insert arrow": (
        lambda tx: tx.insert("orders", pa.table({"id": [5], "customer": [8]})), 1,
        {(1, 7, "9.50"), (2, 7, "1.25"), (3, 8, "4.00"), (4, None, "2.00"), (5, 8, None)},
    ),
    "delete by key": (lambda tx: tx.delete("orders", key=1), 1, {(2, 7, "1.25"), (3, 8, "4.00"), (4, None, "2.00")}),
    "delete by keys": (lambda tx: tx.delete("orders", key=[1, 3, 99]), 2, {(2, 7, "1.25"), (4, None, "2.00")}),
    "delete where": (lambda tx: tx.delete("orders", where="customer = 7"), 2, {(3, 8, "4.00"), (4, None, "2.00")}),
    "delete where null": (
        lambda tx: tx.delete("orders", where="customer is null"), 1, {(1, 7, "9.50"), (2, 7, "1.25"), (3, 8, "4.00")},
    ),
    "delete rows": (
        lambda tx: tx.delete("orders", rows=[order(2, 7, "1.25"), order(3, 8, "4.01", "b")]), 1,
        {(1, 7, "9.50"), (3, 8, "4.00"), (4, None, "2.00")},
    ),
    "update by key": (
        lambda tx: tx.update("orders", {"customer": 8}, key=1), 1,
        {(1, 8, "9.50"), (2, 7, "1.25"), (3, 8, "4.00"), (4, None, "2.00")},
    ),
    "update by predicate": (
        lambda tx: tx.update("orders", {"amount": "amount * 2", "customer": None}, where="customer = 7"), 2,
        {(1, None, "19.00"), (2, None, "2.50"), (3, 8, "4.00"), (4, None, "2.00")},
    ),
    "update all": (
        lambda tx: tx.update("orders", {"amount": Decimal("1.00")}), 4,
        {(1, 7, "1.00"), (2, 7, "1.00"), (3, 8, "1.00"), (4, None, "1.00")},
    ),
    "update swaps keys": (
        lambda tx: tx.update("orders", {"id": "5 - id"}), 4,
        {(4, 7, "9.50"), (3, 7, "1.25"), (2, 8, "4.00"), (1, None, "2.00")},
    ),
    "merge": (
        lambda tx: tx.merge("orders", [order(1, 9, "0.10"), order(5, 9, "0.20")]), 2,
        {(1, 9, "0.10"), (2, 7, "1.25"), (3, 8, "4.00"), (4, None, "2.00"), (5, 9, "0.20")},
    ),
    "truncate": (lambda tx: tx.truncate("orders"), 4, set()),
    "nothing": (
        lambda tx: tx.delete("orders", where="id > 100"), 0,
        {(1, 7, "9.50"), (2, 7, "1.25"), (3, 8, "4.00"), (4, None, "2.00")},
    ),
}  # fmt: skip


def contents(wh: bv.Warehouse) -> set[tuple[Any, ...]]:
    rows = wh.query("select id, customer, amount from orders").rows()
    return {(r["id"], r["customer"], None if r["amount"] is None else str(r["amount"])) for r in rows}


@pytest.mark.parametrize("mode", ["immediate", "deferred"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_rows(shop: bv.Warehouse, name: str, mode: str) -> None:
    change, count, expected = CHANGES[name]
    text = "select customer, sum(amount) total, min(amount) low, count(*) n from orders group by customer"
    view = shop.create_view("v", text, mode=mode)
    before, epoch = bag(view.rows()), shop.epoch
    with shop.transaction() as tx:
        assert change(tx) == count
    assert contents(shop) == expected
    assert shop.epoch == epoch + (1 if count else 0)
    view.refresh(strategy="incremental")
    assert view.verify().ok
    assert weights(view.changes(since=epoch)) == minus(bag(view.rows()), before)
    sizes = {r["customer"]: r["n"] for r in view.rows()}
    assert sizes == {c: sum(1 for _, x, _ in expected if x == c) for _, c, _ in expected}


def test_a_bag_keeps_duplicates_and_loses_one_at_a_time(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select country, count(*) n from cities group by country", mode="immediate")
    oslo = {"name": "Oslo", "country": "NO"}
    with shop.transaction() as tx:
        assert tx.insert("cities", [oslo, oslo]) == 2
    assert {r["country"]: r["n"] for r in view.rows()} == {"CH": 1, "NO": 4}
    with shop.transaction() as tx:
        assert tx.delete("cities", rows=[oslo]) == 1
    assert {r["country"]: r["n"] for r in view.rows()} == {"CH": 1, "NO": 3}
    with shop.transaction() as tx:
        assert tx.delete("cities", rows=[oslo] * 9) == 3
    assert {r["country"]: r["n"] for r in view.rows()} == {"CH": 1}


def test_later_statements_see_earlier_ones(shop: bv.Warehouse) -> None:
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 7, "1.00"))
        assert tx.update("orders", {"amount": "amount + 1"}, where="customer = 7") == 3
        assert tx.delete("orders", where="amount = 2.00") == 2
        assert tx.merge("orders", [order(1, 9, "5.00")]) == 1
    assert contents(shop) == {(1, 9, "5.00"), (2, 7, "2.25"), (3, 8, "4.00")}


def test_changes_that_cancel_are_no_epoch(shop: bv.Warehouse) -> None:
    with unchanged(shop), shop.transaction() as tx:
        tx.insert("orders", order(5, 7, "1.00"))
        tx.delete("orders", key=5)


def test_a_composite_key(wh: bv.Warehouse) -> None:
    wh.create_table("t", "a bigint, b string, x int", key=["a", "b"])
    with wh.transaction() as tx:
        tx.insert("t", [{"a": 1, "b": "p", "x": 1}, {"a": 1, "b": "q", "x": 2}, {"a": 2, "b": "p", "x": 3}])
    with wh.transaction() as tx:
        assert tx.delete("t", key=(1, "p")) == 1
        assert tx.update("t", {"x": 20}, key={"a": 1, "b": "q"}) == 1
        assert tx.merge("t", [{"a": 2, "b": "p", "x": 30}, {"a": 2, "b": "q", "x": 4}]) == 2
    assert {tuple(r.values()) for r in wh.query("select * from t").rows()} == {(1, "q", 20), (2, "p", 30), (2, "q", 4)}


EVERY_TYPE = (
    "id bigint, i int, s smallint, t tinyint, f float, d double, n decimal(20,5), b boolean, c string, bin binary, "
    "day date, ts timestamp, ntz timestamp_ntz, st struct<x: int, y: string>, arr array<int>, m map<string, bigint>, "
    "deep array<struct<k: string, v: array<double>>>"
)
FULL = {
    "id": 1, "i": -5, "s": 300, "t": -7, "f": 0.5, "d": float("inf"), "n": Decimal("12345.67891"), "b": True, "c": "žluť 🐎",
    "bin": b"\x00\xff", "day": dt.date(1900, 2, 28), "ts": dt.datetime(2026, 11, 15, 8, 30, 0, 123456, dt.UTC),
    "ntz": dt.datetime(1969, 12, 31, 23, 59, 59), "st": {"x": 1, "y": None}, "arr": [1, None, 3], "m": {"a": 1, "b": None},
    "deep": [{"k": "k", "v": [0.0, None]}, None],
}  # fmt: skip


def test_every_type_goes_in_and_comes_out(wh: bv.Warehouse) -> None:
    wh.create_table("t", EVERY_TYPE, key="id")
    view = wh.create_view("v", "select * from t where id > 0", mode="immediate")
    nothing = dict.fromkeys(FULL) | {"id": 2}
    hollow = {**nothing, "id": 3, "arr": [], "m": {}, "deep": [], "st": {"x": None, "y": None}, "c": "", "bin": b""}
    with wh.transaction() as tx:
        tx.insert("t", [FULL, nothing, hollow])
    assert bag(view.rows()) == bag([FULL, nothing, hollow])
    with wh.transaction() as tx:
        assert tx.delete("t", rows=[FULL]) == 1
        assert tx.update("t", {"arr": [7], "st": {"x": 9, "y": "z"}}, where="id = 3") == 1
    assert bag(view.rows()) == bag([nothing, {**hollow, "arr": [7], "st": {"x": 9, "y": "z"}}])
    assert view.verify().ok


def test_a_key_is_enforced_over_the_whole_transaction(shop: bv.Warehouse) -> None:
    with shop.transaction() as tx:  # in between the key is there twice; in the end it is not
        tx.insert("orders", order(1, 1, "1.00"))
        tx.delete("orders", where="id = 1 and customer = 7")
    assert (1, 1, "1.00") in contents(shop)
    twice = "key id=1 would be there twice; use merge"
    with unchanged(shop), pytest.raises(bv.KeyViolation, match=twice), shop.transaction() as tx:
        tx.update("orders", {"id": 1}, where="id = 2")


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_keys_are_asked_for_in_pieces(shop: bv.Warehouse, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(transaction, "KEYS_AT_ONCE", at_once)
    shop.load("orders", [order(100 + i, 1, "1.00") for i in range(5)])
    for rows in ([order(200 + i, 1, "1.00") for i in range(4)] + [order(1, 1, "2.00")], [order(300, 1, "1.00")] * 2,
                 [order(300, 1, "1.00"), order(300, 2, "1.00")]):  # fmt: skip
        with unchanged(shop), pytest.raises(bv.KeyViolation, match="would be there twice"), shop.transaction() as tx:
            tx.insert("orders", rows)
