"""What differs between the engines' SQL. Lowering asks here, and nowhere else, how a thing is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TypeAlias

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import DataType, Decimal
from belvedere.engines.sql.names import Names

#: a function of one list element, given as SQL
Step: TypeAlias = Callable[[exp.Expr], exp.Expr]
#: makes an aggregate of a function and an optional condition on its rows: plain, or over a window
Over: TypeAlias = Callable[[exp.Expr, exp.Expr | None], exp.Expr]


class Dialect(ABC):
    """The verbs that the two dialects spell differently."""

    #: sqlglot's name of it
    name: str
    #: whether a relation of the WITH clause can be told to be computed once
    materializes: bool = False

    def walled(self, weight: exp.Expr) -> exp.Expr:
        """The weight of a relation that nothing above may be moved into, for engines that cannot be told to compute it once."""
        return weight

    @abstractmethod
    def scalar(self, scalar: Scalar, columns: Mapping[str, exp.Expr], names: Names) -> exp.Expr:
        """The expression in this dialect, over the given values of its columns. Raises Unsupported."""

    @abstractmethod
    def cast(self, node: exp.Expr, t: DataType) -> exp.Expr:
        """CAST that raises when the value does not fit."""

    @abstractmethod
    def fail(self, message: str) -> exp.Expr:
        """An expression that raises when it is evaluated."""

    @abstractmethod
    def groupable(self, node: exp.Expr, t: DataType, names: Names) -> exp.Expr:
        """An equal value that the engine can group by; the node itself if nothing is needed."""

    @abstractmethod
    def orderable(self, node: exp.Expr, t: DataType, names: Names) -> exp.Expr:
        """A value that orders as Spark orders the node: NULLs first inside of nested values too."""

    @abstractmethod
    def repeat(self, times: exp.Expr, alias: str) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """(joins, laterals) that make each row come as often as `times` says."""

    @abstractmethod
    def explode(
        self, collection: exp.Expr, t: DataType, alias: str, names: tuple[str, ...], position: str | None, outer: bool
    ) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """(joins, laterals) that add one row for each element."""

    @abstractmethod
    def sum_exact(self, value: exp.Expr, t: DataType, weight: exp.Expr | None, result: DataType, agg: Over) -> exp.Expr:
        """The weighted sum of exact numbers, with no digit lost. NULL where there is no value."""

    @abstractmethod
    def needs_units(self, t: DataType) -> bool:
        """Whether `sum_exact` of this type takes weights of ±1 only."""

    @abstractmethod
    def mean_decimal(self, total: exp.Expr, t: Decimal, count: exp.Expr, result: Decimal) -> exp.Expr:
        """total / count rounded half up to the result's scale."""

    @abstractmethod
    def collect(self, value: exp.Expr, agg: Over, *, distinct: bool = False, where: exp.Expr | None = None) -> exp.Expr:
        """The aggregate that gathers the values that are not NULL; an empty list where there are none."""

    @abstractmethod
    def sort_list(self, node: exp.Expr) -> exp.Expr:
        """A list without NULLs, ascending."""

    @abstractmethod
    def sum_list(self, node: exp.Expr, names: Names) -> exp.Expr:
        """The sum of a list of doubles, strictly from left to right; NULL for an empty list."""

    @abstractmethod
    def map_list(self, node: exp.Expr, names: Names, step: Step) -> exp.Expr:
        """The list of step(e)."""

    @abstractmethod
    def repeat_list(self, value: exp.Expr, times: exp.Expr) -> exp.Expr:
        """A list that holds the value so many times."""

    @abstractmethod
    def flatten(self, node: exp.Expr) -> exp.Expr:
        """A list of lists as one list."""

    @abstractmethod
    def struct(self, fields: Mapping[str, exp.Expr]) -> exp.Expr:
        """A struct with these fields."""

    @abstractmethod
    def field(self, node: exp.Expr, name: str) -> exp.Expr:
        """A field of a struct."""

    @abstractmethod
    def element(self, node: exp.Expr, index: exp.Expr) -> exp.Expr:
        """The element of a list at an index from 0; NULL outside."""

    @abstractmethod
    def size(self, node: exp.Expr) -> exp.Expr:
        """The number of elements of a list."""

    @abstractmethod
    def join_list(self, node: exp.Expr, separator: exp.Expr) -> exp.Expr:
        """A list of strings without NULLs as one string."""

    def order_key(self, node: exp.Expr, *, descending: bool = False, nulls_first: bool = True) -> exp.Expr:
        return exp.Ordered(this=node, desc=descending, nulls_first=nulls_first)
