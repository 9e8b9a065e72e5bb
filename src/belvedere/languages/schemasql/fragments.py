"""The fragments of a view over its sources, made by SQL's binder. The same text can be put over other branches of the sources."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, UnionAll, Values, renamed
from belvedere.algebra.scalar import cols
from belvedere.algebra.types import Column, Schema
from belvedere.algebra.typing import Signature
from belvedere.algebra.typing.dialect import COMMA
from belvedere.languages.schemasql.bound import Source
from belvedere.languages.sql.catalog import Names, Relation
from belvedere.languages.sql.query import bind_query
from belvedere.languages.sql.state import Env, Session
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import OType


@dataclass(frozen=True)
class Fragments:
    """A select over sources, in which every column is qualified by the name of its source."""

    text: str
    names: Names
    items: tuple[tuple[str, exp.Expr], ...]
    where: tuple[exp.Expr, ...]
    group: exp.Group | None
    having: exp.Expr | None
    distinct: bool

    def over(self, sources: tuple[Source, ...]) -> Node:
        session = Session(self.text, _Sources(self.names, {s.name: s for s in sources}))
        return bind_query(self._select(sources), Env(session)).node

    def _select(self, sources: tuple[Source, ...]) -> exp.Select:
        tables = [exp.Table(this=exp.to_identifier(s.name, quoted=True)) for s in sources]
        select = exp.Select(
            expressions=[exp.Alias(this=e.copy(), alias=exp.to_identifier(n, quoted=True)) for n, e in self.items],
            from_=exp.From(this=tables[0]),
        )
        joins = [exp.Join(this=t) for t in tables[1:]]
        for j in joins:
            j.meta[COMMA] = True
        select.set("joins", joins)
        if self.where:
            select.set("where", exp.Where(this=exp.and_(*(w.copy() for w in self.where), copy=False)))
        if self.group is not None:
            select.set("group", self.group.copy())
        if self.having is not None:
            select.set("having", exp.Having(this=self.having.copy()))
        if self.distinct:
            select.set("distinct", exp.Distinct())
        return select


def source_node(source: Source) -> Node:
    """The union of the branches."""
    if not source.branches:
        return Values(Schema(tuple(Column(n, t) for n, t in source.columns)), ())
    parts = tuple(renamed(b.node, tuple(n for n, _ in source.columns)) for b in source.branches)
    node = parts[0] if len(parts) == 1 else UnionAll(parts)
    return Aggregate(node, cols(node.schema), ()) if source.distinct else node


@dataclass(frozen=True)
class _Sources:
    """The sources as relations; functions are the warehouse's."""

    names: Names
    sources: dict[str, Source] = field(default_factory=dict)

    def relation(self, name: str) -> Relation | None:
        found = self.sources.get(name)
        if found is None:
            return None
        node = source_node(found)
        return Relation(name, node.schema, node)

    def relation_names(self) -> list[str]:
        return list(self.sources)

    def objects(self) -> ObjectModel:
        return self.names.objects()

    def object_type(self, name: str) -> OType | None:
        return None

    def udf(self, name: str) -> Signature | None:
        return self.names.udf(name)
