"""The state of binding one statement, and how a query sees the one around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Project, SortKey
from belvedere.algebra.scalar import Scalar, cols
from belvedere.algebra.types import Schema
from belvedere.algebra.typing.dialect import located
from belvedere.errors import ParseError, Unsupported
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.fresh import Fresh
from belvedere.languages.sql.scope import Scope


@dataclass
class Session:
    """One statement."""

    text: str
    names: Names
    fresh: Fresh = field(default_factory=Fresh)
    relations: dict[str, None] = field(default_factory=dict)
    star: bool = False

    def error(self, kind: type[ParseError], message: str, node: exp.Expr | None) -> ParseError:
        return located(kind, message, self.text, node)

    def unsupported(self, message: str, node: exp.Expr | None) -> ParseError:
        return self.error(Unsupported, message, node)


@dataclass
class Frame:
    """A plan under construction and what its columns are called. Binding an expression may add to the plan: a subquery in
    the expression becomes a join."""

    node: Node
    scope: Scope

    @property
    def schema(self) -> Schema:
        return self.node.schema

    def extend(self, items: list[tuple[str, Scalar]]) -> None:
        """Add computed columns."""
        if items:
            self.node = Project(self.node, cols(self.node.schema) + tuple(items))


def unused(stem: str, schema: Schema, env: Env) -> str:
    """A fresh name that is no visible name of a query's result either."""
    while True:
        name = env.session.fresh(stem)
        if name not in schema:
            return name


@dataclass
class Correlation:
    """The query around a subquery. Without a domain, columns of the outer query may only stand in conditions, which become
    the join's. With one, the distinct values of the outer columns are joined to the subquery's own from clause, and every
    operator works for each of them."""

    frame: Frame
    env: Env
    domain: dict[str, str] | None = None
    used: dict[str, None] = field(default_factory=dict)


class NeedsDomain(Exception):
    """An outer column stands where only a domain can supply it."""

    def __init__(self, correlation: Correlation) -> None:
        self.correlation = correlation
        super().__init__("needs a domain")


@dataclass(frozen=True)
class Cte:
    """A named query of a with clause, bound when first used."""

    query: exp.Expr
    columns: tuple[str, ...]
    env: Env
    cache: list[Query] = field(default_factory=list)


@dataclass(frozen=True)
class Env:
    """What a query inherits: the statement, the with clauses in force, the query around it."""

    session: Session
    ctes: Mapping[str, Cte] = field(default_factory=dict)
    correlation: Correlation | None = None

    def within(self, correlation: Correlation | None) -> Env:
        return replace(self, correlation=correlation)

    def outer_schema(self) -> Schema:
        """The outer query's columns, which conditions of a correlated subquery may read."""
        c = self.correlation
        return c.frame.schema if c is not None and c.domain is None else Schema(())


@dataclass(frozen=True)
class Query:
    """A bound query: its visible columns come first in the node's schema, by `columns`; after them the domain's columns
    (`domain`, outer name → column here) and whatever the conditions in `pending` read."""

    node: Node
    columns: tuple[str, ...]
    pending: tuple[Scalar, ...] = ()
    domain: Mapping[str, str] = field(default_factory=dict)
    order: tuple[SortKey, ...] = ()
    ordered: Node | None = None
    one_row: bool = False

    @property
    def outputs(self) -> tuple[str, ...]:
        return self.node.schema.names[: len(self.columns)]
