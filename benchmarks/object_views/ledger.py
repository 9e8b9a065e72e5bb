"""The second paper's model (Fig 6) in ODL, its three queries (Fig 7) as printed, and primary transactions to insert."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import dataclass

MODEL = """
class Customer (extent customers) { attribute string name; };
class Product (extent products) { attribute string name; attribute long long cost; };
class Order (extent orders) {
  attribute date date;
  attribute Customer customer;
  relationship set<OrderLineItem> orderLineItems inverse OrderLineItem::order;
  relationship set<Sale> sales inverse Sale::order;
};
class OrderLineItem (extent orderLineItems) {
  attribute long long quantity;
  attribute Product product;
  relationship Order order inverse Order::orderLineItems;
};
class Sale (extent sales) {
  attribute long long no;
  relationship Order order inverse Order::sales;
  relationship set<SaleLineItem> saleLineItems inverse SaleLineItem::sale;
  relationship set<Payment> payments inverse Payment::sale;
};
class SaleLineItem (extent saleLineItems) {
  attribute long long price;
  attribute long long quantity;
  attribute Product product;
  relationship Sale sale inverse Sale::saleLineItems;
};
class CashReceipt (extent cashReceipts) {
  attribute long long checkAmount;
  relationship set<Payment> payments inverse Payment::receipt;
};
class Payment (extent payments) {
  attribute long long amount;
  relationship CashReceipt receipt inverse CashReceipt::payments;
  relationship Sale sale inverse Sale::payments;
};
"""
GENERAL_LEDGER = """
struct(
accountsReceivable:
  (sum(select i.price * i.quantity
        from s in sales, i in s.saleLineItems)
 - sum(select r.checkAmount
        from r in cashReceipts)),
cash:
  sum(select r.checkAmount
        from r in cashReceipts),
costOfGoodsSold:
  sum(select i.product.cost * i.quantity
        from s in sales, i in s.saleLineItems))
"""
ORDER_STATISTICS = """
select struct(
  product: product.name,
  month: month,
  total: sum(select p.i.quantity
             from p in partition))
from order in orders, i in order.orderLineItems
group by product: i.product,
          month: order.date.monthIndex
"""
UNPAID_SALES = """
select struct(
  name: s.order.customer.name,
  no: s.no)
from s in sales
where (sum(select i.price * i.quantity
           from i in s.saleLineItems)
 - sum(select p.amount
       from p in s.payments)) > 0
"""
QUERIES = {"General Ledger": GENERAL_LEDGER, "Order Statistics": ORDER_STATISTICS, "Unpaid Sales": UNPAID_SALES}
CUSTOMERS, PRODUCTS, LINES = 200, 500, 5


@dataclass(frozen=True)
class Order:
    """A primary transaction; lines are (product, quantity). Everything is named by its number."""

    no: int
    customer: int
    date: dt.date
    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Sale:
    """A primary transaction; lines are (product, price, quantity)."""

    no: int
    order: int
    lines: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Receipt:
    """A primary transaction; payments are (sale, amount), and the check covers them."""

    no: int
    amount: int
    payments: tuple[tuple[int, int], ...]


Primary = Order | Sale | Receipt


def cost_of(product: int) -> int:
    return 50 + product * 7 % 900


def primaries(count: int, seed: int) -> Iterator[Primary]:
    """Orders, sales and receipts in turn, each with five subsequent transactions. Payments go to the sale that waits longest,
    so that unpaid ones come and go."""
    rng = random.Random(seed)
    owed: dict[int, int] = {}
    for n in range(count):
        no = n // 3
        match n % 3:
            case 0:
                day = dt.date(2026, 1, 1) + dt.timedelta(days=no % 365)
                lines = tuple((rng.randrange(PRODUCTS), rng.randint(1, 9)) for _ in range(LINES))
                yield Order(no, rng.randrange(CUSTOMERS), day, lines)
            case 1:
                sold = tuple((rng.randrange(PRODUCTS), rng.randint(100, 2000), rng.randint(1, 9)) for _ in range(LINES))
                owed[no] = sum(price * quantity for _, price, quantity in sold)
                yield Sale(no, no, sold)
            case _:
                paid = tuple(_pay(owed, rng) for _ in range(LINES))
                yield Receipt(no, sum(amount for _, amount in paid), paid)


def _pay(owed: dict[int, int], rng: random.Random) -> tuple[int, int]:
    """A fifth of what is owed, or all of it one time in five: a sale takes about five payments, as many as there are."""
    sale = next(iter(owed), 0)
    amount = owed.get(sale, 0)
    if rng.random() < 0.8:
        amount //= 5
        owed[sale] = owed.get(sale, 0) - amount
    else:
        owed.pop(sale, None)
    return sale, amount
