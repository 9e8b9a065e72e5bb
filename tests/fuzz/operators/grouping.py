"""More ways to aggregate: distinct, filtered, spread, extremes by another column, collected; grouping sets; no group at all."""

from __future__ import annotations

import random

from tests.fuzz.expressions import condition, expression
from tests.fuzz.operators.aggregates import aggregate, average, total
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.parts import deciders, keys, numbers, sample, where, whole
from tests.fuzz.scope import Col, Input, Query, Scope


def grouped(rng: random.Random, scope: Scope, source: Input, aggs: list[Col]) -> Query:
    """The aggregates by one or two keys, or now and then of all rows."""
    by = sample(rng, keys(source.cols), 1, 2) if rng.random() < 0.85 else []
    items, cols = scope.outputs([*[k for k in by if rng.random() < 0.85], *aggs])
    text = f"select {', '.join(items)} from {source.sql}{where(rng, source.cols, 0.2)}"
    return Query(text + (f" group by {', '.join(k.sql for k in by)}" if by else ""), cols, max(source.size, 1))


@operator
class DistinctAggregate(Operator):
    name = "distinct aggregate"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        aggs = [self.one(rng, source) for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.4:
            aggs.append(aggregate(rng, source.cols, source.size))
        return grouped(rng, scope, source, aggs)

    def one(self, rng: random.Random, source: Input) -> Col:
        exact = deciders(source.cols)
        found = [c for c in numbers(exact, source.size) if c.kind != "decimal"]
        if found and rng.random() < 0.5:
            c = rng.choice(found)
            made = total(c, source.size) if rng.random() < 0.7 else average(c)
            return Col("", made.type, made.sql.replace("(", "(distinct ", 1), made.bound, made.exact)
        listed = ", ".join(c.sql for c in sample(rng, exact, 1, 2))
        return Col("", "bigint", f"count(distinct {listed})", source.size)


@operator
class FilteredAggregate(Operator):
    name = "filtered aggregate"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        aggs = []
        for _ in range(rng.randint(1, 2)):
            a = aggregate(rng, tuple(c for c in source.cols if c.kind != "decimal") or source.cols, source.size)
            if a.sql.startswith("avg(") and a.kind == "decimal":
                a = Col("", "bigint", "count(*)", source.size)
            aggs.append(Col("", a.type, f"{a.sql} filter (where {condition(rng, source.cols)})", a.bound, a.exact))
        return grouped(rng, scope, source, aggs)


@operator
class Variance(Operator):
    """Spread: of whole numbers, as a double that no condition may rest on."""

    name = "variance"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        names = ["stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"]
        aggs = []
        for _ in range(rng.randint(1, 2)):
            c = whole(rng, source.cols)
            aggs.append(Col("", "double", f"{rng.choice(names)}({c.sql})", SPREAD, False))
        return grouped(rng, scope, source, aggs)


SPREAD = 10**4


@operator
class ExtremeBy(Operator):
    """What goes with the least or the greatest: a value that the order decides, so that equal ones do not matter."""

    name = "extreme by"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        aggs = []
        for _ in range(rng.randint(1, 2)):
            by = rng.choice(deciders(source.cols))
            value = expression(rng, [by])
            what = rng.choice(["min_by", "max_by"])
            aggs.append(Col("", value.type, f"{what}({value.sql}, {by.sql})", value.bound, value.exact))
        if rng.random() < 0.5:
            what = rng.choice(["bool_and", "bool_or", "every", "some"])
            aggs.append(Col("", "boolean", f"{what}({condition(rng, source.cols, 0)})", 1))
        return grouped(rng, scope, source, aggs)


@operator
class Collect(Operator):
    """Values as an array, sorted, because nothing says in which order they come."""

    name = "collect"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        c = whole(rng, source.cols)
        what = rng.choice(["collect_list(", "collect_set(", "array_agg(", "array_agg(distinct "])
        aggs = [Col("", "array<int>", f"sort_array({what}{c.sql}))", c.bound, c.exact)]
        if rng.random() < 0.4:
            other = rng.choice(deciders(source.cols))
            aggs.append(Col("", "int", f"size(collect_set({other.sql}))", source.size))
        return grouped(rng, scope, source, aggs)


@operator
class GroupingSets(Operator):
    """Several groupings at once: sets, rollup, cube."""

    name = "grouping sets"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        plain = [c for c in keys(source.cols) if c.sql.replace(".", "").isalnum()]
        by = sample(rng, plain, 1, 3) if plain else []
        if not by:
            return None
        names = [c.sql for c in by]
        sets = ["()" if rng.random() < 0.3 else f"({', '.join(rng.sample(names, rng.randint(1, len(names))))})" for _ in range(2)]
        listed = ", ".join(names)
        how = rng.choice([f"grouping sets ({', '.join([*sets, f'({listed})'])})", f"rollup({listed})", f"cube({listed})"])
        aggs = [aggregate(rng, source.cols, source.size) for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.5:
            aggs.append(Col("", "int", f"cast(grouping({rng.choice(names)}) as int)", 1))
        items, cols = scope.outputs([*by, *aggs])
        text = f"select {', '.join(items)} from {source.sql}{where(rng, source.cols, 0.2)} group by {how}"
        return Query(text, cols, source.size * 8 + 8)


@operator
class GlobalAggregate(Operator):
    """One row, also over nothing."""

    name = "global aggregate"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        aggs = [aggregate(rng, source.cols, source.size) for _ in range(rng.randint(1, 3))]
        items, cols = scope.outputs(aggs)
        text = f"select {', '.join(items)} from {source.sql}{where(rng, source.cols, 0.4)}"
        if rng.random() < 0.2:
            text += f" having {aggregate(rng, source.cols, source.size, deciding=True).sql} is not null"
        return Query(text, cols, 1)
