"""Users' functions on a DuckDB connection."""

from __future__ import annotations

import duckdb
from duckdb.func import FunctionNullHandling, PythonUDFType

from belvedere.engines.duckdb.types import type_text
from belvedere.engines.function import Function, vectorized


def create(con: duckdb.DuckDBPyConnection, function: Function, known: bool) -> None:
    """Make it callable in statements, in place of one of the same name if one is known. NULLs are the wrapper's affair."""
    if known:
        con.remove_function(function.identifier)
    con.create_function(
        function.identifier,
        vectorized(function),
        [type_text(t) for t in function.passed],
        type_text(function.result),
        type=PythonUDFType.ARROW,
        null_handling=FunctionNullHandling.SPECIAL,
        side_effects=not function.deterministic,
    )
