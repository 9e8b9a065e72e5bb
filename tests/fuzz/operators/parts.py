"""What operators need from columns that may not have it: a whole number, a key, something to order by.

Every operator must be able to stand over every other, whatever columns that one gives.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.fuzz.expressions import NUMBERS, SCALARS, condition
from tests.fuzz.scope import Col, Input, Query, Scope

SMALL = 50


def whole(rng: random.Random, cols: Sequence[Col]) -> Col:
    """A small exact int: a column if there is one, else made from one."""
    found = [c for c in cols if c.exact and c.kind == "int" and c.bound <= SMALL]
    if found:
        return rng.choice(found)
    c = rng.choice(list(cols))
    match c.kind:
        case "string":
            return Col("", "int", f"length({c.sql})", 40, c.exact)
        case "boolean":
            return Col("", "int", f"cast({c.sql} as int)", 1, c.exact)
        case _:
            return Col("", "int", f"if({c.sql} is null, 0, 1)", 1)


def deciders(cols: Sequence[Col]) -> list[Col]:
    """The exact scalars, or whether something is NULL: what rows may be ordered, partitioned and told apart by."""
    return [c for c in cols if c.exact and c.kind in SCALARS] or [Col("", "boolean", f"({c.sql} is null)", 1) for c in cols]


def keys(cols: Sequence[Col]) -> list[Col]:
    """What rows may be grouped by: as `deciders`, and nested values too."""
    return [c for c in cols if c.exact] or deciders(cols)


def sample(rng: random.Random, cols: Sequence[Col], low: int, high: int) -> list[Col]:
    return rng.sample(list(cols), min(len(cols), rng.randint(low, high)))


def numbers(cols: Sequence[Col], size: int) -> list[Col]:
    """Numbers that can be added up without leaving their type."""
    return [c for c in cols if c.kind in NUMBERS and c.bound * max(size, 1) <= 10**12]


def pair(rng: random.Random, left: Sequence[Col], right: Sequence[Col]) -> tuple[Col, Col]:
    """A column of each side, of one type."""
    both = [(a, b) for a in left for b in right if a.exact and b.exact and a.type == b.type and a.kind in SCALARS]
    return rng.choice(both) if both else (whole(rng, left), whole(rng, right))


def ordered(rng: random.Random, cols: Sequence[Col]) -> str:
    """An order by list over these."""
    ends = ["", "", " desc", " asc", " nulls last", " desc nulls first"]
    return ", ".join(f"{c.sql}{rng.choice(ends)}" for c in cols)


def where(rng: random.Random, cols: Sequence[Col], chance: float) -> str:
    return f" where {condition(rng, cols)}" if rng.random() < chance else ""


def renamed(scope: Scope, source: Input, cols: Sequence[Col]) -> Input:
    """The input cut down to these columns, each under a name that nothing else has."""
    items, out = [], []
    for c in cols:
        name = scope.fresh(c.type)
        items.append(f"{c.sql} as {name}")
        out.append(Col(name, c.type, "", c.bound, c.exact))
    return scope.embed(Query(f"select {', '.join(items)} from {source.sql}", tuple(out), source.size))
