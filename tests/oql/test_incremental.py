"""Views in OQL under every kind of update: always incremental, always equal to the query asked anew."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.oql.support import NESTED, populated
from tests.warehouse.helpers import bag

import belvedere as bv

VIEWS = [
    "select struct(E:e.name, D:d.name) from e in Employees, d in Departments where e.dept = d",
    "select struct(E:e.name, D:d.name) from e in Employees, d in Departments where e.dept = d and e.age >= 39",
    NESTED,
    "select e.dept.name from e in Employees",
    "select distinct e.manager.dept.name from e in Employees",
    "select e.name from e in Employees where exists c in e.dependents: c.age > 3",
    "select e.name from e in Employees where for all c in e.dependents: c.age > 3",
    "select d: d.name, n: count(*), s: sum(select p.e.salary from p in partition) from e in Employees group by d: e.dept",
    "select a, partition from e in Employees group by a: e.dept.name having count(*) > 1",
    "select d: d.name, a: avg(select e.age from e in d.employees), o: (select e.name from e in d.employees order by e.age desc) "
    "from d in Departments",
    "struct(n: count(Employees), s: sum(select e.salary from e in Employees), oldest: max(select p.age from p in Persons))",
    "(select e.name from e in Employees) union (select p.name from p in Persons) except (select d.name from d in Departments)",
    "select struct(p: p.title, m: (select m.name from m in p.members), r: (select r.name from r in p.reviewers where r.age > 3)) "
    "from p in Projects",
    "select struct(a: e.name, b: f.name) from e in Employees, f in Employees where e.age > f.age and e.dept = f.dept",
    "select x from p in Projects, x in p.scores where x in p.marks",
    "select struct(t: p.title, f: first(p.scores), s: p.scores[1:2], k: p.counts[\"a\"], l: p.reviewers[0].name) "
    "from p in Projects",
    "select e.name from e in Employees where e.salary > avg(select f.salary from f in Employees where f.dept = e.dept)",
    "select struct(n: e.name, c: (select struct(a: a, k: count(partition)) from c in e.dependents group by a: c.age)) "
    "from e in Employees",
    "select ((employee) p).salary from p in Persons",
    "select struct(n: e.name, older: (select f.name from f in Employees where f.age > e.age)) from e in Employees",
]  # fmt: skip


def updates(o: dict[str, int]) -> list[Any]:
    """Transactions, each a function of one."""

    def first(tx: Any) -> None:
        tx.modify(o["bob"], age=41, dept=o["d2"])
        tx.insert_element(o["cy"], "dependents", o["kid"])

    def second(tx: Any) -> None:
        children = [o["tot"], o["cy"]]
        o["dee"] = tx.new("employee", name="Dee", age=41, salary=70, dept=o["d2"], manager=o["bob"], dependents=children)
        tx.modify(o["p"], scores=[1, 2, 2], counts={"a": 7})
        tx.modify(o["kid"], name="Kit", age=None)

    def third(tx: Any) -> None:
        tx.delete_object(o["tot"])
        tx.delete_object(o["d1"])
        tx.insert_element(o["q"], "members", o["m2"])
        tx.remove_element(o["p"], "members", o["m1"])

    def fourth(tx: Any) -> None:
        tx.modify(o["ann"], dept=o["d2"], salary=None, manager=o["dee"])
        tx.modify(o["d2"], name="D9")
        tx.insert_element(o["q"], "reviewers", o["kid"])
        tx.delete_object(o["bob"])

    def fifth(tx: Any) -> None:
        for k in ("ann", "cy", "dee"):
            tx.delete_object(o[k])

    return [first, second, third, fourth, fifth]


def asked(wh: Any, text: str) -> Counter[Any]:
    return bag(wh.query(text, language="oql").rows())


@pytest.mark.parametrize("chunk", range(4))
def test_views_follow_their_objects(chunk: int, tmp_path: Path) -> None:
    wh, o = populated(tmp_path)
    texts = VIEWS[chunk::4]
    with wh:
        views = [wh.create_view(f"v{i}", t, language="oql") for i, t in enumerate(texts)]
        for change in updates(o):
            with wh.transaction() as tx:
                change(tx)
            for v, text in zip(views, texts, strict=True):
                report = v.refresh(strategy="incremental")
                assert report.strategy in ("incremental", "none"), text
                assert bag(v.rows()) == asked(wh, text), text


SALES = """
class customer (extent customers) { attribute string name; };
class product (extent products) { attribute string name; attribute long cost; };
class purchase (extent orders) {
    attribute date date; attribute customer customer;
    relationship list<orderLine> orderLineItems inverse orderLine::owner; };
class orderLine (extent orderLines) {
    attribute long quantity; attribute product product; relationship purchase owner inverse purchase::orderLineItems; };
class sale (extent sales) {
    attribute long no; attribute purchase order;
    relationship set<saleLine> saleLineItems inverse saleLine::sale;
    relationship set<payment> payments inverse payment::sale; };
class saleLine (extent saleLines) {
    attribute long price; attribute long quantity; attribute product product;
    relationship sale sale inverse sale::saleLineItems; };
class cashReceipt (extent cashReceipts) { attribute long checkAmount; };
class payment (extent payments) { attribute long amount; relationship sale sale inverse sale::payments; };
"""
LEDGER = """struct(
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
        from s in sales, i in s.saleLineItems))"""
STATISTICS = """select struct(
  product: product.name,
  month: month,
  total: sum(select p.i.quantity
             from p in partition))
from order in orders, i in order.orderLineItems
group by product: i.product,
          month: order.date.monthIndex"""
UNPAID = """select struct(
  name: s.order.customer.name,
  no: s.no)
from s in sales
where (sum(select i.price * i.quantity
           from i in s.saleLineItems)
 - sum(select p.amount
       from p in s.payments)) > 0"""


def test_the_second_papers_queries(tmp_path: Path) -> None:
    """Fig 7 as printed, over the model of Fig 6, after every transaction."""
    with bv.open(str(tmp_path / "wh"), engine="duckdb") as wh:
        wh.odl(SALES)
        with wh.transaction() as tx:
            customers = [tx.new("customer", name=n) for n in ("Ann", "Bob")]
            products = [tx.new("product", name=n, cost=c) for n, c in (("pen", 2), ("ink", 5))]
        texts = {"ledger": LEDGER, "statistics": STATISTICS, "unpaid": UNPAID}
        views = {n: wh.create_view(n, t, language="oql") for n, t in texts.items()}
        made: list[Any] = []
        for n in range(6):
            with wh.transaction() as tx:
                order = tx.new("purchase", date=dt.date(2026, 1 + n % 3, 1), customer=customers[n % 2])
                line = tx.new("orderLine", quantity=n, product=products[n % 2], owner=order)
                sale = tx.new("sale", no=n, order=order)
                sold = tx.new("saleLine", price=10, quantity=n, product=products[n % 2], sale=sale)
                tx.new("payment", amount=10 * n if n % 2 else 1, sale=sale)
                tx.new("cashReceipt", checkAmount=n)
                made += [line, sold]
                if n == 3:
                    tx.delete_object(made[0])
                    tx.modify(made[1], price=7)
                    tx.modify(products[0], cost=3, name="pencil")
                if n == 4:
                    tx.delete_object(order)
            for name, v in views.items():
                assert v.refresh(strategy="incremental").strategy in ("incremental", "none")
                assert bag(v.rows()) == asked(wh, texts[name]), (name, n)
        assert views["unpaid"].rows()


def test_what_a_partition_gives_is_kept_by_its_delta(tmp_path: Path) -> None:
    """Order Statistics gathers no partition: its aggregate is linear."""
    with bv.open(str(tmp_path / "wh"), engine="duckdb") as wh:
        wh.odl(SALES)
        plan = wh.create_view("statistics", STATISTICS, language="oql").definition.plan
        states = [s.state for s in plan.stages if s.state is not None]
        assert states
        assert all(s.linear for s in states)


def test_views_over_views_and_tables(tmp_path: Path) -> None:
    wh, o = populated(tmp_path)
    with wh:
        wh.create_view("olds", "select struct(who: e, age: e.age) from e in Employees where e.age > 35", language="oql")
        wh.create_view("names", "select o.who.name from o in olds", language="oql")
        wh.create_view("total", "sum(select o.age from o in olds)", language="oql")
        wh.create_view("twice", "total * 2", language="oql")
        wh.create_view("counted", "select count(*) as n from Employees where age > 35")
        with wh.transaction() as tx:
            tx.modify(o["bob"], age=50)
        wh.refresh()
        assert bag(wh.view("names").rows()) == bag([{"value": "Ann"}, {"value": "Bob"}])
        assert wh.view("twice").rows() == [{"value": 180}]
        assert wh.view("counted").rows() == [{"n": 2}]


def test_a_collection_that_is_said_more_than_once_is_kept_once(tmp_path: Path) -> None:
    wh, o = populated(tmp_path)
    with wh:
        names = "(select {0}.name from {0} in d.employees)"
        once = wh.create_view("once", f"select d: d.name, a: {names.format('e')} from d in Departments", language="oql")
        fields = ", ".join(f"{v}: {names.format(v)}" for v in ("e", "f", "g"))
        text = f"select d: d.name, {fields} from d in Departments"
        thrice = wh.create_view("thrice", text, language="oql")
        assert len(thrice.definition.plan.stages) == len(once.definition.plan.stages)
        with wh.transaction() as tx:
            tx.modify(o["bob"], name="Rob", dept=o["d1"])
        assert thrice.refresh(strategy="incremental").strategy == "incremental"
        assert bag(thrice.rows()) == asked(wh, text)
