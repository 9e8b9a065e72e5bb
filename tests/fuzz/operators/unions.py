"""Set operators over branches with the same types."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import ClassVar

from tests.fuzz.expressions import condition
from tests.fuzz.operators.base import Operator, operator
from tests.fuzz.operators.parts import keys, sample
from tests.fuzz.scope import Col, Query, Scope
from tests.fuzz.values import KINDS, kind_of, literal


def branch(rng: random.Random, scope: Scope, types: list[str], exact: bool) -> Query | None:
    """A select with columns of given types: columns of some input where it has them, constants elsewhere."""
    source = scope.input()
    if source is None:
        return None
    items: list[Col] = []
    for ddl in types:
        fitting = [c for c in source.cols if c.type == ddl and (c.exact or not exact)]
        value = rng.choice(KINDS[kind_of(ddl)].domain)
        items.append(rng.choice(fitting) if fitting else Col("", ddl, literal(value, ddl), 10))
    shown, cols = scope.outputs(items)
    where = f" where {condition(rng, source.cols)}" if rng.random() < 0.5 else ""
    return Query(f"select {', '.join(shown)} from {source.sql}{where}", cols, source.size)


class _SetOperator(Operator):
    """Branches joined by one of the words. `exact`: rows are compared, so nothing in them may be off by a last digit."""

    words: ClassVar[tuple[str, ...]]
    exact: ClassVar[bool] = True

    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        source = scope.input()
        if source is None:
            return None
        usable = keys(source.cols) if self.exact else list(source.cols)
        items, cols = scope.outputs(sample(rng, [c for c in usable if whole_type(c)] or usable, 1, 4))
        where = f" where {condition(rng, source.cols)}" if rng.random() < 0.3 else ""
        branches = [Query(f"select {', '.join(items)} from {source.sql}{where}", cols, source.size)]
        for _ in range(rng.choice([1, 1, 1, 2])):
            more = branch(rng, scope, [c.type for c in cols], self.exact)
            if more is None:
                return None
            branches.append(more)
        if rng.random() < 0.3:
            branches[0], branches[1] = branches[1], branches[0]
        merged = tuple(
            replace(c, bound=max(b.cols[n].bound for b in branches), exact=all(b.cols[n].exact for b in branches))
            for n, c in enumerate(branches[0].cols)
        )
        text = f" {rng.choice(self.words)} ".join(b.text for b in branches)
        return Query(text, merged, sum(b.size for b in branches))


def whole_type(c: Col) -> bool:
    """A type that constants are written of."""
    return c.type == KINDS[c.kind].ddl


@operator
class UnionAll(_SetOperator):
    name = "union all"
    words = ("union all",)
    exact = False


@operator
class Union(_SetOperator):
    name = "union"
    words = ("union", "union distinct")


@operator
class Intersect(_SetOperator):
    name = "intersect"
    words = ("intersect", "intersect all")


@operator
class Except(_SetOperator):
    name = "except"
    words = ("except", "except all", "minus")
