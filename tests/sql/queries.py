"""Queries that Spark and DuckDB read alike, by construct."""

from __future__ import annotations

PLAIN = [
    "select id, amount from orders",
    "select * from orders where amount > 3",
    "select id as k, amount * 2 as twice from orders where amount is not null and id <> 2",
    "select 1 as one",
    "select 1 as one where false",
    "select o.* from orders o where customer is null or id in (1, 3)",
    "select id from orders where day between date'2024-01-01' and date'2024-01-31'",
    "select case when amount > 5 then 'big' when amount is null then 'none' else 'small' end as size from orders",
    "select coalesce(amount, 0) as a, nullif(id, 3) as b from orders",
    "select id, addr.city, addr.zip + 1 as z from orders",
    "select id from orders where not (amount > 5)",
    "select id from orders where amount > 5 or customer = 2",
    "select name || '!' as loud, upper(name) as up, length(name) as n from customers",
    "select year(day) as y, month(day) as m from orders where day is not null",
    "select distinct customer from orders",
    "select distinct region, region is null as missing from customers",
    "select * from (values (1, 'a'), (2, null)) as t(x, y)",
    "select x + 1 as y from (select id as x from orders) t where x > 2",
    "select id from orders where id % 2 = 1",
    "select -id as neg, abs(amount) as a from orders",
]

JOINS = [
    "select o.id, i.product from orders o join items i on o.id = i.order_id",
    "select o.id, i.product from orders o, items i where o.id = i.order_id and i.qty > 1",
    "select a.id, b.id as other from orders a join orders b on a.customer = b.customer and a.id < b.id",
    "select c.name, d.name as other from customers c cross join customers d",
    "select o.id, c.name from orders o left join customers c on o.customer = c.id",
    "select o.id, c.name from orders o right join customers c on o.customer = c.id",
    "select o.id, c.name from orders o full join customers c on o.customer = c.id",
    "select o.id, c.name from orders o left join customers c on o.customer = c.id and c.region = 'north'",
    "select o.id, c.name from orders o full join customers c on o.customer < c.id",
    "select id, name, amount from customers join (select customer as id, amount from orders) t using (id)",
    "select id, name, amount from customers full join (select customer as id, amount from orders) t using (id)",
    "select * from customers left join (select customer as id, amount from orders) t using (id)",
    "select * from customers natural join (select customer as id, amount from orders) t",
    "select c.name from customers c left semi join orders o on o.customer = c.id",
    "select c.name from customers c left anti join orders o on o.customer = c.id",
    "select o.id, i.product, c.name from orders o join items i on o.id = i.order_id left join customers c on c.id = o.customer",
    "select x.id, y.product from (orders x join customers c on c.id = x.customer) join items y on y.order_id = x.id",
    "select count(*) as n from orders o join items i on o.amount > i.price",
    "select s.id, o.amount from shop.sales s join orders o on s.id = o.id",
    "select c.id, o.id as oid, i.qty from customers c cross join orders o full join items i on o.id = i.order_id and c.id = 1",
    "select o.id from orders o left join empty e on e.id = o.id where e.x is null",
]

GROUPS = [
    "select customer, sum(amount) as total from orders group by customer",
    "select count(*) as n, count(amount) as m, sum(amount) as s, min(day) as lo, max(day) as hi, avg(id) as a from orders",
    "select count(*) as n, sum(x) as s, max(x) as m from empty",
    "select x, count(*) as n from empty group by x",
    "select region, count(*) as n from customers group by region having count(*) > 1",
    "select region as r, count(*) as n from customers group by r",
    "select upper(region) as u, count(*) as n from customers group by 1",
    "select customer % 2 as parity, sum(amount) as s from orders group by customer % 2",
    "select sum(amount) + 1 as s, sum(amount) * count(*) as p from orders where customer = 1",
    "select customer, count(distinct day) as d, sum(distinct amount) as s from orders group by customer",
    "select count(distinct customer, day) as n from orders",
    "select region, sum(o.amount) as s from customers c join orders o on o.customer = c.id group by region order by s limit 1",
    "select customer, sum(amount) filter (where amount > 5) as big, count(*) filter (where amount > 5) "
    "as n from orders group by customer",
    "select bool_and(amount > 0) as a, bool_or(amount > 0) as o from orders",
    "select max_by(id, amount) as m, min_by(id, amount) as l from orders",
    "select stddev_samp(price) as s, var_pop(price) as v, avg(price) as a, sum(price) as t from items",
    "select count_if(amount > 3) as n from orders",
    "select product, sum(qty) as q from items group by rollup (product)",
    "select product, order_id, sum(qty) as q, grouping(product) as g from items group by cube (product, order_id)",
    "select product, order_id, count(*) as q from items group by grouping sets ((product), (order_id), (product, order_id))",
    "select customer from orders group by customer",
    "select customer, sum(amount) as s from orders group by customer having sum(amount) > 5 and customer is not null",
    "select region, count(*) as n from customers group by all",
    "select customer, sum(amount) as s, s / 2 as h from orders group by customer",
    "select customer as k, max(amount) - min(amount) as spread from orders group by k having spread > 0",
    "select (id + 1) * 2 as a, count(*) as n from orders group by id + 1",
    "select upper(region) as region, count(*) as n from customers group by region",
    "select count(distinct region) as n, count(distinct id) as m, count(*) as k from customers",
    "select region, count(distinct name) filter (where id > 1) as n from customers group by region",
    "select customer, max(day) as m from orders group by customer order by sum(amount) desc nulls last, customer limit 3",
    "select min(distinct amount) as a, avg(distinct amount) as b from orders",
    "select product, count(*) as n, grouping_id(product, order_id) as g from items group by rollup (product, order_id)",
    "select any_value(region) as r from customers where region = 'north'",
    "select sum(n) as t from (select customer, count(*) as n from orders group by customer) x",
]

SUBQUERIES = [
    "select id from orders o where exists (select 1 from items i where i.order_id = o.id)",
    "select id from orders o where not exists (select 1 from items i where i.order_id = o.id and qty > 1)",
    "select id from orders o where exists (select 1 from items i where i.order_id < o.id and i.price > o.amount)",
    "select id from orders where customer in (select id from customers)",
    "select id from orders where customer not in (select id from customers)",
    "select id from orders where customer not in (select id from customers where id is not null)",
    "select id from orders where customer not in (select id from empty)",
    "select id from orders where customer in (select id from empty)",
    "select id from orders o where amount in (select price from items i where i.order_id = o.id)",
    "select id from orders o where id not in (select order_id from items i where i.qty > o.amount)",
    "select id, customer in (select id from customers) as known from orders",
    "select id, exists (select 1 from items i where i.order_id = o.id) as has from orders o",
    "select id from orders o where amount > 50 or exists (select 1 from items i where i.order_id = o.id)",
    "select id from orders o where not (amount > 50 or exists (select 1 from items i where i.order_id = o.id))",
    "select id, (select max(price) from items) as m from orders",
    "select id, (select max(price) from items i where i.order_id = o.id) as m from orders o",
    "select id, (select count(*) from items i where i.order_id = o.id) as n from orders o",
    "select id, (select count(*) + 1 from items i where i.order_id = o.id having count(*) > 0) as n from orders o",
    "select id, (select sum(qty) from items i where i.order_id < o.id) as n from orders o",
    "select id, (select count(*) from items i where i.order_id < o.id) as n from orders o",
    "select id, (select name from customers c where c.id = o.customer) as name from orders o",
    "select id from orders o where amount > (select avg(price) from items)",
    "select id from orders o where amount > (select avg(price) from items i where i.order_id = o.id)",
    "select region, count(*) as n from customers group by region having count(*) >= (select count(*) from empty) + 2",
    "select id from orders where amount > any (select price from items)",
    "select id from orders where amount > all (select price from items where price is not null)",
    "select id from orders where amount > all (select x from empty)",
    "select id from orders where customer = any (select id from customers)",
    "select id from orders where amount <= all (select price from items)",
    "select id from orders where (id, customer) in (select order_id, qty from items)",
    "select c.name from customers c where (select sum(amount) from orders o where o.customer = c.id) > 5",
    "select id from orders o where exists (select 1 from items i where i.order_id = o.id and exists "
    "(select 1 from customers c where c.id = o.customer and c.id = i.qty - 1))",
    "select id from orders o where exists (select product from items i where i.order_id = o.id group by "
    "product having count(*) > 1)",
    "select c.name, l.m from customers c, lateral (select max(amount) as m from orders o where o.customer = c.id) l",
    "select c.name, l.id from customers c left join lateral (select id from orders o where o.customer = "
    "c.id order by id desc limit 1) l on true",
    "select c.name, l.id from customers c join lateral (select id, amount from orders o where o.customer "
    "= c.id) l on l.amount > 5",
    "select id, (select max(price) from items) + (select min(price) from items) as m from orders",
    "select (select count(*) from orders) as n",
    "select id from orders o where 2 = (select count(*) from items i where i.order_id = o.id)",
    "select name from customers where id in (select customer from orders union all select qty from items)",
    "select region, (select count(*) from customers d where d.region = c.region) as n from customers c group by region",
    "select region, sum((select count(*) from orders o where o.customer = c.id)) as n from customers c group by region",
    "select sum(case when exists (select 1 from items i where i.order_id = o.id) then 1 else 0 end) as n from orders o",
    "select region from customers group by region having count(*) in (select qty from items)",
    "select region from customers group by region having region not in (select name from customers)",
    "select id from orders where (id, customer) not in (select order_id, qty from items)",
    "select id from orders where (id, customer) not in (select order_id, qty from items where order_id "
    "is not null and qty is not null)",
    "select id, rank() over (order by (select count(*) from items i where i.order_id = o.id)) as r from orders o",
    "select id from orders o where exists (select 1 from items where order_id = o.id limit 1)",
    "select id from orders o where customer in (select c.id from customers c where c.region = (select "
    "max(region) from customers))",
    "select id from orders o where exists (select 1 from customers c where c.id = o.customer union all "
    "select 1 from items i where i.order_id = o.id)",
    "select id, (select sum(s) from (select qty as s from items i) t) as s from orders",
    "select name, (select max(r) from (select customer, row_number() over (order by id, amount) as r "
    "from orders) t where t.customer = c.id) as m from customers c",
    "select id from orders where amount > (select max(price) from items) or customer not in (select id "
    "from customers where id is not null)",
    "select id, case when customer in (select id from customers where region = 'north') then 'n' else "
    "'s' end as side from orders",
    "select count(*) as n from orders where customer = (select max(id) from customers) - 0",
    "select a.id from orders a where a.amount = (select max(b.amount) from orders b where b.customer = a.customer)",
    "select c.id from customers c where (select count(*) from orders o where o.customer = c.id) = 0",
    "select c.id from customers c where not exists (select 1 from orders o where o.customer = c.id and "
    "exists (select 1 from items i where i.order_id = o.id))",
    "select o.id from orders o join customers c on o.customer = c.id and c.id in (select qty from items)",
    "select distinct (select count(*) from items i where i.order_id = o.id) as n from orders o",
    "select id, (select distinct region from customers c where c.id = o.customer) as r from orders o",
    "select id, (select i.price from items i where i.order_id = o.id order by i.price desc limit 1) as p from orders o",
    "select id, (select o.amount + max(price) from items i where i.order_id = o.id) as p from orders o",
    "select id, (select count(*) from items i where i.qty > o.id and i.order_id = o.id) as p from orders o",
    "select id, not exists (select 1 from empty) as e, id in (select id from empty) as f, id not in "
    "(select id from empty) as g from orders",
    "select id, (select x from empty) as e from orders",
    "select id, customer <> all (select id from customers) as a, amount > any (select price from items) as b from orders",
]

SETS = [
    "select customer from orders union all select id from customers",
    "select customer from orders union select id from customers",
    "select customer from orders intersect select id from customers",
    "select customer from orders except select id from customers",
    "select customer from orders intersect all select customer from orders where id > 1",
    "select customer from orders except all select id from customers",
    "select id from orders union all select order_id from items union all select id from customers",
    "select id from orders union select order_id from items except select id from customers",
    "(select id from orders) union all (select id from customers) order by 1 limit 3",
    "select id, amount from orders union all select order_id, price from items",
    "select 1 as x union all select null",
    "select region, count(*) as n from customers group by region union select product, qty from items",
    "(select id from orders order by id limit 2) union all (select id from customers order by id limit 1)",
    "select id from orders intersect (select id from customers union select 5)",
    "select * from (select id from orders except select order_id from items) t where id > 2",
]

WITHS = [
    "with t as (select customer, sum(amount) as s from orders group by customer) select * from t where s > 0",
    "with a as (select id from orders), b as (select id from a where id > 1) select a.id, b.id as bid "
    "from a join b on a.id = b.id",
    "with t as (select 1 as x) select * from (with t as (select 2 as x) select * from t) u, t",
    "with orders as (select id from customers) select * from orders",
    "with t(p, q) as (select id, amount from orders) select p from t where q > 5",
]

WINDOWS = [
    "select id, rank() over (partition by customer order by amount) as r, dense_rank() over (order by "
    "customer) as d from orders",
    "select id, sum(amount) over (partition by customer) as s, count(*) over () as n from orders",
    "select id, sum(id) over (order by id) as running from orders",
    "select id, sum(id) over (order by id rows between 1 preceding and current row) as two from (select "
    "distinct id from orders) t",
    "select id, lag(id) over (order by id) as before, lead(id, 1, 0) over (order by id) as after from "
    "customers where id is not null",
    "select id, first_value(name) over (partition by region order by id) as f from customers",
    "select customer, sum(amount) as s, rank() over (order by sum(amount)) as r from orders group by customer",
    "select id from customers qualify row_number() over (partition by region order by id) = 1",
    "select name, sum(id) over w as s, max(id) over w as m from customers window w as (partition by region)",
    "select id, ntile(2) over (order by id) as t, percent_rank() over (order by id) as p from customers",
    "select id, count(*) filter (where amount > 3) over (partition by customer) as n from orders",
]

LIMITS = [
    "select id from orders order by id limit 2",
    "select id, amount from orders order by amount desc nulls last, id limit 3 offset 1",
    "select id from orders order by amount limit 2",
    "select id from orders order by id offset 4",
    "select customer, count(*) as n from orders group by customer order by n desc, customer limit 2",
]

QUERIES = [*PLAIN, *JOINS, *GROUPS, *SUBQUERIES, *SETS, *WITHS, *WINDOWS, *LIMITS]
