"""Projection, filter, distinct, CTEs and subqueries."""

from __future__ import annotations

import random

from tests.fuzz.expressions import condition, expression
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.parts import keys
from tests.fuzz.scope import Col, Input, Query, Scope, qualified, some


def chosen(rng: random.Random, cols: tuple[Col, ...], low: int = 1, high: int = 4) -> list[Col]:
    """Some columns and some computed ones."""
    return [c if rng.random() < 0.6 else expression(rng, cols) for c in some(rng, cols, low, high)]


@operator
class Project(Operator):
    name = "project"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        star = rng.random()
        if star < 0.1:
            items, cols = scope.outputs([expression(rng, source.cols)])
            names = {c.name for c in source.cols}
            if cols[0].name not in names:
                return Query(f"select {source.alias}.*, {items[0]} from {source.sql}", (*unqualified(source), *cols), source.size)
        if star < 0.2:
            return Query(f"select * from {source.sql}", unqualified(source), source.size)
        items, cols = scope.outputs(expression(rng, source.cols) for _ in range(rng.randint(1, 4)))
        return Query(f"select {', '.join(items)} from {source.sql}", cols, source.size)


@operator
class Filter(Operator):
    name = "filter"
    weight = 12

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        items, cols = scope.outputs(chosen(rng, source.cols, 2, 5))
        return Query(f"select {', '.join(items)} from {source.sql} where {condition(rng, source.cols, 2)}", cols, source.size)


@operator
class Distinct(Operator):
    name = "distinct"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        exact = tuple(keys(source.cols))
        items, cols = scope.outputs(chosen(rng, exact, 1, 3))
        where = f" where {condition(rng, source.cols)}" if rng.random() < 0.2 else ""
        return Query(f"select distinct {', '.join(items)} from {source.sql}{where}", cols, source.size)


@operator
class Cte(Operator):
    """A common table expression, used once or twice."""

    name = "cte"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inner = scope.query()
        if inner is None:
            return None
        cte = f"w{scope.alias()}"
        first = named(scope, cte, inner)
        if inner.size**2 <= 2000 and rng.random() < 0.4:
            second = named(scope, cte, inner)
            both = first.cols + second.cols
            items, cols = scope.outputs(chosen(rng, both, 1, 4))
            text = f"from {first.sql} join {second.sql} on {condition(rng, both)}"
            return Query(f"with {cte} as ({inner.text}) select {', '.join(items)} {text}", cols, inner.size**2)
        items, cols = scope.outputs(chosen(rng, first.cols))
        where = f" where {condition(rng, first.cols)}" if rng.random() < 0.5 else ""
        return Query(f"with {cte} as ({inner.text}) select {', '.join(items)} from {first.sql}{where}", cols, inner.size)


@operator
class Subquery(Operator):
    """A subquery in from, whose columns pass through."""

    name = "subquery"
    weight = 6

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inner = scope.query()
        if inner is None:
            return None
        source = scope.embed(inner)
        where = f" where {condition(rng, source.cols)}" if rng.random() < 0.4 else ""
        return Query(f"select * from {source.sql}{where}", inner.cols, inner.size)


def named(scope: Scope, name: str, inner: Query) -> Input:
    alias = scope.alias()
    return Input(f"{name} as {alias}", alias, qualified(inner.cols, alias), inner.size)


def unqualified(source: Input) -> tuple[Col, ...]:
    return tuple(Col(c.name, c.type, "", c.bound, c.exact) for c in source.cols)
