"""verify must see a view that is wrong, whatever made it wrong."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.warehouse.helpers import bag, rows_of, weights

import belvedere as bv

VIEWS = {
    "rows": ("select id, customer from orders", {"id": 99, "customer": 1}),
    "totals": ("select customer, count(*) n from orders group by customer", {"customer": 99, "n": 1}),
    "doubles": ("select customer, sum(cast(amount as double)) d from orders group by customer", {"customer": 99, "d": 0.5}),
    "arrays": ("select id, array(id, customer) a from orders", {"id": 99, "a": [99, None]}),
}


def corrupt(wh: bv.Warehouse, view: bv.View, row: dict[str, object] | None, weight: int) -> None:
    """Append a run that no change accounts for: the given row, or a copy of a stored one."""
    store = wh.core.store
    target = store.collection(view.definition.stage_names[-1])
    assert target is not None
    if row is None:
        found = rows_of(store, store.snapshot(target)[0]).slice(0, 1)
        table = found.set_column(found.schema.get_field_index("_w"), "_w", pa.array([weight], pa.int64()))
    else:
        values = [row.get(c.name, 1) for c in target.schema]
        arrays = [pa.array([v], f.type) for v, f in zip([*values, weight], target.physical, strict=True)]
        table = pa.Table.from_arrays(arrays, schema=target.physical)
    with store.begin() as commit:
        commit.append(target, table)
        commit.put_doc("pin", view.name, {"epoch": store.epoch + 1})
        commit.publish()


@pytest.mark.parametrize("name", VIEWS)
def test_a_row_too_many(shop: bv.Warehouse, name: str) -> None:
    text, row = VIEWS[name]
    view = shop.create_view("v", text)
    right = view.verify()
    assert right.ok
    assert bool(right)
    assert str(right) == f"v: equals recomputation (full, on duckdb, epoch {shop.epoch})"
    corrupt(shop, view, {**row, "_n": 1, "_sum": 1}, 1)
    wrong = view.verify()
    assert not wrong.ok
    assert not wrong
    assert (wrong.missing.num_rows, wrong.extra.num_rows) == (0, 1)
    assert wrong.extra.column_names[:-1] == list(view.columns)
    key = view.columns[0]
    assert (wrong.extra.to_pylist()[0][key], wrong.extra.to_pylist()[0]["_w"]) == (99, 1)
    assert "1 rows too many" in str(wrong)


@pytest.mark.parametrize("name", VIEWS)
def test_a_row_missing(shop: bv.Warehouse, name: str) -> None:
    view = shop.create_view("v", VIEWS[name][0])
    before = bag(view.rows())
    corrupt(shop, view, None, -1)
    wrong = view.verify()
    assert (wrong.missing.num_rows, wrong.extra.num_rows) == (1, 0)
    assert set(weights(wrong.missing.to_pylist())) <= set(before)
    assert view.refresh(strategy="recompute").strategy == "recompute"
    assert view.verify().ok
    assert bag(view.rows()) == before


def test_a_duplicate_is_wrong_too(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select country from cities")
    corrupt(shop, view, {"country": "NO"}, 1)
    wrong = view.verify()
    assert wrong.extra.to_pylist() == [{"country": "NO", "_w": 1}]


def test_verify_compares_with_the_epoch_it_was_brought_up_to(shop: bv.Warehouse) -> None:
    view = shop.create_view("v", "select count(*) n from orders")
    with shop.transaction() as tx:
        tx.truncate("orders")
    assert view.verify().ok
    assert view.verify().epoch == view.epoch < shop.epoch
    view.refresh()
    assert view.verify().ok
    assert view.rows() == [{"n": 0}]
