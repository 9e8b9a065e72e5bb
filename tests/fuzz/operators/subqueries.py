"""Subqueries in conditions and in the select list, alone or tied to the query around them."""

from __future__ import annotations

import random
from typing import ClassVar

from tests.fuzz.expressions import condition
from tests.fuzz.operators.aggregates import aggregate
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.basic import chosen
from tests.fuzz.operators.parts import keys, pair, sample, whole
from tests.fuzz.scope import Col, Input, Query, Scope


def tied(rng: random.Random, a: Input, b: Input, chance: float) -> str:
    """The inner where: an equality with the outer query or none, and perhaps more."""
    parts = []
    if rng.random() < chance:
        k, m = pair(rng, a.cols, b.cols)
        parts.append(f"{m.sql} = {k.sql}")
    if rng.random() < 0.3:
        parts.append(condition(rng, b.cols, 0))
    return f" where {' and '.join(parts)}" if parts else ""


def filtered(rng: random.Random, scope: Scope, a: Input, test: str) -> Query:
    """Rows of the input that pass, perhaps with another condition beside it."""
    items, cols = scope.outputs(chosen(rng, a.cols, 1, 4))
    more = f" {rng.choice(['and', 'and', 'or'])} {condition(rng, a.cols, 0)}" if rng.random() < 0.25 else ""
    return Query(f"select {', '.join(items)} from {a.sql} where {test}{more}", cols, a.size)


class _Exists(Operator):
    word: ClassVar[str]

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        a, b = inputs
        inner = tied(rng, a, b, 0.85)
        if rng.random() < 0.25:
            inner += f"{' and' if inner else ' where'} {condition(rng, (*a.cols, *b.cols), 0)}"
        what = rng.choice(["1", "*", b.cols[0].sql])
        return filtered(rng, scope, a, f"{self.word} (select {what} from {b.sql}{inner})")


@operator
class Exists(_Exists):
    name = "exists"
    word = "exists"


@operator
class NotExists(_Exists):
    name = "not exists"
    word = "not exists"


class _In(Operator):
    word: ClassVar[str]

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        a, b = inputs
        k, m = pair(rng, a.cols, b.cols)
        return filtered(rng, scope, a, f"{k.sql} {self.word} (select {m.sql} from {b.sql}{tied(rng, a, b, 0.3)})")


@operator
class In(_In):
    name = "in"
    word = "in"


@operator
class NotIn(_In):
    """With NULLs on either side, which make the answer unknown."""

    name = "not in"
    word = "not in"


@operator
class ScalarSubquery(Operator):
    """One value of another query: in the select list, in where, in having."""

    name = "scalar subquery"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        a, b = inputs
        place = rng.choice(["select", "select", "where", "having"])
        value = aggregate(rng, b.cols, b.size, deciding=place != "select")
        inner = f"(select {value.sql} from {b.sql}{tied(rng, a, b, 0.7) if place != 'having' else tied(rng, a, b, 0)})"
        if place == "select":
            items, cols = scope.outputs([Col("", value.type, inner, value.bound, value.exact), *chosen(rng, a.cols, 1, 3)])
            return Query(f"select {', '.join(items)} from {a.sql}", cols, a.size)
        if value.kind not in ("int", "bigint", "double", "decimal") or not value.exact:
            inner, place_value = inner.replace(value.sql, "count(*)", 1), "bigint"
        else:
            place_value = value.kind
        op = rng.choice(["<", ">", "=", "<=", ">="])
        if place == "where":
            left = [c for c in a.cols if c.exact and c.kind == place_value] or [whole(rng, a.cols)]
            return filtered(rng, scope, a, f"{rng.choice(left).sql} {op} {inner}")
        by = sample(rng, keys(a.cols), 1, 2)
        items, cols = scope.outputs([*by, Col("", "bigint", "count(*)", a.size)])
        group = ", ".join(c.sql for c in by)
        return Query(f"select {', '.join(items)} from {a.sql} group by {group} having count(*) {op} {inner}", cols, a.size)


@operator
class Quantified(Operator):
    """A comparison with any or all values of another query."""

    name = "quantified"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        a, b = inputs
        k, m = pair(rng, a.cols, b.cols)
        op = rng.choice(["=", "<>", "<", ">", "<=", ">="])
        inner = f"(select {m.sql} from {b.sql}{tied(rng, a, b, 0.2)})"
        return filtered(rng, scope, a, f"{k.sql} {op} {rng.choice(['any', 'all', 'some'])} {inner}")
