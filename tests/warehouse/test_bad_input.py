"""Bad input: a clear error that says what is wrong and what to do, and a warehouse that is as it was."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.warehouse.helpers import bag, order, unchanged

import belvedere as bv

Call = Callable[[bv.Warehouse], Any]


def in_transaction(change: Callable[[bv.Transaction], Any]) -> Call:
    def call(wh: bv.Warehouse) -> None:
        with wh.transaction() as tx:
            tx.insert("cities", {"name": "Rome", "country": "IT"})  # goes with the rest
            change(tx)

    return call


CASES: dict[str, tuple[Call, type[Exception], list[str]]] = {
    "unknown table in a view": (
        lambda wh: wh.create_view("w", "select * from ordres"), bv.UnknownName,
        ["ordres", "did you mean 'orders'", "line 1", "^"],
    ),
    "unknown column in a view": (
        lambda wh: wh.create_view("w", "select id,\n  amonut from orders"), bv.UnknownName,
        ["amonut", "did you mean 'amount'", "line 2, column 3"],
    ),
    "unknown table in a change": (
        in_transaction(lambda tx: tx.insert("ordres", [order(5, 7, "1.00")])), bv.UnknownName,
        ["'ordres'", "did you mean 'orders'"],
    ),
    "unknown column in a row": (
        in_transaction(lambda tx: tx.insert("orders", [{"id": 5, "amonut": 3}])), bv.UnknownName,
        ["amonut", "did you mean 'amount'", "orders"],
    ),
    "unknown column in set": (
        in_transaction(lambda tx: tx.update("orders", {"amonut": "1"})), bv.UnknownName,
        ["'orders'", "'amonut'", "did you mean 'amount'"],
    ),
    "unknown column in where": (
        in_transaction(lambda tx: tx.delete("orders", where="amonut > 1")), bv.UnknownName, ["amonut", "did you mean 'amount'"],
    ),
    "unknown view": (lambda wh: wh.view("totalz"), bv.UnknownName, ["'totalz'", "did you mean 'totals'"]),
    "unknown key column": (lambda wh: wh.create_table("t", "a int", key="b"), bv.UnknownName, ["'b'", "known: a"]),
    "a view is no table": (in_transaction(lambda tx: tx.insert("totals", [{"n": 1}])), bv.UnknownName, ["'totals' is a view"]),
    "wrong type": (
        in_transaction(lambda tx: tx.insert("orders", [order(5, 7, "1.00"), {"id": "six"}])), bv.TypeMismatch,
        ["orders", "row 2", "id", "'six'", "bigint"],
    ),
    "a fraction for an integer": (
        in_transaction(lambda tx: tx.insert("orders", [{"id": 1.5}])), bv.TypeMismatch, ["id", "1.5", "bigint"],
    ),
    "too many digits": (
        in_transaction(lambda tx: tx.insert("orders", [{"id": 5, "amount": "1.005"}])), bv.TypeMismatch,
        ["amount", "1.005", "decimal(12,2)"],
    ),
    "too large": (
        in_transaction(lambda tx: tx.insert("orders", [{"id": 2**63}])), bv.TypeMismatch, ["id", str(2**63), "bigint"],
    ),
    "wrong type of a constant": (
        in_transaction(lambda tx: tx.update("orders", {"amount": [1]})), bv.TypeMismatch, ["amount", "decimal(12,2)"],
    ),
    "wrong type in where": (
        in_transaction(lambda tx: tx.delete("orders", where="amount + 1")), bv.TypeMismatch, ["a condition is expected"],
    ),
    "types that do not meet": (
        lambda wh: wh.create_view("w", "select id from orders where note > array(1)"), bv.TypeMismatch, ["array", "line 1"],
    ),
    "text that is no SQL": (
        lambda wh: wh.create_view("w", "select id frm orders where"), bv.ParseError, ["line 1"],
    ),
    "an empty text": (lambda wh: wh.create_view("w", "  "), bv.ParseError, []),
    "two queries": (lambda wh: wh.create_view("w", "select 1 x; select 2 y"), bv.ParseError, []),
    "a statement that is no query": (lambda wh: wh.create_view("w", "drop table orders"), bv.ParseError, []),
    "a name twice in the result": (lambda wh: wh.create_view("w", "select id, amount id from orders"), bv.ParseError, ["id"]),
    "a key twice": (
        in_transaction(lambda tx: tx.insert("orders", [order(1, 9, "1.00")])), bv.KeyViolation, ["'orders'", "id=1", "use merge"],
    ),
    "a key twice in the same rows": (
        in_transaction(lambda tx: tx.insert("orders", [order(5, 9, "1.00"), order(5, 9, "1.00")])), bv.KeyViolation,
        ["'orders'", "id=5"],
    ),
    "a key twice in merge": (
        in_transaction(lambda tx: tx.merge("orders", [order(5, 9, "1.00"), order(5, 8, "1.00")])), bv.KeyViolation,
        ["'orders'", "id=5"],
    ),
    "a key that is NULL": (
        in_transaction(lambda tx: tx.insert("orders", [{"customer": 9}])), bv.KeyViolation, ["'orders'", "'id'", "NULL"],
    ),
    "merge without a key": (
        in_transaction(lambda tx: tx.merge("cities", [{"name": "Rome"}])), bv.BelvedereError, ["'cities' has no key"],
    ),
    "delete by key without a key": (
        in_transaction(lambda tx: tx.delete("cities", key="Rome")), bv.BelvedereError, ["'cities' has no key", "where="],
    ),
    "delete of everything by mistake": (
        in_transaction(lambda tx: tx.delete("orders")), bv.BelvedereError, ["exactly one of where=, key= or rows=", "truncate"],
    ),
    "a key of the wrong width": (
        in_transaction(lambda tx: tx.delete("orders", key=(1, 2))), bv.BelvedereError, ["key of table 'orders' is (id)"],
    ),
    "an update that sets nothing": (
        in_transaction(lambda tx: tx.update("orders", {})), bv.BelvedereError, ["at least one column"],
    ),
    "division by zero in an update": (
        in_transaction(lambda tx: tx.update("orders", {"amount": "1 / (id - 1)"})), bv.EngineError, ["zero"],
    ),
    "a type that is none": (lambda wh: wh.create_table("t", "a integr"), bv.BelvedereError, ["integr"]),
    "no columns": (lambda wh: wh.create_table("t", ""), bv.BelvedereError, []),
    "a column twice": (lambda wh: wh.create_table("t", "a int, A int"), bv.TypeMismatch, ["'t'", "twice"]),
    "a column without a type": (lambda wh: wh.create_table("t", "a void"), bv.TypeMismatch, ["void"]),
    "a column named like the weight": (lambda wh: wh.create_table("t", "_W int"), bv.TypeMismatch, ["'_W' is kept"]),
    "a result named like the weight": (
        lambda wh: wh.create_view("w", "select id _w from orders"), bv.TypeMismatch, ["'_w' is kept"],
    ),
    "a key that is an array": (
        lambda wh: wh.create_table("t", "a array<int>", key="a"), bv.TypeMismatch, ["'a'", "array<int>"],
    ),
    "an empty name": (lambda wh: wh.create_table(" ", "a int"), bv.BelvedereError, ["a table needs a name"]),
    "a name kept for stages": (lambda wh: wh.create_table("a$1", "a int"), bv.BelvedereError, ["'a$1'", "inner use"]),
    "a statement that is unknown": (lambda wh: wh.execute("vacuum orders"), bv.BelvedereError, []),
    "a query over nothing known": (lambda wh: wh.query("select * from nowhere"), bv.UnknownName, ["nowhere"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bad_input(shop: bv.Warehouse, name: str) -> None:
    call, error, parts = CASES[name]
    view = shop.create_view("totals", "select customer, count(*) n from orders group by customer", mode="immediate")
    before = bag(view.rows())
    with unchanged(shop), pytest.raises(error) as caught:
        call(shop)
    assert isinstance(caught.value, bv.BelvedereError)
    for part in parts:
        assert part in str(caught.value), str(caught.value)
    assert bag(view.rows()) == before


HOSTILE = [
    'x"; drop table orders; --', "a`b", "'", "\\", "select", "naïve 🐎", "with space", "a.b", "_n", "c1", "%s {0} $1",
    "né\nw", "ROWS", "x" * 300,
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_column_name_is_a_name(wh: bv.Warehouse, name: str) -> None:
    """Names are data: no quote, keyword or length of theirs reaches an engine as text."""
    from belvedere.algebra.types import BigInt, Column, Schema, String

    wh.create_table("t", Schema((Column("id", BigInt()), Column(name, String()))), key="id")
    quoted = "`" + name.replace("`", "``") + "`"
    view = wh.create_view("v", f"select {quoted}, count(*) n from t where {quoted} <> 'z' group by {quoted}", mode="immediate")
    with wh.transaction() as tx:
        tx.insert("t", [{"id": 1, name: name}, {"id": 2, name: name}, {"id": 3, name: "z"}])
    with wh.transaction() as tx:
        tx.update("t", {name: "'b'"}, where=f"id = 2 and {quoted} is not null")
    assert bag(view.rows()) == bag([{name: name, "n": 1}, {name: "b", "n": 1}])
    assert view.verify().ok
    with wh.transaction() as tx:
        tx.rename_attribute("t", name, "plain")
    assert view.refresh().strategy == "none"
    assert view.columns == (name, "n")


HOSTILE_TABLES = ['x"; drop table orders; --', "naïve 🐎", "db.table", "x" * 300, "a/b\\c", "..", "a\nb", "'", "a`b"]


@pytest.mark.parametrize("name", HOSTILE_TABLES, ids=range(len(HOSTILE_TABLES)))
def test_a_hostile_table_or_view_name_is_a_name(wh: bv.Warehouse, name: str) -> None:
    wh.create_table(name, "id bigint", key="id")
    parts = name.split(".") if name == "db.table" else [name]
    part = ".".join("`" + p.replace("`", "``") + "`" for p in parts)
    view = wh.create_view(f"{name} view", f"select count(*) n from {part}", mode="immediate")
    with wh.transaction() as tx:
        tx.insert(name, {"id": 1})
    assert view.rows() == [{"n": 1}]
    assert view.publish() == f"published.{name} view"
    assert view.verify().ok
    assert wh.tables() == [name]


# the place itself


def test_a_path_that_is_a_file(place: Path) -> None:
    (place / "wh").write_text("precious", encoding="utf-8")
    with pytest.raises(bv.StoreError, match="is a file; a warehouse is a directory"):
        bv.open(place / "wh")
    assert (place / "wh").read_text(encoding="utf-8") == "precious"


def test_a_directory_of_something_else(place: Path) -> None:
    (place / "precious.txt").write_text("x", encoding="utf-8")
    with pytest.raises(bv.StoreError, match=r"not empty and no warehouse \(it holds precious.txt\)"):
        bv.open(place)
    assert [p.name for p in place.iterdir()] == ["precious.txt"]


def test_a_catalog_of_a_newer_version(place: Path) -> None:
    with bv.open(place / "wh", engine="duckdb") as wh:
        wh.create_table("t", "x int")
    identity = place / "wh" / "belvedere.json"
    old = json.loads(identity.read_text(encoding="utf-8"))
    identity.write_text(json.dumps({**old, "format_version": old["format_version"] + 1}), encoding="utf-8")
    content = {p: p.read_bytes() for p in (place / "wh").rglob("*") if p.is_file()}
    with pytest.raises(bv.StoreError, match=f"format {old['format_version'] + 1}, made by a newer Belvedere.*Upgrade"):
        bv.open(place / "wh")
    assert {p: p.read_bytes() for p in (place / "wh").rglob("*") if p.is_file()} == content
    identity.write_text(json.dumps(old), encoding="utf-8")
    with sqlite3.connect(place / "wh" / "catalog.db") as raw:
        raw.execute("UPDATE bv_meta SET value = '999' WHERE name = 'format_version'")
    raw.close()
    with pytest.raises(bv.StoreError, match="format 999, made by a newer Belvedere"):
        bv.open(place / "wh")


def test_a_database_of_something_else(place: Path) -> None:
    (place / "wh").mkdir()
    with sqlite3.connect(place / "wh" / "catalog.db") as raw:
        raw.execute("CREATE TABLE precious (x)")
    raw.close()
    with pytest.raises(bv.StoreError, match="made by something else"):
        bv.open(place / "wh")


def test_an_unknown_engine_or_catalog(place: Path) -> None:
    with pytest.raises(bv.BelvedereError, match="engine='turbo' is not known; use one of auto, spark, duckdb"):
        bv.open(place / "a", engine="turbo")
    with pytest.raises(bv.BelvedereError, match="postgresql://"):
        bv.open(place / "b", catalog="mysql://localhost/x")
    with pytest.raises(bv.StoreError, match="no warehouse at"):
        bv.open(place / "c", create=False)
    assert not (place / "c").exists()
