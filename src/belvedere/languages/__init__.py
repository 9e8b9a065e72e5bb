"""The view languages. `bind` takes a text in any of them to the algebra."""

from __future__ import annotations

from collections.abc import Mapping

from belvedere.errors import Unsupported
from belvedere.languages import sql
from belvedere.languages.sql import Bound
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.parameters import Parameter


def bind(
    text: str, names: Names, language: str = "sql", *, parameters: Mapping[str, Parameter] | None = None
) -> Bound:
    """The algebra of a query; errors carry line, column and a caret."""
    if language == "sql":
        return sql.bind(text, names, parameters=parameters)
    if language == "oql":
        from belvedere.languages import oql  # its parser is made when it is first needed

        return oql.bind(text, names, names.objects(), parameters=parameters)
    raise Unsupported(f"the language {language!r} is not known; this version reads sql and oql")


__all__ = ["Bound", "Parameter", "bind"]
