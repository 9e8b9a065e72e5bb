"""Algebra → SQL: the context that the lowering functions of the operators share.

`lower(node, dialect, scans)` makes a Statement. Each operator has one function in `ops/`; the table of them is checked
against the algebra's operators when this room is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sqlglot import Dialect as SqlDialect
from sqlglot import exp

from belvedere.algebra.copying import copied
from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import BigInt, Column, Map, Schema
from belvedere.engines.sql import build
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.dialect import Dialect
from belvedere.engines.sql.names import Names, identifier
from belvedere.engines.sql.statement import Cte, Slot, Statement


@dataclass(frozen=True)
class Leaf:
    """What lowering must know of a scan."""

    positive: bool = False
    consolidated: bool = False
    empty: bool = False
    #: columns of the collection, by its own names, in which no two rows agree; none if that is not known
    key: tuple[str, ...] = ()

    def and_(self, other: Leaf) -> Leaf:
        """What is true of both."""
        return Leaf(
            self.positive and other.positive, self.consolidated and other.consolidated, self.empty and other.empty,
            self.key if self.key == other.key else (),
        )  # fmt: skip


LeafOf = Callable[[Get], Leaf]


class Lowering:
    """The statement being made: its relations so far and the names given out."""

    def __init__(self, dialect: Dialect, leaf: LeafOf, *, written: bool = True) -> None:
        self.dialect = dialect
        self.leaf = leaf
        self._written = written
        self.names = Names()
        self.ctes: list[Cte] = []
        self.shares: dict[str, tuple[str, Block]] = {}
        self._writer = SqlDialect.get_or_raise(dialect.name).generator(
            pretty=True, max_text_width=110, normalize_functions=False
        )

    def block(self, node: Node) -> Block:
        """The node as an open SELECT."""
        from belvedere.engines.sql.table import LOWERINGS

        return LOWERINGS[type(node)](node, self)

    def scalar(self, scalar: Scalar, block: Block) -> exp.Expr:
        return self.dialect.scalar(scalar, block.columns, self.names)

    # -- relations ---------------------------------------------------------------------------------------------------

    def define(self, stem: str, body: exp.Expr | Slot | str, *, materialized: bool = False, name: str | None = None) -> str:
        """Add a relation to the WITH clause; its name."""
        name = name or self.names.fresh(stem)
        made = body if isinstance(body, (str, Slot)) else self.text(body)
        self.ctes.append(Cte(name, made, materialized))
        return name

    def text(self, node: exp.Expr) -> str:
        return self._writer.generate(node, copy=False) if self._written else ""

    def read(
        self, name: str, schema: Schema, *, weighted: bool, positive: bool, distinct: bool, alias: str | None = None,
        key: Iterable[str] = (),
    ) -> Block:  # fmt: skip
        """A block over a relation of this statement."""
        alias = alias or name
        source = exp.Table(this=identifier(name))
        if alias != name:
            source.set("alias", exp.TableAlias(this=identifier(alias)))
        columns = {c.name: build.column(self.names.column(c.name), alias) for c in schema}
        weight = build.column(build.WEIGHT, alias) if weighted else None
        unique = frozenset((alias, self.names.column(n)) for n in key)
        return Block(schema, alias, source, columns, weight, positive=positive, distinct=distinct, unique=unique)

    def close(self, block: Block, stem: str, *, materialized: bool = False) -> Block:
        """The block as a named relation, and a block over that."""
        name = self.define(stem, self.select(block), materialized=materialized)
        key = block.key if block.is_unique else ()
        return self.read(
            name, block.schema, weighted=block.weight is not None, positive=block.positive, distinct=block.distinct, key=key
        )

    def plain(self, block: Block, stem: str, names: Iterable[str]) -> Block:
        """A block whose columns, as far as they are named, are bare columns: itself, or closed."""
        return block if block.is_plain(names) else self.close(block, stem)

    def single(self, block: Block, stem: str) -> Block:
        """A block that is one relation with bare columns and a bare weight, and no condition."""
        bare = block.is_bare and block.is_plain() and isinstance(block.weight, (exp.Column, type(None)))
        return block if bare else self.close(block, stem)

    def ready(self, block: Block, stem: str) -> Block:
        """A block with bare columns and a bare weight; conditions and joins may stay."""
        return block if block.is_plain() and isinstance(block.weight, (exp.Column, type(None))) else self.close(block, stem)

    # -- selects -----------------------------------------------------------------------------------------------------

    def select(self, block: Block, *, weight: bool = False) -> exp.Select:
        """The SELECT of a block; `weight` asks for the weight even where every row counts once."""
        items = [build.alias(block.value(c.name), self.names.column(c.name)) for c in block.schema]
        if block.weight is not None or weight or not items:
            items.append(build.alias(self.weight_value(block), build.WEIGHT))
        return self.frame(block, items)

    def weight_value(self, block: Block) -> exp.Expr:
        if block.weight is not None:
            return copied(block.weight)
        return exp.Cast(this=build.number(1), to=exp.DataType(this=exp.DType.BIGINT))

    def frame(self, block: Block, items: Sequence[exp.Expr], group: Sequence[exp.Expr] = (),
              having: exp.Expr | None = None) -> exp.Select:  # fmt: skip
        """SELECT items FROM … of a block, grouped if asked. Qualifiers go where there is one source only."""
        select = exp.Select(expressions=list(items), from_=exp.From(this=copied(block.source)))
        if block.joins:
            select.set("joins", [copied(j) for j in block.joins])
        if block.laterals:
            select.set("laterals", [copied(j) for j in block.laterals])
        condition = build.conjunction(copied(w) for w in block.where)
        if condition is not None:
            select.set("where", exp.Where(this=condition))
        if group:
            select.set("group", exp.Group(expressions=list(group)))
        if having is not None:
            select.set("having", exp.Having(this=having))
        if block.is_single:
            _unqualify(select, block.alias)
        return select

    # -- steps that several operators take ---------------------------------------------------------------------------

    def project(self, block: Block, items: Sequence[tuple[Column, exp.Expr]]) -> Block:
        """Other columns over the same source."""
        schema = Schema(tuple(c for c, _ in items))
        return replace(block, schema=schema, columns={c.name: e for c, e in items}, distinct=False)

    def grouped(self, block: Block, keys: Sequence[str], items: Sequence[tuple[Column, exp.Expr]], stem: str, *,
                having: exp.Expr | None = None, weight: exp.Expr | None = None) -> Block:  # fmt: skip
        """SELECT keys, items … GROUP BY keys, closed. Keys are bare columns of the block."""
        selected = [build.alias(block.value(k), self.names.column(k)) for k in keys]
        selected += [build.alias(e, self.names.column(c.name)) for c, e in items]
        if weight is not None or not selected:
            selected.append(build.alias(weight if weight is not None else build.number(1), build.WEIGHT))
        select = self.frame(block, selected, [block.value(k) for k in keys], having)
        schema = Schema((*(block.schema[k] for k in keys), *(c for c, _ in items)))
        name = self.define(stem, select)
        return self.read(name, schema, weighted=weight is not None, positive=True, distinct=True, key=keys)

    def groupable(self, block: Block, stem: str) -> Block:
        """The block with columns that the engine can group by, bare."""
        made = {c.name: self.dialect.groupable(block.value(c.name), c.type, self.names) for c in block.schema}
        changed = replace(block, columns=made)
        return self.ready(changed, stem)

    def _grouped_as_is(self, block: Block) -> bool:
        """Whether the engine groups by its columns without giving them another form first, which rows that are equal share."""
        return all(self.dialect.groupable(block.value(c.name), c.type, self.names) == block.columns[c.name] for c in block.schema)

    def _distinct(self, block: Block) -> bool:
        """Whether no two rows are equal, as the engine groups them."""
        return block.distinct or (block.is_unique and self._grouped_as_is(block))

    def consolidated(self, block: Block, stem: str = "net", *, positive: bool = True) -> Block:
        """One row for each distinct row. With `positive`, rows whose net weight is not above 0 are absent."""
        if self._distinct(block):
            if positive and not block.positive:  # there is nothing to add up
                above = exp.GT(this=block.weight_or_one(), expression=build.number(0))
                return replace(block.filtered(above), positive=True)
            return block
        block = self.groupable(block, stem)
        total: exp.Expr = exp.Sum(this=copied(block.weight)) if block.weight is not None else exp.Count(this=exp.Star())
        total = self.dialect.cast(total, BigInt())
        having: exp.Expr | None = None
        if not block.positive:
            kind = exp.GT if positive else exp.NEQ
            having = kind(this=exp.Sum(this=block.weight_or_one()), expression=build.number(0))
        elif not block.schema.columns:
            having = exp.GT(this=exp.Count(this=exp.Star()), expression=build.number(0))
        result = self.grouped(block, block.schema.names, (), stem, having=having, weight=total)
        return replace(result, positive=positive or block.positive)

    def careful(self, block: Block, scalars: Iterable[Scalar]) -> Block:
        """The block as these can be asked of it. What fails for some rows must not be asked of rows that were taken back, so
        those go first, behind a wall that no condition is moved through."""
        if block.positive or not any(s.may_fail for s in scalars):
            return block
        if any(c.type.contains(Map) for c in block.schema):  # grouped, its entries would come in another order
            return block
        net = self.consolidated(block, positive=False)
        net = replace(net, weight=self.dialect.walled(self.weight_value(net)))
        return self.close(net, "net", materialized=self.dialect.materializes)

    def settled(self, block: Block, stem: str = "net") -> Block:
        """A block without negative weights: itself where that is known, else consolidated."""
        return block if block.positive else self.consolidated(block, stem)

    def units(self, block: Block, stem: str, *, signed: bool = False) -> Block:
        """Each row of weight n as n rows (with `signed`, of weight ±1). Needs positive weights unless signed."""
        if block.weight is None:
            return block
        block = self.ready(block, stem)
        assert block.weight is not None
        times = exp.Abs(this=copied(block.weight)) if signed else copied(block.weight)
        joins, laterals = self.dialect.repeat(times, self.names.fresh("copies"))
        sign = build.call("sign", copied(block.weight)) if signed else None
        made = replace(block, joins=(*block.joins, *joins), laterals=(*block.laterals, *laterals), distinct=False, weight=sign,
                       unique=frozenset())  # fmt: skip
        return self.close(made, stem)

    def statement(self, node: Node) -> Statement:
        for below in node.walk():
            for column in below.schema:  # columns first: relations make room for their names
                self.names.column(column.name)
        block = self.block(node)
        body = self.text(self.select(block, weight=True))
        columns = tuple(self.names.column(n) for n in node.schema.names)
        return Statement(tuple(self.ctes), body, columns, self._distinct(block))


def _unqualify(select: exp.Select, alias: str) -> None:
    """Drop the qualifier of the only source, unless a column of it has the name that another value is given here."""
    columns = _columns(select)
    given = {i.alias for i in select.expressions if isinstance(i, exp.Alias)}
    if not given & {c.name for c in columns}:
        for c in columns:
            if c.table == alias:
                c.set("table", None)


def _columns(tree: exp.Expr) -> list[exp.Column]:
    found: list[exp.Column] = []
    todo: list[object] = [tree]
    while todo:
        part = todo.pop()
        if isinstance(part, exp.Column):
            found.append(part)
        elif isinstance(part, exp.Expr):
            todo.extend(part.args.values())
        elif isinstance(part, list):
            todo.extend(part)
    return found


def lower(node: Node, dialect: Dialect, leaf: LeafOf) -> Statement:
    """The statement of a node. Raises Unsupported where the dialect has no faithful form of something."""
    return Lowering(dialect, leaf).statement(node)


def check(node: Node, dialect: Dialect) -> None:
    """Raises Unsupported where `lower` would; nothing is written, which is the greater part of it."""
    Lowering(dialect, lambda _: Leaf(), written=False).statement(node)
