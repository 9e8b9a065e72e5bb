"""Inner joins: by equality, by any condition, crossed, and of a relation with itself."""

from __future__ import annotations

import math
import random

from tests.fuzz.expressions import SCALARS, condition
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.basic import chosen
from tests.fuzz.scope import Col, Input, Query, Scope


def equality(rng: random.Random, left: tuple[Col, ...], right: tuple[Col, ...]) -> str | None:
    """left = right over columns of one kind; None if there are none."""
    comparable = (*SCALARS, "struct", "array")
    pairs = [(a, b) for a in left for b in right if a.exact and b.exact and a.type == b.type and a.kind in comparable]
    if not pairs:
        return None
    plain = [p for p in pairs if p[0].kind in ("int", "string", "bigint")] or pairs
    a, b = rng.choice(plain if rng.random() < 0.8 else pairs)
    return f"{a.sql} {'=' if rng.random() < 0.93 else '<=>'} {b.sql}"


def together(inputs: list[Input]) -> tuple[Col, ...]:
    return tuple(c for i in inputs for c in i.cols)


def size_of(inputs: list[Input]) -> int:
    return math.prod(max(i.size, 1) for i in inputs)


def finish(rng: random.Random, scope: Scope, body: str, inputs: list[Input], where: str = "") -> Query:
    items, cols = scope.outputs(chosen(rng, together(inputs), 2, 5))
    return Query(f"select {', '.join(items)} from {body}{f' where {where}' if where else ''}", cols, size_of(inputs))


@operator
class InnerJoin(Operator):
    """Two to four inputs, each joined by equality with one before it."""

    name = "join"
    weight = 20

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(rng.choice([2, 2, 3]) if scope.path else rng.choice([2, 2, 2, 3, 4]))
        if len(inputs) < 2:
            return None
        body = inputs[0].sql
        for n, more in enumerate(inputs[1:], 1):
            on = equality(rng, together(inputs[:n]), more.cols) or condition(rng, together(inputs[: n + 1]))
            if rng.random() < 0.2:
                on += f" and {condition(rng, together(inputs[: n + 1]), 0)}"
            body += f" {rng.choice(['join', 'inner join'])} {more.sql} on {on}"
        where = condition(rng, together(inputs)) if rng.random() < 0.3 else ""
        return finish(rng, scope, body, inputs, where)


@operator
class ThetaJoin(Operator):
    name = "theta join"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        return finish(rng, scope, f"{inputs[0].sql} join {inputs[1].sql} on {condition(rng, together(inputs), 2)}", inputs)


@operator
class CrossJoin(Operator):
    """Crossed, or listed with commas and joined in where."""

    name = "cross join"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        a, b = inputs
        if rng.random() < 0.5:
            return finish(rng, scope, f"{a.sql} cross join {b.sql}", inputs)
        where = equality(rng, a.cols, b.cols) if rng.random() < 0.7 else ""
        return finish(rng, scope, f"{a.sql}, {b.sql}", inputs, where or "")


@operator
class SelfJoin(Operator):
    """A relation, or a subquery, with itself: one change, two inputs that feel it."""

    name = "self join"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        both = self.twice(rng, scope)
        if both is None:
            return None
        first, second = both
        same = [(a, b) for a, b in zip(first.cols, second.cols, strict=True) if a.exact and a.kind in SCALARS]
        if not same and not first.cols[0].exact:
            return None  # nothing to join by: SQL compares no maps
        a, b = rng.choice(same) if same else (first.cols[0], second.cols[0])
        op = rng.choice(["=", "=", "=", "<", "<>"]) if same and first.size <= 50 else "="
        body = f"{first.sql} join {second.sql} on {a.sql} {op} {b.sql}"
        where = condition(rng, together([first, second])) if rng.random() < 0.3 else ""
        made = finish(rng, scope, body, [first, second], where)
        return Query(made.text, made.cols, min(made.size, 8 * first.size))  # about; few rows have one value in common

    def twice(self, rng: random.Random, scope: Scope) -> tuple[Input, Input] | None:
        """The same rows under two aliases."""
        before = scope.mark()
        inner = scope.query() if scope.path or (scope.depth > 0 and rng.random() < 0.4) else None
        if inner is not None and inner.size <= 210:
            return scope.embed(inner), scope.embed(inner)
        scope.restore(before)
        first = scope.relation(lambda r: r.size <= 50)
        second = first and scope.relation(lambda r: r.name == first.sql.split(" ")[0])
        return (first, second) if first and second else None
