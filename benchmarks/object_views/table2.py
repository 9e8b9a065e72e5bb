"""The second paper's Table 2: the three queries kept fresh while primary transactions come in, in batches of several sizes.

Belvedere keeps objects and views on disk, one epoch for each batch. The plain Python program keeps dictionaries in memory and
stores nothing; the PySpark program appends Parquet files and merges DataFrames. All three end with the same answers, or the
measurement fails. A program that would take too long runs the first batches only, and its time is scaled; the report says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.object_views.by_hand import BY_HAND, Base
from benchmarks.object_views.by_spark import OnSpark
from benchmarks.object_views.ledger import CUSTOMERS, MODEL, PRODUCTS, QUERIES, Order, Primary, Receipt, Sale, cost_of, primaries

import belvedere as bv

SEED = 20010714
#: the paper's ratios, strict and lazy updates together
PAPER = {"General Ledger": 7.6, "Order Statistics": 2.2, "Unpaid Sales": 1.3}


@dataclass(frozen=True)
class Took:
    """What one program took for all primary transactions, in batches of one size: the objects themselves, and each query."""

    program: str
    batch: int
    transactions: int
    measured: int
    base: float
    queries: dict[str, float]

    @property
    def total(self) -> float:
        return self.base + sum(self.queries.values())

    @property
    def scaled(self) -> bool:
        return self.measured < self.transactions

    def document(self) -> dict[str, Any]:
        return asdict(self) | {"total": self.total, "scaled": self.scaled}


def batches(count: int, size: int, most: int | None) -> list[list[Primary]]:
    """Primary transactions in batches; not more batches than `most`."""
    wanted = count if most is None else min(count, size * most)
    every = list(primaries(wanted, SEED))
    return [every[n : n + size] for n in range(0, wanted, size)]


def _took(program: str, size: int, count: int, work: Sequence[Sequence[Primary]], base: float, queries: dict[str, float]) -> Took:
    measured = sum(map(len, work))
    scale = count / measured
    return Took(program, size, count, measured, base * scale, {q: s * scale for q, s in queries.items()})


def by_hand(count: int, size: int) -> Took:
    """In plain Python, transaction by transaction. Each program is timed alone, over the whole stream."""
    work = batches(count, size, None)
    base = Base()
    began = time.perf_counter()
    for batch in work:
        for primary in batch:
            base.add(primary)
    stored = time.perf_counter() - began
    seconds = {}
    for query, program in BY_HAND.items():
        kept = program(base)
        began = time.perf_counter()
        for batch in work:
            for primary in batch:
                kept.add(primary)
        seconds[query] = time.perf_counter() - began
    return _took("plain Python", size, count, work, stored, seconds)


def answers(work: Sequence[Sequence[Primary]]) -> dict[str, list[tuple[object, ...]]]:
    """What each query gives after these batches, by hand."""
    base = Base()
    kept = {q: program(base) for q, program in BY_HAND.items()}
    for batch in work:
        for primary in batch:
            base.add(primary)
            for program in kept.values():
                program.add(primary)
    return {q: sorted(program.result(), key=repr) for q, program in kept.items()}


def on_spark(session: Any, directory: Path, count: int, size: int, most: int) -> Iterator[Took | float]:
    """In PySpark by hand: how far it is, and at the end what it took."""
    work = batches(count, size, most)
    program = OnSpark(session, directory)
    for n, batch in enumerate(work):
        program.add(batch)
        yield (n + 1) / len(work)
    for query, expected in answers(work).items():
        assert sorted(program.result(query), key=repr) == expected, f"PySpark by hand: {query}"
    seconds = dict(program.seconds)
    yield _took("PySpark", size, count, work, seconds.pop("base"), seconds)


class Objects:
    """The application over Belvedere: what it knows are the oids of orders, sales and receipts by number."""

    def __init__(self, wh: bv.Warehouse, mode: str) -> None:
        self.wh = wh
        self.oids: dict[tuple[type, int], int] = {}
        wh.odl(MODEL)
        with wh.transaction() as tx:
            self.customers = tx.new_many("Customer", [{"name": f"customer {n}"} for n in range(CUSTOMERS)]).to_pylist()
            products = [{"name": f"product {n}", "cost": cost_of(n)} for n in range(PRODUCTS)]
            self.products = tx.new_many("Product", products).to_pylist()
        self.views = {q: wh.create_view(q, text, language="oql", mode=mode) for q, text in QUERIES.items()}

    def add(self, batch: Sequence[Primary]) -> None:
        """One transaction; orders before the sales that name them, sales before their payments."""
        with self.wh.transaction() as tx:
            for kind in (Order, Sale, Receipt):
                mine = [p for p in batch if isinstance(p, kind)]
                if mine:
                    self._add(tx, kind, mine)

    def _add(self, tx: Any, kind: type, mine: list[Any]) -> None:
        if kind is Order:
            owners = [{"date": p.date, "customer": self.customers[p.customer]} for p in mine]
            self._note(tx.new_many("Order", owners), Order, mine)
            lines = [
                {"order": self.oids[Order, p.no], "product": self.products[product], "quantity": quantity}
                for p in mine for product, quantity in p.lines
            ]  # fmt: skip
            tx.new_many("OrderLineItem", lines)
        elif kind is Sale:
            self._note(tx.new_many("Sale", [{"no": p.no, "order": self.oids[Order, p.order]} for p in mine]), Sale, mine)
            lines = [
                {"sale": self.oids[Sale, p.no], "product": self.products[product], "price": price, "quantity": quantity}
                for p in mine for product, price, quantity in p.lines
            ]  # fmt: skip
            tx.new_many("SaleLineItem", lines)
        else:
            self._note(tx.new_many("CashReceipt", [{"checkAmount": p.amount} for p in mine]), Receipt, mine)
            lines = [
                {"receipt": self.oids[Receipt, p.no], "sale": self.oids[Sale, sale], "amount": amount}
                for p in mine for sale, amount in p.payments
            ]  # fmt: skip
            tx.new_many("Payment", lines)

    def _note(self, oids: Any, kind: type, mine: list[Any]) -> None:
        self.oids.update(zip(((kind, p.no) for p in mine), oids.to_pylist(), strict=True))


def with_belvedere(
    directory: Path, engine: str, mode: str, count: int, size: int, most: int | None
) -> Iterator[Took | float]:
    """Objects and views in a warehouse: how far it is, and at the end what it took."""
    work = batches(count, size, most)
    with bv.open(directory, engine=engine) as wh:
        objects = Objects(wh, mode)
        before = {q: len(v.history()) for q, v in objects.views.items()}
        whole = 0.0
        for n, batch in enumerate(work):
            began = time.perf_counter()
            objects.add(batch)
            if mode == "deferred":
                wh.refresh()
            whole += time.perf_counter() - began
            yield (n + 1) / len(work)
        expected = answers(work)
        began = time.perf_counter()
        found = {q: v.rows() for q, v in objects.views.items()}
        whole += (time.perf_counter() - began) if mode in ("lazy", "hybrid") else 0.0
        for query, rows in found.items():
            assert sorted((tuple(r.values()) for r in rows), key=repr) == expected[query], f"Belvedere: {query}"
            assert objects.views[query].verify().ok, query
        seconds = {q: sum(h["seconds"] for h in v.history()[before[q] :]) for q, v in objects.views.items()}
    yield _took("Belvedere", size, count, work, whole - sum(seconds.values()), seconds)
