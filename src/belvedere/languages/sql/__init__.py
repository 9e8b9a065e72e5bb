"""Spark SQL text → algebra, with errors that point into the text."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Boolean, Schema, Void
from belvedere.algebra.typing import Udfs, scalar
from belvedere.algebra.typing.dialect import parse_statements
from belvedere.errors import ParseError, TypeMismatch
from belvedere.languages.sql.bound import Bound
from belvedere.languages.sql.catalog import Names, Relation
from belvedere.languages.sql.parameters import Parameter, substituted
from belvedere.languages.sql.query import bind_query
from belvedere.languages.sql.state import Env, Session
from belvedere.languages.sql.statement_parser import parse_statement


def bind(text: str, names: Names, *, unique: bool = True, parameters: Mapping[str, Parameter] | None = None) -> Bound:
    """The algebra of a query, with values for the parameters in its text. With `unique`, two columns of the result may not
    have the same name, as in a view."""
    statements = parse_statements(text)
    if len(statements) == 1 and isinstance(statements[0], exp.Block):
        statements = list(statements[0].expressions)
    if len(statements) != 1:
        raise ParseError(f"one query is expected, and the text has {len(statements)} statements", text=text)
    query = statements[0]
    if not isinstance(query, (exp.Query, exp.Values)) or isinstance(query, exp.Table):
        raise ParseError("a query is expected: select …, with …, or values …", text=text, line=1, column=1)
    query = substituted(query, parameters or {}, text)
    session = Session(text, names)
    try:
        bound = bind_query(query, Env(session))
    except RecursionError:
        raise ParseError("the query is nested too deeply; break it into several views", text=text) from None
    if unique:
        _need_unique(bound.columns, query, session)
    return Bound(bound.node, bound.columns, tuple(session.relations), bound.order, session.star, text, bound.ordered)


def _need_unique(columns: tuple[str, ...], query: exp.Expr, session: Session) -> None:
    twice = next((c for c in columns if columns.count(c) > 1), None)
    if twice is None:
        return
    at = query.selects[-1] if isinstance(query, exp.Query) and query.selects else query
    found = [e for e in (query.selects if isinstance(query, exp.Query) else []) if e.alias_or_name == twice]
    message = f"two columns of the result are named '{twice}'; give one of them another name with `as`"
    second = found[-1] if found else at
    raise session.error(TypeMismatch, message, second.args["alias"] if isinstance(second, exp.Alias) else second)


def bind_scalar(text: str, schema: Schema, *, udfs: Udfs | None = None) -> Scalar:
    """An expression over the columns of one table."""
    return scalar(text, schema, udfs=udfs)


def bind_predicate(text: str, schema: Schema, *, udfs: Udfs | None = None) -> Scalar:
    """A condition over the columns of one table."""
    bound = scalar(text, schema, udfs=udfs)
    if isinstance(bound.type, Void):
        return scalar("cast(null as boolean)", schema)
    if not isinstance(bound.type, Boolean):
        raise TypeMismatch(f"a condition is expected, and this is of type {bound.type}", text=text, line=1, column=1)
    return bound


__all__ = ["Bound", "Names", "Parameter", "Relation", "bind", "bind_predicate", "bind_scalar", "parse_statement"]
