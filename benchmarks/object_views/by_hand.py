"""The three queries kept by hand in plain Python: dictionaries that each primary transaction updates. Nothing is stored."""

from __future__ import annotations

from benchmarks.object_views.ledger import CUSTOMERS, PRODUCTS, Order, Primary, Receipt, Sale, cost_of


class Base:
    """The objects themselves, by number, as an application without a database holds them."""

    def __init__(self) -> None:
        self.customers = {n: f"customer {n}" for n in range(CUSTOMERS)}
        self.products = {n: (f"product {n}", cost_of(n)) for n in range(PRODUCTS)}
        self.orders: dict[int, Order] = {}
        self.sales: dict[int, Sale] = {}
        self.receipts: dict[int, Receipt] = {}

    def add(self, primary: Primary) -> None:
        match primary:
            case Order():
                self.orders[primary.no] = primary
            case Sale():
                self.sales[primary.no] = primary
            case Receipt():
                self.receipts[primary.no] = primary


class GeneralLedger:
    """Three running totals."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.charged = self.cash = self.cost = 0

    def add(self, primary: Primary) -> None:
        match primary:
            case Sale(lines=lines):
                for product, price, quantity in lines:
                    self.charged += price * quantity
                    self.cost += self.base.products[product][1] * quantity
            case Receipt(amount=amount):
                self.cash += amount

    def result(self) -> list[tuple[object, ...]]:
        return [(self.charged - self.cash, self.cash, self.cost)]


class OrderStatistics:
    """A total for each product and month."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.totals: dict[tuple[int, int], int] = {}

    def add(self, primary: Primary) -> None:
        if isinstance(primary, Order):
            month = primary.date.month
            for product, quantity in primary.lines:
                self.totals[product, month] = self.totals.get((product, month), 0) + quantity

    def result(self) -> list[tuple[object, ...]]:
        return [(self.base.products[p][0], month, total) for (p, month), total in self.totals.items()]


class UnpaidSales:
    """What each sale still owes, and those that owe something."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.owed: dict[int, int] = {}
        self.unpaid: dict[int, tuple[str, int]] = {}

    def add(self, primary: Primary) -> None:
        match primary:
            case Sale(no=no, lines=lines):
                self._owe(no, sum(price * quantity for _, price, quantity in lines))
            case Receipt(payments=payments):
                for sale, amount in payments:
                    self._owe(sale, -amount)

    def _owe(self, sale: int, amount: int) -> None:
        owed = self.owed[sale] = self.owed.get(sale, 0) + amount
        if owed <= 0:
            self.unpaid.pop(sale, None)
        elif sale not in self.unpaid:
            self.unpaid[sale] = (self.base.customers[self.base.orders[self.base.sales[sale].order].customer], sale)

    def result(self) -> list[tuple[object, ...]]:
        return list(self.unpaid.values())


Kept = GeneralLedger | OrderStatistics | UnpaidSales
BY_HAND: dict[str, type[Kept]] = {
    "General Ledger": GeneralLedger, "Order Statistics": OrderStatistics, "Unpaid Sales": UnpaidSales,
}  # fmt: skip
