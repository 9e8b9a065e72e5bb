"""JSON text by path: objects' members and arrays' elements, no wildcards. Text that is no JSON gives NULL, as in Spark."""

from __future__ import annotations

from sqlglot import exp

from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused
from belvedere.engines.sql import build


def extract(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = go.arg(node)
    path = build.text(path_of(node.args["expression"], node))
    return build.case(build.call("json_valid", value), build.call("json_extract_string", value.copy(), path))


def path_of(path: exp.Expr, node: exp.Expr) -> str:
    """The path as DuckDB writes it, keys quoted."""
    if not isinstance(path, exp.JSONPath):
        raise refused(node)
    out = "$"
    for part in path.expressions:
        if isinstance(part, exp.JSONPathRoot):
            continue
        if isinstance(part, exp.JSONPathKey) and isinstance(part.this, str) and '"' not in part.this:
            out += f'."{part.this}"'
        elif isinstance(part, exp.JSONPathSubscript) and isinstance(part.this, int) and part.this >= 0:
            out += f"[{part.this}]"
        else:
            raise refused(node)
    return out


RULES: dict[type[exp.Expr], Rule] = {exp.JSONExtract: extract, exp.JSONExtractScalar: extract}
NAMED: dict[str, Rule] = {}
