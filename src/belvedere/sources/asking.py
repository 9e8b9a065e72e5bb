"""A question for a source, checked and put into the source's own words.

Only what means the same there as here is let through: plain columns, comparisons of equal types, AND, OR, NOT, IS NULL, and
literals. A comparison that could find fewer rows at the source than ours finds (a collation, a date kept as text) is refused,
because what does not come back cannot be repaired.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from belvedere.algebra.types import DataType, Decimal, Integral, Schema, String
from belvedere.errors import Unsupported
from belvedere.sources.source import TableInfo

EQUALITIES = (exp.EQ, exp.NullSafeEQ)
COMPARISONS = (*EQUALITIES, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_ALLOWED = (
    *COMPARISONS, exp.Select, exp.From, exp.Join, exp.Where, exp.Table, exp.TableAlias, exp.Identifier, exp.Column, exp.Alias,
    exp.And, exp.Or, exp.Not, exp.Paren, exp.Is, exp.Null, exp.Literal, exp.Neg, exp.Boolean,
)  # fmt: skip

Give = Callable[[str], exp.Expr]
Shown = Callable[[int, exp.Expr], exp.Expr]


def translated(
    select: exp.Select,
    inputs: Mapping[str, Schema],
    tables: Mapping[str, TableInfo],
    give: Give,
    dialect: str,
    shown: Shown | None = None,
) -> str:
    """SQL in the source's dialect. `give` says what stands for an input in the from clause, `shown` how the column at a place of
    the answer is asked for."""
    tree = select.copy()
    for node in tree.walk():
        if not isinstance(node, _ALLOWED):
            raise Unsupported(f"{node.sql('spark')!r} cannot be asked of a source; it is evaluated in the warehouse instead")
        if isinstance(node, exp.Join) and (node.args.get("side") or node.args.get("using") or node.args.get("method")):
            raise Unsupported("only inner joins with conditions can be asked of a source")
    sources = _sources(tree, inputs, tables)
    for node in list(tree.find_all(*COMPARISONS)):
        _check(node, sources, inputs, tables)
    for literal in list(tree.find_all(exp.Literal)):
        if literal.is_string:
            literal.replace(_text(literal.this))
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("quoted", True)
    for table in list(tree.find_all(exp.Table)):
        if table.name in inputs:
            table.replace(exp.alias_(give(table.name), table.alias_or_name, quoted=True, table=True))
    if shown is not None:
        tree.set("expressions", [shown(i, item.unalias()) for i, item in enumerate(tree.expressions)])
    return tree.sql(dialect=dialect)


def _sources(tree: exp.Select, inputs: Mapping[str, Schema], tables: Mapping[str, TableInfo]) -> dict[str, str]:
    """Alias → input or table."""
    found: dict[str, str] = {}
    for table in tree.find_all(exp.Table):
        if table.name not in inputs and table.name not in tables:
            raise Unsupported(f"the question names {table.name!r}, which is neither given nor a table of the source's snapshot")
        if table.alias_or_name in found:
            raise Unsupported(f"the question uses the name {table.alias_or_name!r} twice")
        found[table.alias_or_name] = table.name
    return found


def _check(node: exp.Expr, sources: Mapping[str, str], inputs: Mapping[str, Schema], tables: Mapping[str, TableInfo]) -> None:
    types: list[DataType | None] = []
    for side in (node.this, node.expression):
        side = side.unnest()
        if isinstance(side, exp.Column):
            types.append(_column(node, side, sources, inputs, tables))
        elif isinstance(side, exp.Literal | exp.Neg):
            types.append(None)
        else:
            raise Unsupported(f"{node.sql('spark')!r} compares something other than columns and literals")
    _check_types(node, types)


def _column(
    node: exp.Expr, column: exp.Column, sources: Mapping[str, str], inputs: Mapping[str, Schema], tables: Mapping[str, TableInfo]
) -> DataType:
    source = sources.get(column.table) if column.table else next(iter(sources.values())) if len(sources) == 1 else None
    if source is None:
        raise Unsupported(f"the question does not say which relation {column.sql('spark')} is of")
    if source in inputs:
        return inputs[source][column.name].type
    info = tables[source]
    good = info.equal if isinstance(node, EQUALITIES) else info.ordered
    if column.name not in good:
        raise Unsupported(
            f"{node.sql('spark')!r}: comparing {info.name}.{column.name} at the source can mean something else than it means here"
        )
    return info.schema[column.name].type


def _check_types(node: exp.Expr, types: list[DataType | None]) -> None:
    known = [t for t in types if t is not None]
    literals = [s for s in (node.this.unnest(), node.expression.unnest()) if isinstance(s, exp.Literal | exp.Neg)]
    same = len(known) < 2 or known[0] == known[1] or all(isinstance(t, (Integral, Decimal)) for t in known)
    for literal in literals:
        text = isinstance(literal, exp.Literal) and literal.is_string
        same = same and all(isinstance(t, String) if text else isinstance(t, (Integral, Decimal)) for t in known)
    if not same:
        raise Unsupported(f"{node.sql('spark')!r} compares values of different types")


def _text(value: str) -> exp.Expr:
    """A literal that every system reads alike, once backslashes are told to be nothing special."""
    if "\x00" in value:
        raise Unsupported("a text with a NUL in it cannot be asked of a source")
    return exp.Var(this="'" + value.replace("'", "''") + "'")
