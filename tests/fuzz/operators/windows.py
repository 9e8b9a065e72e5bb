"""Window functions over partitions, qualify, and the first rows of an order.

Where a place in the order shows, the order is by all columns that are shown, so that the result is one bag and no other; and
all places of one query are places in the same order, because which of two equal rows is first in one says nothing of another.
"""

from __future__ import annotations

import random

from tests.fuzz.expressions import NUMBERS
from tests.fuzz.operators.aggregates import total
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.parts import deciders, ordered, sample, where
from tests.fuzz.scope import Col, Query, Scope, some


def partition(rng: random.Random, cols: list[Col]) -> str:
    by = sample(rng, cols, 1, 2) if rng.random() < 0.85 else []
    return f"partition by {', '.join(c.sql for c in by)} " if by else ""


def place(rng: random.Random, cols: list[Col]) -> str:
    """A partition, and an order of all columns in it."""
    return f"{partition(rng, cols)}order by {total_order(rng, cols)}"


def total_order(rng: random.Random, cols: list[Col]) -> str:
    """All columns, in some order."""
    return ordered(rng, rng.sample(cols, len(cols)))


@operator
class RankingWindow(Operator):
    name = "ranking window"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        cols = some(rng, deciders(source.cols), 1, 4)
        made = []
        spot = place(rng, cols)
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.5:
                text = f"row_number() over ({spot})"
            else:
                order = ordered(rng, sample(rng, cols, 1, 2))
                text = f"{rng.choice(['rank', 'dense_rank'])}() over ({partition(rng, cols)}order by {order})"
            made.append(Col("", "int", text, source.size))
        items, out = scope.outputs([*cols, *made])
        return Query(f"select {', '.join(items)} from {source.sql}{where(rng, source.cols, 0.2)}", out, source.size)


@operator
class OffsetWindow(Operator):
    """The row before, the row after, the first, the last."""

    name = "offset window"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        cols = some(rng, deciders(source.cols), 1, 4)
        made = []
        spot = place(rng, cols)
        for _ in range(rng.randint(1, 2)):
            c = rng.choice(cols)
            over = f"over ({spot}"
            call = rng.choice([f"lag({c.sql})", f"lead({c.sql})", f"lag({c.sql}, 2)", f"lead({c.sql}, 1, {c.sql})"])
            if rng.random() < 0.4:
                call = rng.choice([f"first_value({c.sql})", f"last_value({c.sql})"])
                over += rng.choice(["", " rows between unbounded preceding and unbounded following"])
            made.append(Col("", c.type, f"{call} {over})", c.bound))
        items, out = scope.outputs([*cols, *made])
        return Query(f"select {', '.join(items)} from {source.sql}", out, source.size)


ROW_FRAMES = (
    "rows between 1 preceding and current row",
    "rows between unbounded preceding and current row",
    "rows between 1 preceding and 1 following",
    "rows between current row and unbounded following",
)


@operator
class FramedWindow(Operator):
    """Running sums, counts, least and greatest, over the partition or a frame of it."""

    name = "framed window"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        cols = some(rng, deciders(source.cols), 1, 4)
        spot = place(rng, cols)
        made = [self.one(rng, cols, source.size, spot) for _ in range(rng.randint(1, 2))]
        items, out = scope.outputs([*cols, *made])
        return Query(f"select {', '.join(items)} from {source.sql}{where(rng, source.cols, 0.2)}", out, source.size)

    def one(self, rng: random.Random, cols: list[Col], size: int, spot: str) -> Col:
        c = rng.choice(cols)
        calls = [Col("", "bigint", f"count({c.sql})", size), Col("", "bigint", "count(*)", size)]
        if c.kind != "boolean":
            calls += [Col("", c.type, f"{what}({c.sql})", c.bound) for what in ("min", "max")]
        if c.kind in NUMBERS and c.bound * max(size, 1) <= 10**12:
            calls += [total(c, size), total(c, size)]
        call = rng.choice(calls)
        over = partition(rng, cols)
        shape = rng.random()
        if shape < 0.35:
            over = f"{spot} {rng.choice(ROW_FRAMES)}"
        elif shape < 0.7:
            over += f"order by {ordered(rng, sample(rng, cols, 1, 2))}"
        elif shape < 0.8 and [k for k in cols if k.kind == "int"]:
            by = rng.choice([k for k in cols if k.kind == "int"])
            over += f"order by {by.sql} range between 1 preceding and 1 following"
        return Col("", call.type, f"{call.sql} over ({over.strip()})", call.bound)


@operator
class Qualify(Operator):
    """Rows by their place in a partition."""

    name = "qualify"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        cols = some(rng, deciders(source.cols), 1, 4)
        items, out = scope.outputs(cols)
        if rng.random() < 0.6:
            place = rng.choice(["= 1", "<= 2", "> 1"])
            test = f"row_number() over ({partition(rng, cols)}order by {total_order(rng, cols)}) {place}"
        else:
            test = f"{rng.choice(['rank', 'dense_rank'])}() over ({partition(rng, cols)}order by {ordered(rng, cols[:1])}) <= 2"
        return Query(f"select {', '.join(items)} from {source.sql} qualify {test}", out, source.size)


@operator
class Limit(Operator):
    """The first rows of an order by everything that is shown, after some that are left out."""

    name = "limit"

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        items, out = scope.outputs(some(rng, deciders(source.cols), 1, 4))
        order = ordered(rng, [Col(c.name, c.type, c.name) for c in rng.sample(out, len(out))])
        distinct = "distinct " if rng.random() < 0.15 else ""
        text = f"select {distinct}{', '.join(items)} from {source.sql}{where(rng, source.cols, 0.2)} order by {order}"
        return Query(f"{text} limit {rng.choice([1, 2, 3, 5])}{rng.choice(['', '', ' offset 1', ' offset 3'])}", out, 5)
