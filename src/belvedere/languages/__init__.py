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
    raise Unsupported(f"the language {language!r} is not known; this version reads sql")


__all__ = ["Bound", "Parameter", "bind"]
