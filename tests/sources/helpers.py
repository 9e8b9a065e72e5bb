"""What many tests of sources do."""

from __future__ import annotations

from typing import Any

from tests.servers.sites import Site

import belvedere as bv


def shop(site: Site) -> None:
    """Two tables with a few rows."""
    site.execute(
        f"create table orders (id integer primary key, customer {site.text}, amount integer)",
        f"create table customers (name {site.text} primary key, city {site.text})",
        "insert into orders values (1, 'ann', 10), (2, 'bob', 20), (3, 'ann', 5), (4, NULL, NULL)",
        "insert into customers values ('ann', 'Ulm'), ('bob', 'Bonn')",
    )


def mirror(wh: bv.Warehouse, source: str, table: str) -> list[tuple[Any, ...]]:
    """The rows of a mirror as `Site.rows` gives those of the table."""
    return sorted((tuple(r.values()) for r in wh.query(f"select * from {source}.`{table}`").rows()), key=repr)


def same(wh: bv.Warehouse, source: str, site: Site, *tables: str) -> None:
    """The mirrors hold what the tables hold."""
    for table in tables:
        assert mirror(wh, source, table) == site.rows(table), table
