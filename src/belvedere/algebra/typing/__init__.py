"""Types of scalar expressions by Spark 4's rules with ANSI on.

`annotate` gives every node of an expression its type and writes Spark's implicit casts into it, so that another engine does
what Spark does. `scalar` reads text, resolves its columns over a schema and annotates it.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import DataType, Schema
from belvedere.algebra.typing.context import Context, Signature, Udfs
from belvedere.algebra.typing.dialect import AnsiSpark, parse_expression
from belvedere.algebra.typing.resolve import resolve_over
from belvedere.errors import ParseError


def annotate(expr: exp.Expr, schema: Schema, *, udfs: Udfs | None = None, text: str = "") -> DataType:
    """Set `meta["t"]` on every node of the tree, in place, and return the root's type.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("a + 1.5", dialect=AnsiSpark)
    >>> str(annotate(tree, Schema.of(a="int"))), tree.sql("spark")
    ('decimal(12,1)', 'CAST(a AS DECIMAL(10, 0)) + 1.5')
    """
    return Context(schema, text, udfs).visit(expr)


def scalar(expr_or_text: exp.Expr | str, schema: Schema, *, udfs: Udfs | None = None, text: str = "") -> Scalar:
    """A typed scalar over the columns of a schema. An expression that is given is copied, not changed.

    >>> s = scalar("Amount * 2", Schema.of(amount="decimal(12,2)"))
    >>> str(s), str(s.type)
    ('`amount` * CAST(2 AS DECIMAL(1, 0))', 'decimal(14,2)')
    """
    source = text or (expr_or_text if isinstance(expr_or_text, str) else "")
    tree = parse_expression(expr_or_text) if isinstance(expr_or_text, str) else expr_or_text.copy()
    try:
        resolved = resolve_over(tree, schema, source, udfs)
        t = annotate(resolved, schema, udfs=udfs, text=source)
    except RecursionError:
        raise ParseError("the expression is nested too deeply; break it up", text=source) from None
    assert isinstance(resolved, exp.Expression)
    return Scalar(resolved, t)


__all__ = ["AnsiSpark", "Signature", "Udfs", "annotate", "parse_expression", "scalar"]
