"""Rows into columns and back, constants as a relation, and JSON by path."""

from __future__ import annotations

import random

from tests.fuzz.operators.aggregates import total
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.basic import chosen
from tests.fuzz.operators.joins import finish
from tests.fuzz.operators.parts import deciders, keys, numbers, renamed, sample, whole
from tests.fuzz.scope import Col, Input, Query, Scope


@operator
class Pivot(Operator):
    """A fixed list of values into columns."""

    name = "pivot"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        by, p = sample(rng, keys(source.cols), 1, 2), whole(rng, source.cols)
        found = [c for c in numbers(source.cols, source.size) if c.kind != "decimal"]
        value = rng.choice(found or [whole(rng, source.cols)])
        inner = renamed(scope, source, [p, value, *by])
        at, given = inner.cols[:2]
        what = rng.choice(["sum", "min", "max"])
        call = total(Col("", given.type, given.name, given.bound, given.exact), source.size)
        if what != "sum":
            call = Col("", given.type, f"{what}({given.name})", given.bound, given.exact)
        made = [Col(scope.fresh(call.type), call.type, "", call.bound, call.exact) for _ in range(2)]
        listed = ", ".join(f"{v} as {c.name}" for v, c in zip([0, 1], made, strict=True))
        rest = tuple(Col(c.name, c.type, "", c.bound, c.exact) for c in inner.cols[2:])
        body = inner.sql.rsplit(" as ", 1)[0]
        return Query(f"select * from {body} pivot ({call.sql} for {at.name} in ({listed}))", (*rest, *made), source.size)


@operator
class Unpivot(Operator):
    """Columns of one type into rows."""

    name = "unpivot"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        first = rng.choice(deciders(source.cols))
        same = [c for c in source.cols if c.type == first.type and c.exact and c.sql != first.sql]
        second = rng.choice(same) if same else first
        inner = renamed(scope, source, [first, second, *sample(rng, source.cols, 1, 2)])
        a, b = inner.cols[:2]
        name, value = scope.fresh("string"), scope.fresh(first.type)
        rest = tuple(Col(c.name, c.type, "", c.bound, c.exact) for c in inner.cols[2:])
        made = (Col(name, "string"), Col(value, first.type, "", max(first.bound, second.bound)))
        body = inner.sql.rsplit(" as ", 1)[0]
        nulls = rng.choice(["", "", "include nulls "])
        text = f"select * from {body} unpivot {nulls}({value} for {name} in ({a.name}, {b.name}))"
        return Query(text, (*rest, *made), source.size * 2)


@operator
class Values(Operator):
    """Constants as a relation, joined with others."""

    name = "values"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        alias, n, s = scope.alias(), scope.fresh("int"), scope.fresh("string")
        rows = rng.sample(["(0, 'a')", "(1, 'b')", "(1, 'b')", "(2, '')", "(3, null)"], rng.randint(1, 3))
        listed = ", ".join([*rows, "(1, 'a')"])
        given = Input(
            f"(values {listed}) as {alias}({n}, {s})",
            alias,
            (Col(n, "int", f"{alias}.{n}"), Col(s, "string", f"{alias}.{s}")),
            4,
        )
        on = f"{given.cols[0].sql} = {whole(rng, source.cols).sql}"
        word = rng.choice(["join", "join", "left join"])
        pair = [source, given] if rng.random() < 0.5 else [given, source]
        made = finish(rng, scope, f"{pair[0].sql} {word} {pair[1].sql} on {on}", pair)
        return Query(made.text, made.cols, made.size + 4 + source.size)


@operator
class Json(Operator):
    """Text that holds JSON, by path."""

    name = "json"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        n = whole(rng, source.cols)
        number = f"coalesce(cast({n.sql} as string), 'null')"
        text = f"'{{\"k\": ' || {number} || ', \"l\": [{{\"m\": \"a\"}}, ' || {number} || ']}}'"
        paths = rng.sample(["$.k", "$.l[0].m", "$.l[1]", "$.none"], 2)
        found = [Col("", "string", f"get_json_object({text}, '{p}')", 4, n.exact) for p in paths]
        items, cols = scope.outputs([*found, *chosen(rng, source.cols, 1, 2)])
        test = f" where get_json_object({text}, '$.k') = '1'" if rng.random() < 0.3 and n.exact else ""
        return Query(f"select {', '.join(items)} from {source.sql}{test}", cols, source.size)


