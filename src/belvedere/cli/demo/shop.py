"""The demo's shop: three tables made from row numbers, four views, and batches of changes. The same on every run.

All values come from arithmetic on the row's number, written once as SQL that both engines understand, so that the rows can be
made where they are stored: a few million on Spark, or in-process.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import belvedere as bv

CUSTOMERS, ORDERS, ITEMS = 100_000, 750_000, 3_000_000
NATIONS = 25
DAYS = 365
PRODUCTS = 20_000
NEXT_STATUS = "case when status = 'open' then 'shipped' else 'returned' end"

SCHEMAS = {
    "customers": ("id bigint, nation string, segment int", "id"),
    "orders": ("id bigint, customer bigint, day int, status string", "id"),
    "items": ("id bigint, order_id bigint, product bigint, quantity int, price decimal(10,2)", "id"),
}


@dataclass(frozen=True)
class Sizes:
    customers: int
    orders: int
    items: int

    @staticmethod
    def at(scale: float) -> Sizes:
        return Sizes(*(max(least, round(n * scale)) for n, least in ((CUSTOMERS, 50), (ORDERS, 200), (ITEMS, 800))))

    def of(self, table: str) -> int:
        return {"customers": self.customers, "orders": self.orders, "items": self.items}[table]


def rows_sql(table: str, sizes: Sizes) -> str:
    """Select list over a column `id` of row numbers."""
    match table:
        case "customers":
            return f"id, concat('nation ', cast(id * 7 % {NATIONS} as string)) nation, cast(id % 5 as int) segment"
        case "orders":
            return (
                f"id, (id * 2654435761) % {sizes.customers} customer, cast((id * 40503) % {DAYS} as int) day, "
                "case when id % 10 < 7 then 'shipped' when id % 10 < 9 then 'open' else 'returned' end status"
            )
        case _:
            return (
                f"id, (id * 48271) % {sizes.orders} order_id, (id * 69621) % {PRODUCTS} product, "
                "cast(id % 11 + 1 as int) quantity, "
                "cast(cast((id * 16807) % 100000 as decimal(10,0)) * cast(0.01 as decimal(3,2)) as decimal(10,2)) price"
            )


VIEWS = {
    "large_items": "select id, order_id, price * quantity value from items where quantity >= 9 and price > 500",
    "revenue": (
        "select c.nation, o.day, count(*) items, sum(i.price * i.quantity) revenue "
        "from customers c join orders o on o.customer = c.id join items i on i.order_id = o.id "
        "where o.status <> 'returned' group by c.nation, o.day"
    ),
    "buyers": "select distinct customer, status from orders",
    "nations": "select nation, sum(revenue) revenue, max(items) best_day, count(*) days from revenue group by nation",
}

TELLS = {
    "large_items": "filter and projection",
    "revenue": "three-way join, group by",
    "buyers": "distinct",
    "nations": "group by over the view revenue",
}


@dataclass(frozen=True)
class Batch:
    """One transaction in which orders and items come, change and go: 5 rows of 10 are new, 3 change, 2 go."""

    number: int
    size: int
    sizes: Sizes

    @property
    def inserts(self) -> int:
        return self.size // 2

    @property
    def updates(self) -> int:
        return self.size * 3 // 10

    @property
    def deletes(self) -> int:
        return self.size - self.inserts - self.updates

    def new_orders(self) -> list[dict[str, Any]]:
        """A fifth of the new rows."""
        first = self._unused("orders")
        return [
            {"id": first + n, "customer": n * 31 % self.sizes.customers, "day": n * 17 % DAYS, "status": "open"}
            for n in range(max(1, self.inserts // 5))
        ]

    def new_items(self) -> list[dict[str, Any]]:
        """The rest of the new rows, all in new orders."""
        first, orders = self._unused("items"), self.new_orders()
        return [
            {
                "id": first + n,
                "order_id": orders[n % len(orders)]["id"],
                "product": n * 13 % PRODUCTS,
                "quantity": n % 11 + 1,
                "price": Decimal(n * 7919 % 100_000) / 100,
            }
            for n in range(self.inserts - len(orders))
        ]

    def changed_orders(self) -> str:
        """A fifth of the changed rows, as a condition."""
        return self._stored("orders", max(1, self.updates // 5), part=0)

    def changed_items(self) -> str:
        return self._stored("items", self.updates - max(1, self.updates // 5), part=1)

    def gone_items(self) -> str:
        return self._stored("items", self.deletes, part=2)

    def send(self, tx: bv.Transaction) -> None:
        tx.insert("orders", self.new_orders())
        tx.insert("items", self.new_items())
        tx.update("orders", {"status": NEXT_STATUS}, where=self.changed_orders())
        tx.update("items", {"quantity": "quantity % 11 + 1"}, where=self.changed_items())
        tx.delete("items", where=self.gone_items())

    def _unused(self, table: str) -> int:
        """The first of the new ids: above all stored ones, and far from those of other batches."""
        return self.sizes.of(table) + self.number * 10_000_000

    def _stored(self, table: str, count: int, *, part: int) -> str:
        """`count` rows of those loaded at first. Each batch and part has a stretch of ids of its own."""
        stretch = self.sizes.of(table) // 12
        first = stretch * (self.number % 4 * 3 + part)
        return f"id >= {first} and id < {first + min(count, stretch)}"
