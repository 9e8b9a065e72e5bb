"""Two or more small databases that are joined without a mirror."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.servers.sites import LogicalSite, Site

import belvedere as bv
from belvedere.sources.sqlite.connection import Connection

JOIN = "select o.id, c.city, o.amount from sales.orders o join crm.customers c on c.name = o.customer"
TOTALS = f"select city, sum(amount) total, count(*) n from ({JOIN}) group by city"


def orders(site: Site) -> None:
    site.execute(
        f"create table orders (id integer primary key, customer {site.text}, amount integer)",
        "insert into orders values (1, 'ann', 10), (2, 'bob', 20), (3, 'ann', 5), (4, NULL, NULL), (5, 'eve', 7)",
    )


def customers(site: Site) -> None:
    site.execute(
        f"create table customers (name {site.text} primary key, city {site.text})",
        "insert into customers values ('ann', 'Ulm'), ('bob', 'Bonn')",
    )


def attach(wh: bv.Warehouse, sales: Site, crm: Site, options: str = "") -> None:
    orders(sales)
    customers(crm)
    wh.attach("sales", sales.url + options)
    wh.attach("crm", crm.url + options)


def rows(view: bv.View) -> list[tuple[Any, ...]]:
    return sorted((tuple(r.values()) for r in view.rows()), key=repr)


def joined(sales: Site, crm: Site) -> list[tuple[Any, ...]]:
    """JOIN over the databases as they are."""
    cities = dict(crm.fetch("select name, city from customers"))
    found = [(i, cities[c], a) for i, c, a in sales.fetch("select id, customer, amount from orders") if c in cities]
    return sorted(found, key=repr)


def entries(site: Site) -> int:
    """Entries in all change logs of a site, but for the one that each keeps for good."""
    if isinstance(site, LogicalSite):
        return site.untold()
    logs = {n for n in site.objects() if n.count("_") == 3}
    return sum(site.fetch(f"select count(*) from {site.quoted.format(n)}")[0][0] - 1 for n in logs)


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements by which rows that were sent are joined with a table of a SQLite file, as SQLite gets them."""
    asked: list[str] = []
    original: Callable[..., Any] = Connection.rows

    def rows(self: Connection, sql: str, *given: Any) -> Any:
        if "bv_given" in sql and "JOIN" in sql:
            asked.append(sql)
        return original(self, sql, *given)

    Connection.rows = rows  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        Connection.rows = original  # type: ignore[method-assign]
