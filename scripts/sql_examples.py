"""What docs/sql.md asks the code about: one small query for each construct. The answers are the code's."""

from __future__ import annotations

TABLES = {
    "orders": "id bigint, customer bigint, amount decimal(12,2), weight double, note string, day date, tags array<string>, "
    "attrs map<string,int>, lines array<struct<sku: string, n: int>>, place struct<city: string, zip: string>, doc variant",
    "customers": "id bigint, city string, vip boolean",
    "sales": "region string, q1 int, q2 int",
}

#: construct → query
SUPPORTED: dict[str, dict[str, str]] = {
    "Rows and columns": {
        "projection, expressions, `case`": "select id, amount * 2 as a, case when amount > 9 then 'big' end as size from orders",
        "`where`": "select id from orders where amount > 5 and note like 'a%'",
        "`*`, `t.*`, `* except`": "select * except (note) from orders",
        "common table expressions": "with big as (select * from orders where amount > 5) select id from big",
        "subqueries in `from`": "select q.id from (select id from orders where amount > 5) q",
        "`values`": "select * from values (1, 'a'), (2, 'b') as v(id, name)",
        "struct fields, array elements, map values": "select place.city, tags[0] as first, attrs['n'] as n from orders",
        "JSON and variants by path": "select doc:a.b[0] as x from orders",
        "a Python function": "select id, my_function(note) as y from orders",
        "a parameter": "select id from orders where day >= :today",
    },
    "Joins": {
        "inner join, any condition": "select o.id, c.city from orders o join customers c on o.customer = c.id",
        "cross join, comma, theta": "select o.id, c.id as other from orders o, customers c where o.id < c.id",
        "`using`, `natural`": "select id, city from orders join customers using (id)",
        "left, right outer join": "select o.id, c.city from orders o left join customers c on o.customer = c.id",
        "full outer join": "select o.id, c.city from orders o full join customers c on o.customer = c.id",
        "left semi join": "select o.id from orders o left semi join customers c on o.customer = c.id",
        "left anti join": "select o.id from orders o left anti join customers c on o.customer = c.id",
        "lateral": "select c.id, x.n from customers c, lateral (select count(*) as n from orders o where o.customer = c.id) x",
    },
    "Subqueries": {
        "`exists`": "select id from orders o where exists (select 1 from customers c where c.id = o.customer)",
        "`not exists`": "select id from orders o where not exists (select 1 from customers c where c.id = o.customer)",
        "`in`": "select id from orders where customer in (select id from customers)",
        "`not in` (NULLs as in SQL)": "select id from orders where customer not in (select id from customers)",
        "scalar": "select id, (select max(id) from customers) as top from orders",
        "scalar, correlated": "select c.id, (select sum(amount) from orders o where o.customer = c.id) as s from customers c",
        "in `having`": "select customer from orders group by customer having count(*) > (select count(*) from customers)",
        "`any`, `all`": "select id from orders where amount > all (select id from customers)",
    },
    "Groups": {
        "`group by` with linear aggregates": "select customer, sum(amount) as s, count(*) as n from orders group by customer",
        "`group by` with min, max": "select customer, min(amount) as low from orders group by customer",
        "`group by` with any other aggregate": "select customer, collect_list(note) as l from orders group by customer",
        "distinct aggregates": "select customer, count(distinct note) as n from orders group by customer",
        "`filter (where …)`": "select customer, sum(amount) filter (where amount > 1) as s from orders group by customer",
        "without `group by`": "select count(*) as n from orders",
        "`having`": "select customer, count(*) as n from orders group by customer having count(*) > 1",
        "by expressions": "select year(day) as y, count(*) as n from orders group by year(day)",
        "grouping sets, rollup, cube": "select customer, day, sum(amount) as s from orders group by rollup (customer, day)",
        "`distinct`": "select distinct customer from orders",
        "pivot (fixed list)": "select * from (select region, q1 from sales) pivot (sum(q1) for region in ('n', 's'))",
    },
    "Set operations": {
        "`union all`": "select id from orders union all select id from customers",
        "`union`": "select id from orders union select id from customers",
        "`intersect`": "select id from orders intersect select id from customers",
        "`intersect all`": "select id from orders intersect all select id from customers",
        "`except`": "select id from orders except select id from customers",
        "`except all`": "select id from orders except all select id from customers",
    },
    "Windows and order": {
        "ranks": "select id, row_number() over (partition by customer order by day) as r from orders",
        "`lag`, `lead`": "select id, lag(amount) over (partition by customer order by day) as p from orders",
        "`first_value`, `last_value`, `nth_value`": "select id, first_value(note) over (partition by customer order by day) as f "
        "from orders",
        "running aggregates, frames": "select id, sum(amount) over (partition by customer order by day rows 2 preceding) as s "
        "from orders",
        "without partitions": "select id, row_number() over (order by id) as r from orders",
        "`qualify`": "select id from orders qualify row_number() over (partition by customer order by day) = 1",
        "`order by … limit … offset …`": "select id from orders order by amount desc limit 10 offset 5",
    },
    "Nested data": {
        "`explode`, `posexplode`, outer too": "select id, posexplode(tags) as (i, tag) from orders",
        "`lateral view`": "select id, k, v from orders lateral view explode(attrs) a as k, v",
        "arrays of structs, `inline`": "select id, inline(lines) from orders",
        "`transform`, `filter`, `aggregate`, `exists`": "select id, transform(tags, t -> upper(t)) as u from orders",
        "unpivot": "select * from sales unpivot (amount for quarter in (q1, q2))",
    },
}

#: what is refused → a query that asks for it
REFUSED: dict[str, str] = {
    "recursion": "with recursive r as (select 1 as n union all select n + 1 from r) select * from r",
    "`union by name`": "select id from orders union by name select id from customers",
    "`distinct on`": "select distinct on (customer) customer, id from orders",
    "pivot without a list": "select * from (select region, q1 from sales) pivot (sum(q1) for region in (any))",
    "`first`, `last` as aggregates": "select customer, first(note) as f from orders group by customer",
    "`count(distinct *)`": "select count(distinct *) as n from orders",
    "an order inside of `array_agg`": "select array_agg(note order by id) as l from orders",
    "`tablesample`": "select id from orders tablesample (10 percent)",
    "an earlier version in a text": "select id from orders version as of 3",
    "distinct in a window": "select count(distinct note) over (partition by customer) as n from orders",
    "`having` without groups": "select id from orders having id > 1",
    "intervals as values": "select day - date'2026-01-01' as d from orders",
    "a Python function in a lambda": "select transform(tags, t -> my_function(t)) as x from orders",
}
