"""Names in an expression over one schema: which column is meant, and where a dotted name goes on into a struct."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, DataType, Schema, Struct
from belvedere.algebra.typing.context import Udfs, name_of
from belvedere.algebra.typing.dialect import NAME, located
from belvedere.errors import UnknownName, suggest


def quoted(name: str, position: exp.Expr | None = None) -> exp.Column:
    """A column of the algebra: a bare quoted identifier, which keeps the position of what it stands for."""
    node = exp.Column(this=exp.to_identifier(name, quoted=True))
    if position is not None:
        for key in ("line", "col", "start", "end"):
            if key in position.meta:
                node.this.meta[key] = position.meta[key]
    return node


def fields(base: exp.Expr, parts: list[exp.Identifier]) -> exp.Expr:
    """base.a.b as nested accesses."""
    for p in parts:
        base = exp.Dot(this=base, expression=p.copy())
    return base


def user_function(node: exp.Func, udfs: Udfs | None) -> exp.Expr | None:
    """A call of a user's function under a name for which the parser has a class that is no function of Spark's."""
    from belvedere.algebra.typing.rules import RULES

    if udfs is None or isinstance(node, (exp.Anonymous, exp.AggFunc)) or type(node) in RULES or NAME not in node.meta:
        return None
    name = name_of(node)
    if udfs(name) is None:
        return None
    args: list[exp.Expr] = []
    for key in node.arg_types:
        value = node.args.get(key)
        args += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, exp.Expr)]
    call = exp.Anonymous(this=name, expressions=args)
    for key in ("line", "col", "start", "end"):
        call.meta[key] = node.meta[key]
    return call


def resolve_over(expr: exp.Expr, schema: Schema, text: str, udfs: Udfs | None = None) -> exp.Expr:
    """The expression with every column resolved against the schema: `a.b` is a column's field unless a column `a.b` exists."""

    def swap(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Func) and (call := user_function(node, udfs)) is not None:
            return resolve_over(call, schema, text, udfs)
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            parts = [p for p in node.parts if isinstance(p, exp.Identifier)]
            found = match(parts[0].name, schema)
            if found is not None:
                return fields(quoted(found, parts[0]), parts[1:])
            if len(parts) == 1 and not parts[0].quoted and _is_bare_constant(parts[0].name):
                return node
            near = suggest(parts[0].name, list(schema.names))
            raise located(UnknownName, f"unknown column '{parts[0].name}'{near}", text, parts[0])
        return node

    return expr.transform(swap)


def _is_bare_constant(name: str) -> bool:
    from belvedere.algebra.typing.functions.refused import BARE

    return name.lower() in BARE


def match(name: str, schema: Schema) -> str | None:
    """The column of that name; exact case wins over any other."""
    if name in schema:
        return name
    loose = [c.name for c in schema if c.name.lower() == name.lower()]
    return loose[0] if loose else None


def has_field(t: DataType, name: str) -> bool:
    inner = t.element if isinstance(t, Array) else t
    return isinstance(inner, Struct) and inner.field(name) is not None
