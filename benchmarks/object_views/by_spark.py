"""The three queries kept by hand in PySpark: each batch is appended to Parquet files, its change computed with DataFrames and
merged with the last result, which is written anew."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.object_views.ledger import CUSTOMERS, PRODUCTS, Order, Primary, Receipt, Sale, cost_of

TABLES = {
    "orders": "no bigint, customer bigint, date date",
    "order_lines": "order bigint, product bigint, quantity bigint",
    "sales": "no bigint, order bigint",
    "sale_lines": "sale bigint, product bigint, price bigint, quantity bigint",
    "receipts": "no bigint, amount bigint",
    "payments": "receipt bigint, sale bigint, amount bigint",
}


class OnSpark:
    """Files in a directory, three results in it, and the seconds that each took."""

    def __init__(self, session: Any, directory: Path) -> None:
        self.session, self.directory = session, directory
        self.version = 0
        self.ledger = (0, 0, 0)
        self.seconds = {"base": 0.0, "General Ledger": 0.0, "Order Statistics": 0.0, "Unpaid Sales": 0.0}
        self._save("customers", self._frame([(n, f"customer {n}") for n in range(CUSTOMERS)], "no bigint, name string"))
        products = [(n, f"product {n}", cost_of(n)) for n in range(PRODUCTS)]
        self._save("products", self._frame(products, "no bigint, name string, cost bigint"))
        self._save("totals-0", self._frame([], "product bigint, month int, total bigint"))
        self._save("owed-0", self._frame([], "sale bigint, owed bigint"))
        for name, schema in TABLES.items():
            self._save(name, self._frame([], schema))

    def add(self, batch: Sequence[Primary]) -> None:
        """Keep everything fresh after some primary transactions."""
        new = self._timed("base", lambda: self._append(batch))
        self._timed("General Ledger", lambda: self._ledger(new))
        self._timed("Order Statistics", lambda: self._statistics(new))
        self._timed("Unpaid Sales", lambda: self._unpaid(new))
        self.version += 1

    def result(self, query: str) -> list[tuple[Any, ...]]:
        match query:
            case "General Ledger":
                return [self.ledger]
            case "Order Statistics":
                return [tuple(r) for r in self._load(f"statistics-{self.version}").collect()]
        return [tuple(r) for r in self._load(f"unpaid-{self.version}").collect()]

    # the three queries

    def _ledger(self, new: dict[str, Any]) -> None:
        from pyspark.sql import functions as f

        charged = cost = 0
        if "sale_lines" in new:
            lines, products = new["sale_lines"], self._load("products")
            sums = lines.join(products, lines["product"] == products["no"]).agg(
                f.sum(lines["price"] * lines["quantity"]), f.sum(products["cost"] * lines["quantity"])
            )
            charged, cost = sums.first()
        cash = new["receipts"].agg(f.sum("amount")).first()[0] if "receipts" in new else 0
        receivable, had, spent = self.ledger
        self.ledger = (receivable + charged - cash, had + cash, spent + cost)

    def _statistics(self, new: dict[str, Any]) -> None:
        from pyspark.sql import functions as f

        kept = self._load(f"totals-{self.version}")
        if "orders" in new:
            lines, orders = new["order_lines"], new["orders"]
            more = lines.join(orders, lines["order"] == orders["no"]).select(
                lines["product"], f.month(orders["date"]).alias("month"), lines["quantity"].alias("total")
            )
            kept = kept.union(more).groupBy("product", "month").agg(f.sum("total").alias("total"))
        totals = self._save(f"totals-{self.version + 1}", kept)
        products = self._load("products")
        named = totals.join(products, totals["product"] == products["no"]).select(products["name"], "month", "total")
        self._save(f"statistics-{self.version + 1}", named)

    def _unpaid(self, new: dict[str, Any]) -> None:
        from pyspark.sql import functions as f

        kept = self._load(f"owed-{self.version}")
        if "sale_lines" in new:
            kept = kept.union(new["sale_lines"].select("sale", f.expr("price * quantity")))
        if "payments" in new:
            kept = kept.union(new["payments"].select("sale", f.expr("-amount")))
        owed = self._save(f"owed-{self.version + 1}", kept.groupBy("sale").agg(f.sum("owed").alias("owed")))
        sales, orders, customers = self._load("sales"), self._load("orders"), self._load("customers")
        named = (
            owed.where("owed > 0")
            .join(sales, owed["sale"] == sales["no"])
            .join(orders, sales["order"] == orders["no"])
            .join(customers, orders["customer"] == customers["no"])
        )
        self._save(f"unpaid-{self.version + 1}", named.select(customers["name"], sales["no"]))

    # files

    def _append(self, batch: Sequence[Primary]) -> dict[str, Any]:
        found = {}
        for name, rows in _rows(batch).items():
            if rows:
                found[name] = self._frame(rows, TABLES[name])
                found[name].write.mode("append").parquet(str(self.directory / name))
        return found

    def _frame(self, rows: Sequence[tuple[Any, ...]], schema: str) -> Any:
        return self.session.createDataFrame(list(rows), schema).coalesce(1)

    def _save(self, name: str, frame: Any) -> Any:
        frame.coalesce(1).write.parquet(str(self.directory / name))
        return self._load(name)

    def _load(self, name: str) -> Any:
        return self.session.read.parquet(str(self.directory / name))

    def _timed(self, what: str, work: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        done = work()
        self.seconds[what] += time.perf_counter() - began
        return done


def _rows(batch: Sequence[Primary]) -> dict[str, list[tuple[Any, ...]]]:
    """Objects as rows of tables."""
    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLES}
    for p in batch:
        match p:
            case Order():
                found["orders"].append((p.no, p.customer, p.date))
                found["order_lines"] += [(p.no, *line) for line in p.lines]
            case Sale():
                found["sales"].append((p.no, p.order))
                found["sale_lines"] += [(p.no, *line) for line in p.lines]
            case Receipt():
                found["receipts"].append((p.no, p.amount))
                found["payments"] += [(p.no, *paid) for paid in p.payments]
    return found
