"""Random scalar expressions and conditions over given columns, each with the type that Spark gives it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.fuzz.scope import Col
from tests.fuzz.values import KINDS, literal

NUMBERS = ("int", "bigint", "double", "decimal")
SCALARS = (*NUMBERS, "string", "date", "boolean")
_INT_LIMIT = 10**8
_WIDE = {"int": _INT_LIMIT, "bigint": 10**15, "double": 2**40, "decimal": 10**6}


def of_kind(cols: Sequence[Col], *kinds: str) -> list[Col]:
    return [c for c in cols if c.kind in kinds]


def decimal_type(precision: int, scale: int) -> str:
    return f"decimal({min(precision, 38)},{min(scale, 38)})"


def digits(ddl: str) -> tuple[int, int]:
    """Precision and scale of a decimal type."""
    p, s = ddl[len("decimal(") : -1].split(",")
    return int(p), int(s)


def expression(rng: random.Random, cols: Sequence[Col]) -> Col:
    """A column, or something computed from columns."""
    if rng.random() < 0.55:
        return rng.choice(list(cols))
    for _ in range(6):
        made = rng.choice(MAKERS)(rng, cols)
        if made is not None and made.bound <= _WIDE.get(made.kind, made.bound):
            return made
    return rng.choice(list(cols))


Maker = Callable[[random.Random, Sequence[Col]], Col | None]


def _pick(rng: random.Random, cols: Sequence[Col], *kinds: str) -> Col | None:
    found = of_kind(cols, *kinds)
    return rng.choice(found) if found else None


def _arithmetic(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, *NUMBERS)
    b = _pick(rng, cols, a.kind) if a else None
    if a is None or b is None:
        return None
    op = rng.choice(["+", "-"])
    bound = a.bound + b.bound
    if a.kind == "decimal":
        (p, s), (q, z) = digits(a.type), digits(b.type)
        wide = max(s, z) + max(p - s, q - z) + 1
        if wide > 30:
            return None
        return Col("", decimal_type(wide, max(s, z)), f"{a.sql} {op} {b.sql}", bound, a.exact and b.exact)
    return Col("", a.type, f"{a.sql} {op} {b.sql}", bound, a.exact and b.exact)


def _scaled(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, "int", "bigint", "double")
    if a is None:
        return None
    return Col("", a.type, rng.choice([f"{a.sql} * 2", f"-{a.sql}", f"{a.sql} + 1", f"abs({a.sql})"]), a.bound * 2 + 1, a.exact)


def _half(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, "int", "bigint")
    return a and Col("", "double", f"{a.sql} / 2", a.bound)


def _cast(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, "int", "boolean")
    if a is None:
        return None
    if a.kind == "boolean":
        return Col("", "int", f"cast({a.sql} as int)", 1)
    target = rng.choice(["bigint", "double", "decimal(12,2)", "string"])
    return Col("", target, f"cast({a.sql} as {target})", a.bound)


def _text(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, "string")
    if a is None:
        return None
    if rng.random() < 0.3:
        return Col("", "int", f"length({a.sql})", 40)
    return Col("", "string", rng.choice([f"upper({a.sql})", f"{a.sql} || 'x'", f"substring({a.sql}, 1, 1)"]), exact=a.exact)


def _day(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, "date")
    if a is None:
        return None
    return rng.choice([Col("", "int", f"year({a.sql})", 3000), Col("", "date", f"date_add({a.sql}, 1)")])


def _choice(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, [c for c in cols if c.exact], *SCALARS)
    b = a and _pick(rng, [c for c in cols if c.exact and c.type == a.type], a.kind)
    if a is None or b is None:
        return None
    text = rng.choice([
        f"coalesce({a.sql}, {b.sql})",
        f"case when {condition(rng, cols, 0)} then {a.sql} else {b.sql} end",
        f"case when {condition(rng, cols, 0)} then {a.sql} end",
        f"if({condition(rng, cols, 0)}, {a.sql}, {b.sql})",
        f"nullif({a.sql}, {b.sql})",
    ])  # fmt: skip
    return Col("", a.type, text, max(a.bound, b.bound))


def _default(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, [c for c in cols if c.type == KINDS.get(c.kind, KINDS["int"]).ddl], *SCALARS)
    return a and Col("", a.type, f"coalesce({a.sql}, {literal(rng.choice(KINDS[a.kind].domain), a.type)})", a.bound + 10, a.exact)


def _nested(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, "struct", "array", "structs")
    if a is None:
        return None
    if a.kind == "struct":
        return rng.choice([Col("", "int", f"{a.sql}.x"), Col("", "string", f"{a.sql}.y")])
    return Col("", "int", f"size({a.sql})")


def _build(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a, b = _pick(rng, [c for c in cols if c.bound <= 4], "int"), _pick(rng, cols, "string")
    if a is None:
        return None
    if b is None or rng.random() < 0.5:
        return Col("", "array<int>", f"array({a.sql}, {a.sql} + 1)")
    return Col("", "struct<x:int,y:string>", f"named_struct('x', {a.sql}, 'y', {b.sql})")


def _truth(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    return Col("", "boolean", f"({condition(rng, cols, 1)})")


def _extreme(rng: random.Random, cols: Sequence[Col]) -> Col | None:
    a = _pick(rng, cols, "int", "bigint")
    b = a and _pick(rng, cols, a.kind)
    if a is None or b is None:
        return None
    return Col("", a.type, f"{rng.choice(['greatest', 'least'])}({a.sql}, {b.sql})", max(a.bound, b.bound))


MAKERS: tuple[Maker, ...] = (
    _arithmetic, _arithmetic, _scaled, _half, _cast, _text, _day, _choice, _choice, _default, _nested, _nested, _build, _truth,
    _extreme,
)  # fmt: skip


def condition(rng: random.Random, cols: Sequence[Col], depth: int = 1) -> str:
    """A boolean expression, often true for some rows and false for others."""
    usable = [c for c in cols if c.exact and c.kind in SCALARS]
    if not usable:
        c = rng.choice(list(cols))
        return f"{c.sql} is {rng.choice(['', 'not '])}null"
    if depth > 0 and rng.random() < 0.35:
        a, b = condition(rng, cols, depth - 1), condition(rng, cols, depth - 1)
        return rng.choice([f"({a} and {b})", f"({a} or {b})", f"({a} or {b})", f"not ({a})"])
    a = rng.choice(usable)
    if a.kind == "boolean" and rng.random() < 0.4:
        return a.sql
    same = [c for c in usable if c.kind == a.kind and c.sql != a.sql]
    op = rng.choice(["=", "<", ">", "<=", ">=", "<>", "<>", "<=>"])
    shape = rng.random()
    if same and shape < 0.35:
        return f"{a.sql} {op} {rng.choice(same).sql}"
    if shape < 0.45:
        return f"{a.sql} is {rng.choice(['', 'not ', 'not ', 'not '])}null"
    if shape < 0.55:
        values = ", ".join(constant(rng, a) for _ in range(2))
        return f"{a.sql} in ({values})"
    if shape < 0.62 and a.kind != "boolean":
        return f"{a.sql} between {constant(rng, a)} and {constant(rng, a)}"
    return f"{a.sql} {op} {constant(rng, a)}"


def constant(rng: random.Random, col: Col) -> str:
    """A constant that a column of that kind is likely to hold."""
    kind = KINDS[col.kind]
    return literal(rng.choice(kind.domain), kind.ddl)
