"""The walk that gives every node of an expression its type, and the casts that Spark would put in silently, in writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from belvedere.algebra.types import DataType, Schema
from belvedere.algebra.typing.dialect import NAME, located
from belvedere.errors import ParseError, TypeMismatch, UnknownName, Unsupported, suggest


class Signature(Protocol):
    """What typing asks of a user's function."""

    @property
    def arguments(self) -> tuple[DataType, ...]: ...

    @property
    def result(self) -> DataType: ...


Rule = Callable[["Context", exp.Expr], DataType]
Udfs = Callable[[str], Signature | None]


@dataclass
class Context:
    """One walk over one expression."""

    schema: Schema
    text: str = ""
    udfs: Udfs | None = None
    variables: dict[str, DataType] = field(default_factory=dict)

    def visit(self, node: exp.Expr) -> DataType:
        """Type a node and everything below it."""
        from belvedere.algebra.typing.rules import rule_for

        t = rule_for(self, node)(self, node)
        node.meta["t"] = t
        return t

    def arg(self, node: exp.Expr, key: str = "this") -> DataType:
        """The type of one part of a node, just visited."""
        return self.visit(self.part(node, key))

    def part(self, node: exp.Expr, key: str) -> exp.Expr:
        child = node.args.get(key)
        if not isinstance(child, exp.Expr):
            raise self.error(TypeMismatch, f"{name_of(node)} needs more arguments", node)
        return child

    def cast(self, node: exp.Expr, t: DataType) -> DataType:
        """Put an explicit cast around a node that has been visited, where its type is another one."""
        if node.meta.get("t") == t:
            return t
        wrapper = exp.Cast(to=sql_type(t))
        wrapper.meta["t"] = t
        node.replace(wrapper)
        wrapper.set("this", node)
        return t

    def error(self, kind: type[ParseError], message: str, node: exp.Expr) -> ParseError:
        return located(kind, message, self.text, node)

    def mismatch(self, node: exp.Expr, wanted: str, got: DataType, where: str) -> ParseError:
        return self.error(TypeMismatch, f"{where} takes {wanted}, and this is of type {got}; cast it", node)

    @contextmanager
    def bound(self, variables: Mapping[str, DataType]) -> Iterator[None]:
        """Within a lambda's body."""
        before = self.variables
        self.variables = {**before, **variables}
        try:
            yield
        finally:
            self.variables = before

    def column(self, node: exp.Column) -> DataType:
        if node.args.get("table") is not None:
            near = suggest(node.name, list(self.schema.names))
            raise self.error(UnknownName, f"unknown column {node.sql('spark')}{near}", node)
        if node.name in self.schema:
            return self.schema[node.name].type
        loose = [c for c in self.schema if c.name.lower() == node.name.lower()]
        if len(loose) == 1:
            node.set("this", exp.to_identifier(loose[0].name, quoted=True))
            return loose[0].type
        raise self.error(UnknownName, f"unknown column '{node.name}'{suggest(node.name, list(self.schema.names))}", node)

    def unsupported(self, node: exp.Expr, reason: str) -> ParseError:
        return self.error(Unsupported, reason, node)


def sql_type(t: DataType) -> exp.DataType:
    """A type as a node of the parsed tree."""
    return exp.DataType.build(str(t), dialect="spark")


def name_of(node: exp.Expr) -> str:
    """A call's name as the user wrote it, else sqlglot's."""
    if NAME in node.meta:
        return str(node.meta[NAME]).lower()
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    if isinstance(node, exp.Func):
        return node.sql_name().lower()
    return node.key
