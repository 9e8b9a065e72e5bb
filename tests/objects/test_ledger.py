"""The second paper's three queries on its own model, in every mode, under random updates, after every transaction."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from typing import Any

import pytest
from benchmarks.object_views.ledger import MODEL, QUERIES
from tests.warehouse.helpers import bag

import belvedere as bv

MODES = ("immediate", "deferred", "lazy", "hybrid")
#: of each mode
TRANSACTIONS = 15
ACTIONS = ["new", "new", "new", "modify", "modify", "delete", "element"]
World = dict[str, dict[int, dict[str, Any]]]

#: class → how a value of each property is made; a class's name stands for a reference to one of its objects, or nil
CLASSES: dict[str, dict[str, Any]] = {
    "Customer": {"name": lambda r: r.choice("ABC")},
    "Product": {"name": lambda r: r.choice("xyz"), "cost": lambda r: r.choice([None, 1, 2, 3])},
    "Order": {"date": lambda r: r.choice([None, dt.date(2026, r.randint(1, 3), 5)]), "customer": "Customer"},
    "OrderLineItem": {"quantity": lambda r: r.choice([None, 1, 2]), "product": "Product", "order": "Order"},
    "Sale": {"no": lambda r: r.randrange(50), "order": "Order"},
    "SaleLineItem": {
        "price": lambda r: r.choice([None, 3, 4]), "quantity": lambda r: r.randint(0, 3), "product": "Product", "sale": "Sale",
    },
    "CashReceipt": {"checkAmount": lambda r: r.choice([None, 5, 9])},
    "Payment": {"amount": lambda r: r.choice([None, 2, 6, 12]), "receipt": "CashReceipt", "sale": "Sale"},
}  # fmt: skip
#: the collection sides: owner's class, its property, member's class, the member's reference
INVERSES = [
    ("Order", "orderLineItems", "OrderLineItem", "order"), ("Order", "sales", "Sale", "order"),
    ("Sale", "saleLineItems", "SaleLineItem", "sale"), ("Sale", "payments", "Payment", "sale"),
    ("CashReceipt", "payments", "Payment", "receipt"),
]  # fmt: skip


def total(values: Any) -> int:
    return sum(v for v in values if v is not None)


def times(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a * b


def general_ledger(w: World) -> list[dict[str, Any]]:
    sold = [i for i in w["SaleLineItem"].values() if i["sale"] is not None]
    cash = total(r["checkAmount"] for r in w["CashReceipt"].values())
    costs = (times(w["Product"][i["product"]]["cost"], i["quantity"]) for i in sold if i["product"] is not None)
    charged = total(times(i["price"], i["quantity"]) for i in sold)
    return [{"accountsReceivable": charged - cash, "cash": cash, "costOfGoodsSold": total(costs)}]


def order_statistics(w: World) -> list[dict[str, Any]]:
    groups: dict[tuple[int | None, int | None], int] = {}
    for i in w["OrderLineItem"].values():
        if i["order"] is not None:
            day = w["Order"][i["order"]]["date"]
            key = (i["product"], None if day is None else day.month)
            groups[key] = groups.get(key, 0) + (i["quantity"] or 0)
    name = {None: None} | {k: p["name"] for k, p in w["Product"].items()}
    return [{"product": name[p], "month": m, "total": t} for (p, m), t in groups.items()]


def unpaid_sales(w: World) -> list[dict[str, Any]]:
    found = []
    for oid, s in w["Sale"].items():
        charged = total(times(i["price"], i["quantity"]) for i in w["SaleLineItem"].values() if i["sale"] == oid)
        paid = total(p["amount"] for p in w["Payment"].values() if p["sale"] == oid)
        customer = None if s["order"] is None else w["Order"][s["order"]]["customer"]
        if charged - paid > 0:
            found.append({"name": None if customer is None else w["Customer"][customer]["name"], "no": s["no"]})
    return found


BY_HAND: dict[str, Callable[[World], list[dict[str, Any]]]] = {
    "General Ledger": general_ledger, "Order Statistics": order_statistics, "Unpaid Sales": unpaid_sales,
}  # fmt: skip


class Pair:
    """A transaction, and the plain world beside it, changed alike."""

    def __init__(self, tx: Any, world: World, rng: random.Random) -> None:
        self.tx, self.world, self.rng = tx, world, rng

    def some(self, cls: str) -> int | None:
        return self.rng.choice([*self.world[cls]]) if self.world[cls] else None

    def value(self, how: Any) -> Any:
        if callable(how):
            return how(self.rng)
        return self.some(how) if self.rng.random() < 0.9 else None

    def new(self) -> None:
        cls = self.rng.choice(list(CLASSES))
        values = {name: self.value(how) for name, how in CLASSES[cls].items()}
        self.world[cls][self.tx.new(cls, **values)] = values

    def modify(self) -> None:
        cls = self.rng.choice(list(CLASSES))
        oid, name = self.some(cls), self.rng.choice(list(CLASSES[cls]))
        if oid is not None:
            value = self.value(CLASSES[cls][name])
            self.tx.modify(oid, **{name: value})
            self.world[cls][oid][name] = value

    def delete(self) -> None:
        cls = self.rng.choice(list(CLASSES))
        oid = self.some(cls)
        if oid is not None:
            self.tx.delete_object(oid)
            del self.world[cls][oid]
            for other, properties in CLASSES.items():
                for o in self.world[other].values():
                    o.update({n: None for n, how in properties.items() if how == cls and o[n] == oid})

    def element(self) -> None:
        """A member comes to or leaves a collection side, by that side."""
        owner_class, name, member_class, back = self.rng.choice(INVERSES)
        owner, member = self.some(owner_class), self.some(member_class)
        if owner is None or member is None:
            return
        held = self.world[member_class][member]
        if held[back] == owner:
            self.tx.remove_element(owner, name, member)
            held[back] = None
        else:
            self.tx.insert_element(owner, name, member)
            held[back] = owner


def changed(wh: bv.Warehouse, world: World, rng: random.Random, how: list[str]) -> None:
    with wh.transaction() as tx:
        pair = Pair(tx, world, rng)
        for what in how:
            getattr(pair, what)()




@pytest.mark.parametrize("mode", MODES)
def test_the_three_queries_follow_every_update(wh: bv.Warehouse, mode: str) -> None:
    rng = random.Random(f"ledger {mode}")
    wh.odl(MODEL)
    world: World = {c: {} for c in CLASSES}
    changed(wh, world, rng, ["new"] * 60)
    views = {q: wh.create_view(q, text, language="oql", mode=mode) for q, text in QUERIES.items()}
    for n in range(TRANSACTIONS):
        changed(wh, world, rng, rng.choices(ACTIONS, k=rng.randint(1, 4)))
        if mode == "immediate":
            assert all(v.status == "fresh" for v in views.values())
        if mode == "deferred":
            assert all(v.refresh(strategy="incremental").strategy in ("incremental", "none") for v in views.values())
        for q, view in views.items():
            assert bag(view.rows()) == bag(BY_HAND[q](world)), (n, q)
            assert view.status == "fresh", (n, q)
            assert view.verify().ok, (n, q)


def test_hybrid_waits_for_readers_if_only_values_change(wh: bv.Warehouse) -> None:
    wh.odl(MODEL)
    with wh.transaction() as tx:
        pen = tx.new("Product", name="pen", cost=2)
        sale = tx.new("Sale", no=1)
        line = tx.new("SaleLineItem", price=5, quantity=3, product=pen, sale=sale)
    view = wh.create_view("ledger", QUERIES["General Ledger"], language="oql", mode="hybrid")
    for price in (6, 7, 8):
        with wh.transaction() as tx:
            tx.modify(line, price=price)
            tx.modify(pen, cost=price)
    assert view.status == "stale"
    assert view.rows() == [{"accountsReceivable": 24, "cash": 0, "costOfGoodsSold": 24}]
    assert len(view.history()) == 2, "three changes of values, one refresh, when read"
    with wh.transaction() as tx:
        tx.new("CashReceipt", checkAmount=4)
    assert view.status == "fresh"
    assert view.rows() == [{"accountsReceivable": 20, "cash": 4, "costOfGoodsSold": 24}]
