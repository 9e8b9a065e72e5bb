"""The view languages. `bind` takes a text in any of them to the algebra."""

from __future__ import annotations

from collections.abc import Mapping

from belvedere.errors import Unsupported
from belvedere.languages import sql
from belvedere.languages.sql import Bound
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.parameters import Parameter
from belvedere.objects.result import ResultType


def bind(
    text: str, names: Names, language: str = "sql", *, parameters: Mapping[str, Parameter] | None = None, view: bool = False
) -> Bound:
    """The algebra of a query; errors carry line, column and a caret. `view`: it is to be a view, which in Lorel is a graph."""
    if language == "sql":
        return sql.bind(text, names, parameters=parameters)
    if language == "oql":
        from belvedere.languages import oql  # its parser is made when it is first needed

        return oql.bind(text, names, names.objects(), parameters=parameters)
    if language == "schemasql":
        from belvedere.languages import schemasql

        return schemasql.bind(text, names, parameters=parameters)
    if language == "lorel":
        from belvedere.languages import lorel

        return lorel.bind(text, names, view=view, parameters=parameters)
    raise Unsupported(f"the language {language!r} is not known; this version reads sql, oql, schemasql and lorel")


def result_type(bound: Bound, language: str) -> ResultType | None:
    """The type of an OQL query's result; None in languages whose results are tables."""
    if language != "oql":
        return None
    from belvedere.languages.oql import OqlBound

    assert isinstance(bound, OqlBound)
    return ResultType(bound.type, bound.members)


__all__ = ["Bound", "Parameter", "bind", "result_type"]
