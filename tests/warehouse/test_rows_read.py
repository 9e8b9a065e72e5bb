"""Few keys, few rows: what a small change may read of a large table, whichever way the change meets it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.warehouse.helpers import bag

import belvedere as bv

ROWS = 500_000
GROUP = 8192  # rows of a row group; a key that is looked up opens one


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bv.Warehouse]:
    """items (500,000 rows, key id, every order has five) and a small table of parts."""
    path: Path = tmp_path_factory.mktemp("large") / "wh"
    with bv.open(path, engine="duckdb") as wh:
        wh.create_table("items", "id bigint, order_id bigint, part bigint, price decimal(12,2)", key="id")
        wh.create_table("orders", "id bigint, customer bigint", key="id")
        ids = pa.array(range(ROWS), pa.int64())
        quarters = pc.divide(pc.cast(pc.add(pc.bit_wise_and(ids, 1023), 1), pa.float64()), 4.0)
        price = pc.cast(quarters, pa.decimal128(12, 2))
        data = pa.table({"id": ids, "order_id": pc.divide(ids, 5), "part": pc.bit_wise_and(ids, 0xFFFF), "price": price})
        wh.load("items", data)
        joined = "orders o join items i on o.id = i.order_id"
        wh.create_view("joined", f"select o.customer, sum(i.price) total, count(*) n from {joined} group by o.customer")
        wh.create_view("lowest", "select order_id, min(price) low from items group by order_id")
        yield wh


@pytest.mark.slow
def test_a_small_change_that_joins_a_large_table(large: bv.Warehouse) -> None:
    view = large.view("joined")
    with large.transaction() as tx:
        tx.insert("orders", [{"id": i * 9_973 % 100_000, "customer": i % 2} for i in range(10)])
    report = view.refresh(strategy="incremental")
    assert report.rows_in == 10
    assert report.rows_read <= 10 * GROUP + 20
    assert {(r["customer"], r["n"]) for r in view.rows()} == {(0, 25), (1, 25)}
    assert view.verify().ok


@pytest.mark.slow
def test_a_deletion_reads_the_groups_it_touches(large: bv.Warehouse) -> None:
    view = large.view("lowest")
    before = bag(r for r in view.rows() if r["order_id"] in (2, 40_000, 99_999))
    with large.transaction() as tx:
        assert tx.delete("items", key=[11, 200_002, 499_999]) == 3
    report = view.refresh(strategy="incremental")
    assert report.rows_in == 3
    assert report.rows_read <= 3 * 3 * GROUP  # three keys in the table, in its other order, and in the view's own state
    assert sum(before.values()) == 3
    assert view.verify().ok


@pytest.mark.slow
def test_changes_by_key_read_few_rows(large: bv.Warehouse) -> None:
    """Finding the rows that a change means is a lookup too."""
    engine = large.core.duckdb
    read = []
    run = engine.run

    def counting(node: object, resolve: object, *, measured: bool = True) -> object:
        table, metrics = run(node, resolve, measured=True)  # type: ignore[arg-type]
        read.append(metrics.rows_read)
        return table, metrics

    engine.run = counting  # type: ignore[method-assign, assignment]
    try:
        with large.transaction() as tx:
            tx.update("items", {"price": "price + 1"}, key=[5, 250_000])
            tx.merge("items", [{"id": 77, "order_id": 15, "part": 1, "price": "1.00"}])
            tx.insert("items", [{"id": ROWS + 1, "order_id": 1, "part": 1, "price": "1.00"}])
    finally:
        del engine.run
    assert len(read) >= 3
    assert max(read) <= 3 * GROUP


def test_a_table_is_looked_up_by_what_it_is_sorted_by(tmp_path: Path) -> None:
    """Suppliers meet customers by their nation, of which there are few, and sales by their number: a few sales find a few
    suppliers, not all of those nations. Nor does a customer who moves, whose sales have to be found before."""
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("customers", "id bigint, nation bigint", key="id")
        wh.create_table("suppliers", "id bigint, nation bigint", key="id")
        wh.create_table("sales", "id bigint, customer bigint, supplier bigint, price bigint", key="id")
        wh.load("customers", [{"id": n, "nation": n % 5} for n in range(6_000)])
        wh.load("suppliers", [{"id": n, "nation": n % 5} for n in range(6_000)])
        wh.load("sales", [{"id": n, "customer": n % 6_000, "supplier": n * 7 % 6_000, "price": n % 9} for n in range(15_000)])
        joined = "sales s join customers c on s.customer = c.id join suppliers p on s.supplier = p.id and p.nation = c.nation"
        view = wh.create_view("by_nation", f"select c.nation, sum(s.price) total, count(*) n from {joined} group by c.nation")
        read = []
        for turn in range(4):
            with wh.transaction() as tx:
                new = [{"id": 20_000 + 90 * turn + n, "customer": n % 9, "supplier": n * 3, "price": 1} for n in range(90)]
                tx.insert("sales", new)
            first = view.refresh(strategy="incremental")
            with wh.transaction() as tx:
                tx.update("customers", {"nation": "(nation + 1) % 5"}, where=f"id >= {turn * 20} and id < {turn * 20 + 10}")
            read.append((first.rows_read, view.refresh(strategy="incremental").rows_read))
            assert view.verify().ok
        assert read[-1][0] < 500
        assert read[-1][1] < 15_000 + 500  # sales are sorted by their own number only
