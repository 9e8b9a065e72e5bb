"""One call of an aggregate function, as the families see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlglot import exp

from belvedere.algebra.copying import copied
from belvedere.algebra.types import DataType
from belvedere.engines.sql import build
from belvedere.engines.sql.dialect import Dialect
from belvedere.engines.sql.names import Names

#: what a function asks of its rows. weights: any weights, it is linear; set: no row that is cancelled; bag: no two equal
#: rows either, because the result must not depend on how a multiplicity is spread over rows
Need: TypeAlias = Literal["weights", "set", "bag"]


@dataclass(frozen=True)
class Call:
    """Arguments as SQL in the scope of the rows. `stage` names an aggregate's value, for formulas that
    need it as a value and not as an aggregate."""

    fn: str
    args: tuple[exp.Expr, ...]
    types: tuple[DataType, ...]
    distinct: bool
    result: DataType
    weight: exp.Expr | None
    positive: bool
    dialect: Dialect
    names: Names
    over: Callable[[exp.Expr], exp.Expr]
    stage: Callable[[exp.Expr, DataType], exp.Expr]
    #: names a value computed from staged ones
    derive: Callable[[exp.Expr, DataType], exp.Expr]

    @property
    def arg(self) -> exp.Expr:
        return copied(self.args[0])

    @property
    def type(self) -> DataType:
        return self.types[0]

    def agg(self, function: exp.Expr, where: exp.Expr | None = None) -> exp.Expr:
        """An aggregate over the rows of the group (or frame), of which `where` may keep some."""
        return self.over(build.filtered(function, where))

    def cast(self, node: exp.Expr) -> exp.Expr:
        return self.dialect.cast(node, self.result)

    def present(self) -> exp.Expr:
        """All arguments are there."""
        condition = build.conjunction(build.not_null(copied(a)) for a in self.args)
        assert condition is not None
        return condition

    def rows(self, where: exp.Expr | None = None) -> exp.Expr:
        """The number of rows, NULL or 0 where there are none."""
        if self.weight is None:
            return self.agg(exp.Count(this=exp.Star()), where)
        return self.agg(exp.Sum(this=copied(self.weight)), where)

    def some(self, value: exp.Expr) -> exp.Expr:
        """The value, NULL where no row has all arguments."""
        return build.case(exp.GT(this=self.rows(self.present()), expression=build.number(0)), value)
