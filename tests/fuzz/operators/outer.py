"""Joins that keep what finds no partner, or only ask whether there is one; joins by the names of columns."""

from __future__ import annotations

import random
from typing import ClassVar

from tests.fuzz.expressions import condition
from tests.fuzz.operators.aggregates import aggregate
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.joins import equality, finish, together
from tests.fuzz.operators.parts import pair, renamed, where
from tests.fuzz.scope import Col, Input, Query, Scope, qualified


def on(rng: random.Random, a: Input, b: Input) -> str:
    """An equality, an equality and more, or any condition at all."""
    same = equality(rng, a.cols, b.cols) if rng.random() < 0.85 else None
    if same is None:
        return condition(rng, (*a.cols, *b.cols), 2)
    return f"{same} and {condition(rng, (*a.cols, *b.cols), 0)}" if rng.random() < 0.3 else same


class _Outer(Operator):
    words: ClassVar[tuple[str, ...]]

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2 if scope.path else rng.choice([2, 2, 2, 3]))
        if len(inputs) < 2:
            return None
        body = f"{inputs[0].sql} {rng.choice(self.words)} {inputs[1].sql} on {on(rng, inputs[0], inputs[1])}"
        if len(inputs) == 3:
            word = rng.choice([*self.words, "join"])
            body += f" {word} {inputs[2].sql} on {on(rng, rng.choice(inputs[:2]), inputs[2])}"
        made = finish(rng, scope, body, inputs, condition(rng, together(inputs)) if rng.random() < 0.2 else "")
        return Query(made.text, made.cols, made.size + sum(i.size for i in inputs))


@operator
class LeftJoin(_Outer):
    name = "left join"
    words = ("left join", "left outer join")


@operator
class RightJoin(_Outer):
    name = "right join"
    words = ("right join", "right outer join")


@operator
class FullJoin(_Outer):
    name = "full join"
    words = ("full join", "full outer join")


class _Half(Operator):
    words: ClassVar[tuple[str, ...]]

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        a, b = inputs
        made = finish(rng, scope, f"{a.sql} {rng.choice(self.words)} {b.sql} on {on(rng, a, b)}", [a])
        return Query(made.text + where(rng, a.cols, 0.2), made.cols, a.size)


@operator
class SemiJoin(_Half):
    name = "semi join"
    words = ("left semi join", "semi join")


@operator
class AntiJoin(_Half):
    name = "anti join"
    words = ("left anti join", "anti join")


@operator
class UsingJoin(Operator):
    """By the name of a column: using, or natural. The common column is one, and is written without an alias."""

    name = "using join"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        k, m = pair(rng, inputs[0].cols, inputs[1].cols)
        a = renamed(scope, inputs[0], [k, *inputs[0].cols])
        b = renamed(scope, inputs[1], [m, *inputs[1].cols])
        common, other = a.cols[0].name, b.cols[0].name
        b = Input(b.sql.replace(f" as {other}", f" as {common}", 1), b.alias, b.cols, b.size)
        kind = rng.choice(["", "inner ", "left ", "right ", "full "])
        body = f"{a.sql} natural {kind}join {b.sql}" if rng.random() < 0.4 else f"{a.sql} {kind}join {b.sql} using ({common})"
        key = Col(common, k.type, common, max(k.bound, m.bound))
        items, cols = scope.outputs([key, *[rng.choice([*a.cols[1:], *b.cols[1:]]) for _ in range(rng.randint(1, 3))]])
        return Query(f"select {', '.join(items)} from {body}", cols, a.size * max(b.size, 1) + a.size + b.size)


@operator
class LateralJoin(Operator):
    """A subquery in from that sees what stands before it."""

    name = "lateral join"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        inputs = scope.inputs(2)
        if len(inputs) < 2:
            return None
        a, b = inputs
        k, m = pair(rng, a.cols, b.cols)
        shown = [rng.choice(b.cols) for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.3:  # one row for each row before it, also where nothing fits
            shown = [aggregate(rng, b.cols, b.size)]
        items, cols = scope.outputs(shown)
        more = f" and {condition(rng, b.cols, 0)}" if rng.random() < 0.3 else ""
        alias = scope.alias()
        inner = f"lateral (select {', '.join(items)} from {b.sql} where {m.sql} = {k.sql}{more}) as {alias}"
        right = Input(inner, alias, qualified(cols, alias), b.size)
        link = rng.choice([f", {inner}", f" cross join {inner}", f" left join {inner} on true"])
        made = finish(rng, scope, f"{a.sql}{link}", [a, right])
        return Query(made.text, made.cols, made.size + a.size)
