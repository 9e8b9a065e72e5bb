"""Arrays and maps unfolded into rows: with positions, with what is empty kept, structs into columns, maps into pairs."""

from __future__ import annotations

import random

from tests.fuzz.expressions import of_kind
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.basic import chosen
from tests.fuzz.operators.parts import where, whole
from tests.fuzz.scope import Col, Input, Query, Scope


def array_of(rng: random.Random, source: Input) -> Col:
    """An array of ints: a column, or one made from numbers; sometimes empty or NULL."""
    found = [c for c in of_kind(source.cols, "array") if c.exact]
    if found and rng.random() < 0.8:
        return rng.choice(found)
    n = whole(rng, source.cols)
    full = f"array({n.sql}, 1)"
    text = rng.choice([full, f"if({n.sql} > 0, {full}, cast(array() as array<int>))", f"if({n.sql} > 0, {full}, null)"])
    return Col("", "array<int>", text, n.bound, n.exact)


def structs_of(rng: random.Random, source: Input) -> Col:
    found = of_kind(source.cols, "structs")
    if found and rng.random() < 0.8:
        return rng.choice(found)
    n = whole(rng, source.cols)
    made = f"array(named_struct('x', {n.sql}, 'y', 'a'), named_struct('x', 1, 'y', 'b'))"
    return Col("", "array<struct<x:int,y:string>>", made)


def map_of(rng: random.Random, source: Input) -> Col:
    found = of_kind(source.cols, "map")
    if found and rng.random() < 0.8:
        return rng.choice(found)
    a, b = whole(rng, source.cols), whole(rng, source.cols)
    return Col("", "map<string,int>", f"map('a', {a.sql}, 'b', {b.sql})", max(a.bound, b.bound))


def unfolded(rng: random.Random, scope: Scope, source: Input, call: str, made: list[Col], outer: bool) -> Query:
    """A lateral view of the call, with the columns made."""
    alias = scope.alias()
    qualified = [Col(c.name, c.type, f"{alias}.{c.name}", c.bound, c.exact) for c in made]
    items, cols = scope.outputs([*[c for c in qualified if rng.random() < 0.8], *chosen(rng, source.cols, 1, 2)])
    view = f"lateral view {'outer ' if outer else ''}{call} {alias} as {', '.join(c.name for c in made)}"
    text = f"select {', '.join(items)} from {source.sql} {view}{where(rng, (*source.cols, *qualified), 0.2)}"
    return Query(text, cols, source.size * 3)


@operator
class Posexplode(Operator):
    """Elements with their positions, as a lateral view or in the select list."""

    name = "posexplode"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        a = array_of(rng, source)
        made = [Col(scope.fresh("int"), "int", "", 3), Col(scope.fresh("int"), "int", "", a.bound, a.exact)]
        if rng.random() < 0.7:
            return unfolded(rng, scope, source, f"posexplode({a.sql})", made, rng.random() < 0.3)
        items, cols = scope.outputs(chosen(rng, source.cols, 1, 2))
        listed = ", ".join(c.name for c in made)
        text = f"select {', '.join(items)}, posexplode({a.sql}) as ({listed}) from {source.sql}"
        return Query(text, (*cols, *made), source.size * 3)


@operator
class OuterExplode(Operator):
    """Elements, and one row of NULL where there are none."""

    name = "outer explode"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        a = array_of(rng, source)
        made = Col(scope.fresh("int"), "int", "", a.bound, a.exact)
        if rng.random() < 0.7:
            return unfolded(rng, scope, source, f"explode({a.sql})", [made], True)
        items, cols = scope.outputs(chosen(rng, source.cols, 1, 2))
        text = f"select {', '.join(items)}, explode_outer({a.sql}) as {made.name} from {source.sql}"
        return Query(text, (*cols, made), source.size * 3)


@operator
class Inline(Operator):
    """An array of structs, each a row of columns."""

    name = "inline"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        a = structs_of(rng, source)
        made = [Col(scope.fresh("int"), "int", "", a.bound, a.exact), Col(scope.fresh("string"), "string", "", 4, a.exact)]
        return unfolded(rng, scope, source, f"inline({a.sql})", made, rng.random() < 0.3)


@operator
class MapEntries(Operator):
    """A map: its pairs as rows, its keys and values, what stands at a key."""

    name = "map entries"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        m = map_of(rng, source)
        if rng.random() < 0.5:
            made = [Col(scope.fresh("string"), "string", "", 4), Col(scope.fresh("int"), "int", "", m.bound)]
            return unfolded(rng, scope, source, f"explode({m.sql})", made, rng.random() < 0.3)
        at = rng.choice([f"{m.sql}['a']", f"element_at({m.sql}, 'b')"]) if m.sql.count("(") == 0 else f"element_at({m.sql}, 'b')"
        made = [
            Col("", "int", at, m.bound),
            Col("", "array<int>", f"sort_array(map_values({m.sql}))", m.bound),
            Col("", "int", f"size(map_keys({m.sql}))", 3),
            Col("", "boolean", f"map_contains_key({m.sql}, 'a')", 1),
        ]
        items, cols = scope.outputs([*rng.sample(made, 2), *chosen(rng, source.cols, 1, 2)])
        return Query(f"select {', '.join(items)} from {source.sql}", cols, source.size)


@operator
class Lambdas(Operator):
    """Functions over arrays that take functions."""

    name = "lambda"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        a = array_of(rng, source)
        n = whole(rng, source.cols)
        made = [
            Col("", "array<int>", f"transform({a.sql}, v -> v + 1)", a.bound + 1, a.exact),
            Col("", "array<int>", f"transform({a.sql}, (v, i) -> v + i)", a.bound + 3, a.exact),
            Col("", "array<int>", f"filter({a.sql}, v -> v > {n.sql})", a.bound, a.exact and n.exact),
            Col("", "int", f"aggregate({a.sql}, 0, (acc, v) -> acc + coalesce(v, 0))", a.bound * 3, a.exact),
            Col("", "boolean", f"exists({a.sql}, v -> v is null)", 1, a.exact),
            Col("", "boolean", f"exists({a.sql}, v -> coalesce(v, 0) > 1)", 1, a.exact),
            Col("", "boolean", f"forall({a.sql}, v -> v is not null)", 1, a.exact),
        ]
        items, cols = scope.outputs([*rng.sample(made, 2), *chosen(rng, source.cols, 1, 2)])
        size = f" where exists({a.sql}, v -> v is not null)" if rng.random() < 0.3 else ""
        return Query(f"select {', '.join(items)} from {source.sql}{size}", cols, source.size)
