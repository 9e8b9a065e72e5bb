"""Every refusal names what is wrong and points at it."""

from __future__ import annotations

import random

import pytest
from tests.sql.queries import QUERIES
from tests.sql.tables import SCHEMAS, TableNames

from belvedere.errors import BelvedereError, ParseError, TypeMismatch, UnknownName, Unsupported
from belvedere.languages.sql import bind, bind_predicate, bind_scalar

#: text with ^ before the place that the error points at, its kind, a part of its message
CASES: list[tuple[str, type[ParseError], str]] = [
    ("select id from ^ordrs", UnknownName, "unknown table or view 'ordrs'; did you mean 'orders'?"),
    ("select ^idd from orders", UnknownName, "unknown column 'idd'; did you mean 'id'?"),
    ("select o.^idd from orders o", UnknownName, "did you mean 'id'?"),
    ("select ^x.id from orders o", UnknownName, "unknown column 'x.id'"),
    ("select ^x.* from orders o", UnknownName, "unknown relation 'x'"),
    ("select addr.^town from orders", UnknownName, "unknown field 'town'"),
    ("select ^id from orders, customers", UnknownName, "'id' is ambiguous: it can be orders.id or customers.id"),
    ("select ^uper(name) from customers", UnknownName, "did you mean 'upper'?"),
    ("select * except (^nope) from orders", UnknownName, "there is no column 'nope'"),
    ("select * from orders join customers using (^name)", UnknownName, "the left side has no column 'name'"),
    ("select id, ^id from orders", TypeMismatch, "two columns of the result are named 'id'"),
    ("select id, customer as ^id from orders", TypeMismatch, "two columns of the result are named 'id'"),
    ("select id, ^tags + 1 as x from orders", TypeMismatch, "+ takes numbers"),
    ("select id from orders where ^amount", TypeMismatch, "where takes a condition"),
    ("select id from orders where ^upper(id) or true", TypeMismatch, "takes a boolean"),
    ("select customer, ^amount from orders group by customer", TypeMismatch, "neither a key of group by nor inside an aggregate"),
    ("select id from orders group by ^sum(id)", TypeMismatch, "an aggregate cannot be a key"),
    ("select id from orders group by ^7", TypeMismatch, "the select list has 1 columns"),
    ("select id from orders order by ^3", TypeMismatch, "the select list has 1 columns"),
    ("select ^sum(count(*)) from orders", TypeMismatch, "an aggregate inside an aggregate"),
    ("select id from orders where ^sum(id) > 1", Unsupported, "aggregate"),
    ("select id from orders where ^row_number() over (order by id) = 1", Unsupported, "window function"),
    ("select ^row_number() over (partition by id) as r from orders", TypeMismatch, "needs an order"),
    ("select sum(id) over ^w as s from orders", TypeMismatch, "no window named 'w'"),
    ("select id from orders union all select ^id, name from customers", TypeMismatch, "the left side has 1 columns"),
    ("select tags from orders union all select ^id from customers", TypeMismatch, "column 1 is of type array<string>"),
    ("select (select ^id, name from customers) as x from orders", TypeMismatch, "gives one column, and this gives 2"),
    ("select id from orders where ^id in (select id, name from customers)", TypeMismatch, "gives 2 column(s)"),
    ("select * from values (1, 2), (^3)", TypeMismatch, "this row has 1 values"),
    ("select * from (select id from orders) ^t(a, b)", TypeMismatch, "has 1 columns, and 2 names"),
    ("select explode(^id) from orders", TypeMismatch, ""),
    ("select id from orders where id = ^approx_count_distinct(id)", Unsupported, "approximate"),
    ("select ^approx_count_distinct(id) as n from orders", Unsupported, "approximate"),
    ("select ^first(id) as f from orders", Unsupported, "use min_by"),
    ("select id, ^rand() as r from orders", Unsupported, "store the value in a column"),
    ("select id from orders where day > ^now()", Unsupported, "bind a literal"),
    ("select id from orders where day > ^current_date", Unsupported, "bind a literal"),
    ("select id from orders where day > ^current_date()", Unsupported, "bind a literal"),
    ("select * from ^orders tablesample (10 percent)", Unsupported, "tablesample"),
    ("select * from ^orders version as of 3", Unsupported, "earlier version"),
    ("with recursive ^r as (select 1 as x) select * from r", Unsupported, "recursive"),
    ("select id from orders limit ^customer", Unsupported, "write a number"),
    ("select distinct id from orders order by ^amount", TypeMismatch, "order by can only use the columns"),
    ("select explode(tags), ^explode(tags) from orders", Unsupported, "two generators"),
    ("select ^explode(tags) as t, count(*) as n from orders group by id", Unsupported, "lateral view"),
    ("select ^explode(tags) as t, sum(id) over () as n from orders", Unsupported, "lateral view"),
    ("select 1 as x from orders o, customers c join items i on i.order_id = ^o.id", UnknownName, "unknown column 'o.id'"),
    ("select id from orders o left join customers c on ^o.id in (select 1)", Unsupported, "condition of an outer"),
    ("select * from items pivot (^upper(product) for product in ('a'))", TypeMismatch, "pivot takes aggregates"),
    ("select id from orders where exists (select 1 from ^nowhere)", UnknownName, "'nowhere'"),
    ("select id frm orders ^where", ParseError, ""),
    ("select (id from orders", ParseError, ""),
    ("select id from orders where id = 'open", ParseError, "open"),
    ("select id,\n  amount +\n  ^nam\nfrom orders", UnknownName, "unknown column 'nam'"),
    ("select ^grouping(id) from orders group by id", TypeMismatch, "need grouping sets"),
]


@pytest.mark.parametrize(("marked", "kind", "says"), CASES, ids=[c[0][:60] for c in CASES])
def test_errors_point_at_the_place(marked: str, kind: type[ParseError], says: str) -> None:
    text = marked.replace("^", "")
    with pytest.raises(kind) as e:
        bind(text, TableNames())
    assert says in e.value.message
    if "^" in marked and says:
        before = marked[: marked.index("^")]
        assert (e.value.line, e.value.column) == (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        assert str(e.value).splitlines()[-1].strip() == "^"


@pytest.mark.parametrize(
    "text", ["", "  ", "drop table orders", "select 1; select 2", "-- nothing", "create materialized view v as select 1"]
)
def test_only_one_query_is_taken(text: str) -> None:
    with pytest.raises(ParseError):
        bind(text, TableNames())


def test_predicates_must_be_conditions() -> None:
    schema = SCHEMAS["orders"]
    assert str(bind_predicate("Amount > 1 and addr.city = 'Ulm'", schema).type) == "boolean"
    assert str(bind_predicate("null", schema).type) == "boolean"
    assert str(bind_scalar("amount * 2", schema).type) == "decimal(14,2)"
    with pytest.raises(TypeMismatch, match="a condition is expected"):
        bind_predicate("amount + 1", schema)
    with pytest.raises(UnknownName, match="did you mean 'amount'"):
        bind_predicate("amont > 1", schema)


def test_nothing_but_our_own_errors_comes_out() -> None:
    """Texts with words dropped, doubled, swapped or replaced: each is bound or refused, never a Python error."""
    chance = random.Random(7)
    words = sorted({w for q in QUERIES for w in q.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()})
    refused = 0
    for _ in range(1500):
        parts = chance.choice(QUERIES).replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(parts))
            match chance.randrange(4):
                case 0:
                    del parts[at]
                case 1:
                    parts.insert(at, parts[at])
                case 2:
                    parts[at] = chance.choice(words)
                case _:
                    other = chance.randrange(len(parts))
                    parts[at], parts[other] = parts[other], parts[at]
            parts = parts or ["select"]
        try:
            bind(" ".join(parts), TableNames())
        except BelvedereError:
            refused += 1
    assert refused > 500
