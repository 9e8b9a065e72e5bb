"""Fields of structs, and arrays unfolded into rows."""

from __future__ import annotations

import random

from tests.fuzz.expressions import condition, of_kind
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.basic import chosen
from tests.fuzz.operators.parts import whole
from tests.fuzz.scope import Col, Input, Query, Scope


@operator
class Fields(Operator):
    """Fields of a struct, in the select list and in the condition."""

    name = "fields"
    weight = 10

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        if not of_kind(source.cols, "struct"):
            source = with_struct(rng, scope, source)
        s = rng.choice(of_kind(source.cols, "struct"))
        parts = (Col("", "int", f"{s.sql}.x"), Col("", "string", f"{s.sql}.y"))
        items, cols = scope.outputs([*parts[: rng.randint(1, 2)], *chosen(rng, source.cols, 1, 3)])
        where = f" where {condition(rng, parts)}" if rng.random() < 0.5 else ""
        return Query(f"select {', '.join(items)} from {source.sql}{where}", cols, source.size)


def with_struct(rng: random.Random, scope: Scope, source: Input) -> Input:
    """The input with a struct built from its columns."""
    number = whole(rng, source.cols)
    text = rng.choice([c.sql for c in of_kind(source.cols, "string")] or ["'a'"])
    made = Col("", "struct<x:int,y:string>", f"named_struct('x', {number.sql}, 'y', {text})")
    items, cols = scope.outputs([made, *chosen(rng, source.cols, 1, 3)])
    return scope.embed(Query(f"select {', '.join(items)} from {source.sql}", cols, source.size))


@operator
class Explode(Operator):
    """One row per element: as a lateral view, or as a generator in the select list."""

    name = "explode"
    weight = 12

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        number = whole(rng, source.cols)
        built = Col("", "array<int>", f"array({number.sql}, 1)", number.bound, number.exact)
        a = rng.choice(of_kind(source.cols, "array", "structs") or [built])
        element = "int" if a.kind == "array" else "struct<x:int,y:string>"
        name = scope.fresh(element)
        size = source.size * 3
        if rng.random() < 0.3:
            items, cols = scope.outputs(chosen(rng, source.cols, 1, 3))
            out = (*cols, Col(name, element, "", a.bound, a.exact))
            return Query(f"select {', '.join(items)}, explode({a.sql}) as {name} from {source.sql}", out, size)
        alias = scope.alias()
        made = Col(name, element, f"{alias}.{name}", a.bound, a.exact)
        fields = [Col("", "int", f"{alias}.{name}.x"), Col("", "string", f"{alias}.{name}.y")]
        parts = [made] if a.kind == "array" else [made, *fields]
        items, cols = scope.outputs([rng.choice(parts), *chosen(rng, source.cols, 1, 3)])
        where = f" where {condition(rng, (*source.cols, *parts))}" if rng.random() < 0.4 else ""
        unfolded = f"lateral view explode({a.sql}) {alias} as {name}"
        return Query(f"select {', '.join(items)} from {source.sql} {unfolded}{where}", cols, size)
