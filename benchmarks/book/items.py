"""The small shop that several programs measure: items of orders, and three views over them."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

import belvedere as bv

#: items of an order
ORDERS = 4
DAYS = 365
VIEWS = {
    "selected": "select id, price * 2 as twice from items where price < 800",
    "joined": "select i.id, i.price, o.day from items i join orders o on i.order_id = o.id",
    "summed": "select o.day, count(*) n, sum(i.price) total from items i join orders o on i.order_id = o.id group by o.day",
}


def load(wh: bv.Warehouse, rows: int, views: Mapping[str, str] = VIEWS) -> None:
    orders = range(rows // ORDERS)
    wh.load("orders", pa.table({"id": orders, "day": [n % DAYS for n in orders]}), key="id")
    wh.load("items", items(0, rows, rows), key="id")
    for name, text in views.items():
        wh.create_view(name, text)


def items(start: int, stop: int, rows: int) -> pa.Table:
    """Those of some numbers, in the orders of a shop with so many items."""
    ids = range(start, stop)
    orders = [n % (rows // ORDERS) for n in ids]
    return pa.table({"id": ids, "order_id": orders, "price": [n * 7919 % 1000 for n in ids]})
