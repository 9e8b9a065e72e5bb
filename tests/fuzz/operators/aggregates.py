"""Group by, with and without having."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.fuzz.expressions import NUMBERS, condition, decimal_type, digits, expression
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.parts import keys as groupable
from tests.fuzz.scope import Col, Query, Scope, some

ORDERED = (*NUMBERS, "string", "date")


def aggregate(rng: random.Random, cols: tuple[Col, ...], size: int, *, deciding: bool = False) -> Col:
    """One aggregate call. `deciding`: for a condition, where an average is as good as its one division is reproducible."""
    usable = [c for c in cols if c.exact] if deciding else list(cols)
    numbers = [c for c in usable if c.kind in NUMBERS and c.bound * max(size, 1) <= 10**12]
    ordered = [c for c in usable if c.kind in ORDERED]
    what = rng.choice(["sum", "sum", "avg", "min", "max", "min", "max", "count", "count(*)"])
    if what == "sum" and numbers:
        return total(rng.choice(numbers), size)
    averaged = [c for c in numbers if c.kind != "decimal" or (digits(c.type)[1] == 2 and c.sql.count(".") == 1)]
    if what == "avg" and averaged:
        decimals = [c for c in averaged if c.kind == "decimal"]  # few, and averaged by rules of their own
        return average(rng.choice(decimals or averaged), deciding)
    if what in ("min", "max") and ordered:
        c = rng.choice(ordered)
        return Col("", c.type, f"{what}({c.sql})", c.bound, c.exact)
    if what == "count":
        return Col("", "bigint", f"count({rng.choice(cols).sql})", size)
    return Col("", "bigint", "count(*)", size)


def total(c: Col, size: int) -> Col:
    match c.kind:
        case "decimal":
            p, s = digits(c.type)
            ddl = decimal_type(p + 10, s)
        case "double":
            ddl = "double"
        case _:
            ddl = "bigint"
    return Col("", ddl, f"sum({c.sql})", c.bound * max(size, 1), c.exact)


def average(c: Col, deciding: bool = False) -> Col:
    """Of decimals exact, to four more digits; of the rest a double, and what adds those up depends on the order."""
    if c.kind == "decimal":
        p, s = digits(c.type)
        return Col("", decimal_type(p + 4, s + 4), f"avg({c.sql})", c.bound, c.exact)
    return Col("", "double", f"avg({c.sql})", c.bound, deciding)


@operator
class GroupBy(Operator):
    name = "group by"
    weight = 20

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        return group(rng, scope, having=False)


@operator
class Having(Operator):
    name = "having"
    weight = 12

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        return group(rng, scope, having=True)


def group(rng: random.Random, scope: Scope, *, having: bool) -> Query | None:
    source = scope.input()
    if source is None:
        return None
    exact = groupable(source.cols)
    keys = [c if rng.random() < 0.8 else expression(rng, exact) for c in some(rng, exact, 1, 2)]
    aggs = [aggregate(rng, source.cols, source.size) for _ in range(rng.randint(1, 3))]
    shown = [k for k in keys if rng.random() < 0.85]
    mixed = [replace(a, sql=f"{a.sql} + 1", bound=a.bound + 1) if a.kind == "bigint" and rng.random() < 0.1 else a for a in aggs]
    items, cols = scope.outputs([*shown, *mixed])
    by = ", ".join(k.sql for k in keys)
    if len(shown) == len(keys) and rng.random() < 0.15:
        by = ", ".join(str(n + 1) for n in range(len(keys)))
    where = f" where {condition(rng, source.cols)}" if rng.random() < 0.25 else ""
    text = f"select {', '.join(items)} from {source.sql}{where} group by {by}"
    if having:
        more = [aggregate(rng, source.cols, source.size, deciding=True) for _ in range(2)]
        plain = [k for k in keys if k.sql.replace(".", "").isalnum()]
        text += f" having {condition(rng, [*plain, *aggs, *more])}"
    return Query(text, cols, source.size)
