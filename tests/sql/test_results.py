"""What bound queries give, where plain DuckDB cannot be asked: Spark's own constructs and Spark's own answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.sql.differential import canonical, engine_rows
from tests.sql.tables import TableNames, scan

from belvedere.engines.duckdb import DuckDBEngine
from belvedere.errors import EngineError
from belvedere.languages.sql import bind


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(threads=1)
    yield engine
    engine.close()


CASES: list[tuple[str, list[tuple[Any, ...]]]] = [
    ("select id, explode(tags) as t from orders", [(1, "a"), (1, "b"), (4, "a"), (4, None), (5, "c"), (5, "c")]),
    (
        "select id, explode_outer(tags) as t from orders",
        [(1, "a"), (1, "b"), (2, None), (3, None), (4, "a"), (4, None), (5, "c"), (5, "c")],
    ),
    ("select id, posexplode(tags) as (p, t) from orders where id = 1", [(1, 0, "a"), (1, 1, "b")]),
    ("select o.id, t.tag from orders o lateral view explode(tags) t as tag where t.tag = 'a'", [(1, "a"), (4, "a")]),
    ("select o.id, tag from orders o lateral view outer explode(tags) t as tag where id in (2, 3)", [(2, None), (3, None)]),
    ("select id, k, v from orders lateral view explode(counts) e as k, v where id = 4", [(4, "x", 2), (4, "y", None)]),
    ("select explode(counts) from orders where id = 1", [("x", 1)]),
    ("select o.id, e.x from orders o, lateral explode(o.tags) as e(x) where o.id = 1", [(1, "a"), (1, "b")]),
    ("select inline(array(struct(1 as a, 'x' as b), struct(2 as a, 'y' as b)))", [(1, "x"), (2, "y")]),
    ("select try_element_at(array(named_struct('a', 'x')), 3).a as n", [(None,)]),
    ("select stack(2, 1, 'a', 2)", [(1, "a"), (2, None)]),
    ("select * from range(2, 8, 3)", [(2,), (5,)]),
    ("select * from range(0)", []),
    ("select * from explode(array(1, 2)) as e(x)", [(1,), (2,)]),
    ("select id, size(tags) as n from orders where id <= 2", [(1, 2), (2, 0)]),
    ("select collect_list(x) as l, collect_set(x) as s from empty", [((), ())]),
    ("select collect_list(name) as l from customers", [(("Ada", "Bob", "Cyd", "Eve"),)]),
    ("select id, (select collect_list(qty) from items i where i.order_id = o.id) as l from orders o where id > 2",
     [(3, ()), (4, ()), (5, ()), (5, ())]),
    ("select product, sum(qty) as s from items group by product with rollup",
     [("pen", 22), ("ink", 1), (None, None), ("pad", 3), (None, 26)]),
    ("select x, count(*) as n from empty group by rollup (x)", []),
    (
        "select * from (select product, qty, order_id from items) pivot (sum(qty) as s for product in ('pen', 'ink' as i))",
        [(1, 2, 1), (2, 20, None), (3, None, None), (9, None, 0), (None, None, None)],
    ),
    (
        "select * from (select product, order_id from items) pivot (count(*) for product in ('pen', null))",
        [(1, 1, None), (2, 2, None), (3, None, 1), (9, None, None), (None, None, None)],
    ),
    (
        "select * from (select id, name, region from customers where id < 3) unpivot (v for n in (name, region as `r`))",
        [(1, "name", "Ada"), (1, "r", "north"), (2, "name", "Bob"), (2, "r", "south")],
    ),
    ("select * from customers unpivot (v for n in (name, region)) where id = 4", []),
    ("select id, n from customers unpivot include nulls (v for n in (name, region)) where id = 4", [(4, "name"), (4, "region")]),
    ("select * from customers except select * from customers where region = 'north'",
     [(2, "Bob", "south"), (4, None, None), (None, "Eve", "south")]),
    ("select a, A, `a b` from `Odd ``Name``` where A = 3", [(4, 3, 1)]),
    ("select 'it''s' as a, 'a' 'b' as b, \"q\" as c", [("it's", "ab", "q")]),
    ("select id from ORDERS where ID = 1", [(1,)]),
    ("select id from customers order by id limit 2", [(None,), (1,)]),
    ("select id from customers order by id desc limit 1", [(4,)]),
    ("select count(*) as n from orders tablealias where tablealias.id > 4", [(2,)]),
    ("from orders select id where id = 2", [(2,)]),
    ("select sales.total, shop.sales.id, total as t from shop.sales where id = 1", [(5, 1, 5)]),
    ("select mean(qty) as m, every(qty > 0) as e, some(qty > 5) as s, any(qty > 5) as a from items where order_id = 1",
     [(1.5, True, False, False)]),
    ("select count(qty, product) as n from items", [(6,)]),
    ("select median(qty) as m, percentile(qty, 0.25) as q from items", [(2.5, 1.25)]),
    ("select product, percentile_cont(0.5) within group (order by price desc) as m from items group by product",
     [("pen", 1.25), ("ink", 2.0), (None, None), ("pad", 2.5)]),
    ("select median(x) as m, listagg(x, ',') as l from empty", [(None, None)]),
    ("select listagg(name, '-') as l, listagg(distinct region) within group (order by region) as r from customers",
     [("Ada-Bob-Cyd-Eve", "northsouth")]),
    ("select listagg(name, ',') filter (where id > 1) as l from customers", [("Bob,Cyd",)]),
    ("select /*+ broadcast(customers) */ name from customers where id = 1", [("Ada",)]),
    ("select name from customers where id = 1 distribute by name sort by name", [("Ada",)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rows"), CASES, ids=[c[0][:70] for c in CASES])
def test_rows(engine: DuckDBEngine, text: str, rows: list[tuple[Any, ...]]) -> None:
    assert engine_rows(engine, text) == Counter(tuple(canonical(v) for v in r) for r in rows)


def test_a_scalar_subquery_with_two_rows_fails_when_it_runs(engine: DuckDBEngine) -> None:
    bound = bind("select id, (select product from items i where i.order_id = o.id) as p from orders o", TableNames())
    with pytest.raises(EngineError, match="more than one row"):
        engine.run(bound.node, scan)


def test_a_comma_binds_weaker_than_a_join(engine: DuckDBEngine) -> None:
    rest = "orders o full join items i on o.id = i.order_id"
    comma = engine_rows(engine, f"select c.id, o.id as oid, i.qty from customers c, {rest}")
    assert comma == engine_rows(engine, f"select c.id, o.id as oid, i.qty from customers c cross join ({rest})")
    assert comma != engine_rows(engine, f"select c.id, o.id as oid, i.qty from customers c cross join {rest}")


def test_views_over_views(engine: DuckDBEngine) -> None:
    inner = bind("select customer, sum(amount) as total from orders group by customer", TableNames()).node
    names = TableNames({"totals": inner})
    bound = bind("select c.name, t.total from customers c join totals t on t.customer = c.id where t.total > 0", names)
    table, _ = engine.run(bound.node, scan)
    rows = Counter({})
    for r in table.to_pylist():
        rows[r["name"], float(r["total"])] += r["_w"]
    assert +rows == {("Ada", 12.75): 1}
    assert bound.relations == ("customers", "totals")


def test_presentation_order_may_need_columns_that_are_not_shown() -> None:
    bound = bind("select id from orders order by amount desc, id", TableNames())
    assert bound.node.schema.names == ("id",)
    assert bound.ordered is not None
    assert bound.ordered.schema.names[0] == "id"
    assert [(k.column in bound.ordered.schema, k.descending) for k in bound.order] == [(True, True), (True, False)]


def test_what_the_binder_tells_about_a_query() -> None:
    bound = bind("select o.id as key, count(*) as n from orders o, ITEMS group by o.id order by n", TableNames())
    assert bound.columns == ("key", "n")
    assert bound.relations == ("orders", "items")
    assert not bound.star
    assert [str(k) for k in bound.order] == ["n NULLS FIRST"]
    assert bind("select t.* from (select * from orders) t", TableNames()).star
