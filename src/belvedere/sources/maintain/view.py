"""A join view over tables of several sources: which tables, which conditions between them, what comes out.

Every column that the view uses gets a slot, `v0`, `v1`, …; inside, conditions and rows speak of slots only, so that two tables
may have columns of the same name and no name of a user becomes an identifier of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from belvedere.algebra.types import BigInt, Column, DataType, Schema
from belvedere.changes.names import WEIGHT
from belvedere.errors import UnknownName, Unsupported, suggest
from belvedere.sources.source import TableInfo

_REFUSED = (exp.AggFunc, exp.Window, exp.Subquery, exp.Select, exp.Exists)


@dataclass(frozen=True)
class Part:
    """A table of the view under the name by which the view knows it. The same table may come twice."""

    alias: str
    source: str
    table: str


@dataclass(frozen=True)
class Slot:
    """A column of a part that the view uses."""

    name: str
    part: str
    column: str
    type: DataType


@dataclass(frozen=True)
class Condition:
    """One conjunct over slots, and the parts that it speaks of."""

    expr: exp.Expr
    parts: frozenset[str]


@dataclass(frozen=True)
class Output:
    """A column of the view: its name, an expression over slots, its type."""

    name: str
    expr: exp.Expr
    type: DataType


@dataclass(frozen=True)
class JoinView:
    """select outputs from parts where all conditions hold."""

    parts: tuple[Part, ...]
    slots: tuple[Slot, ...]
    conditions: tuple[Condition, ...]
    outputs: tuple[Output, ...]

    @staticmethod
    def of(
        parts: Sequence[Part],
        where: str | exp.Expr | None,
        outputs: Sequence[tuple[str, str | exp.Expr, DataType]],
        tables: Mapping[str, TableInfo],
    ) -> JoinView:
        """Conditions and outputs in Spark's SQL over columns written `alias.column`; `tables` says what each alias stands for."""
        maker = _Slots(tuple(parts), tables)
        conditions = [maker.condition(c) for c in _conjuncts(_parsed(where))] if where is not None else []
        made = [Output(name, maker.rewritten(_parsed(e)), t) for name, e, t in outputs]
        for p in parts:
            maker.at_least_one(p.alias)
        return JoinView(tuple(parts), tuple(maker.slots.values()), tuple(conditions), tuple(made))

    def part(self, alias: str) -> Part:
        return next(p for p in self.parts if p.alias == alias)

    def slots_of(self, *aliases: str) -> tuple[Slot, ...]:
        return tuple(s for s in self.slots if s.part in aliases)

    def weighted(self, slots: Sequence[Slot]) -> Schema:
        """Rows that hold these slots, with their weight."""
        return Schema((*(Column(s.name, s.type) for s in slots), Column(WEIGHT, BigInt())))

    @property
    def schema(self) -> Schema:
        return Schema(tuple(Column(o.name, o.type) for o in self.outputs))

    @property
    def types(self) -> dict[str, DataType]:
        return {s.name: s.type for s in self.slots}

    def within(self, aliases: frozenset[str]) -> tuple[Condition, ...]:
        """Conditions that can be decided once these parts are joined."""
        return tuple(c for c in self.conditions if c.parts <= aliases)


class _Slots:
    """Hands out slots while expressions are rewritten."""

    def __init__(self, parts: tuple[Part, ...], tables: Mapping[str, TableInfo]) -> None:
        self.tables = {p.alias: tables[p.alias] for p in parts}
        if len(self.tables) != len(parts):
            raise Unsupported("every table of a view over databases needs a name of its own; give the second one an alias")
        self.slots: dict[tuple[str, str], Slot] = {}

    def slot(self, alias: str, column: str) -> Slot:
        found = self.slots.get((alias, column))
        if found is None:
            t = self.tables[alias].schema[column].type
            found = self.slots[alias, column] = Slot(f"v{len(self.slots)}", alias, column, t)
        return found

    def at_least_one(self, alias: str) -> None:
        """Rows of a table none of whose columns is used are still counted; its key stands for them."""
        if not any(part == alias for part, _ in self.slots):
            info = self.tables[alias]
            self.slot(alias, (*info.key, *info.schema.names)[0])

    def resolve(self, column: exp.Column) -> Slot:
        alias = column.table
        if alias not in self.tables:
            said = column.sql("spark")
            raise UnknownName(f"{said} names no table of the view{suggest(alias, list(self.tables))}; write alias.column")
        schema = self.tables[alias].schema
        if column.name not in schema:
            raise UnknownName(f"{alias} has no column {column.name!r}{suggest(column.name, list(schema.names))}")
        return self.slot(alias, column.name)

    def rewritten(self, tree: exp.Expr) -> exp.Expr:
        refused = next(tree.find_all(*_REFUSED), None)
        if refused is not None:
            raise Unsupported(f"{refused.sql('spark')!r} cannot stand in a join over several databases")

        def swap(node: exp.Expr) -> exp.Expr:
            return slot_column(self.resolve(node).name, like=node) if isinstance(node, exp.Column) else node

        return tree.copy().transform(swap)

    def condition(self, tree: exp.Expr) -> Condition:
        parts = frozenset(self.resolve(c).part for c in tree.find_all(exp.Column))
        return Condition(self.rewritten(tree), parts)


def slot_column(name: str, table: str = "", *, like: exp.Expr | None = None) -> exp.Column:
    """A quoted column, with what is known of the one that it stands for."""
    node = exp.column(name, table or None, quoted=True)
    if like is not None:
        node.meta.update(like.meta)
    return node


def _parsed(text: str | exp.Expr) -> exp.Expr:
    if isinstance(text, exp.Expr):
        return text
    try:
        return sqlglot.parse_one(text, dialect="spark")
    except sqlglot.errors.SqlglotError as e:
        raise Unsupported(f"cannot read the expression {text!r}") from e


def _conjuncts(tree: exp.Expr) -> list[exp.Expr]:
    inner = tree.unnest()
    return [c for side in inner.flatten() for c in _conjuncts(side)] if isinstance(inner, exp.And) else [inner]
