"""Our types as DuckDB writes them."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import (
    Array,
    BigInt,
    Binary,
    Boolean,
    DataType,
    Date,
    Decimal,
    Double,
    Float,
    Int,
    Map,
    SmallInt,
    String,
    Struct,
    Timestamp,
    TimestampNtz,
    TinyInt,
    Variant,
    Void,
)
from belvedere.errors import Unsupported

_NAMES: dict[type[DataType], str] = {
    Boolean: "BOOLEAN", TinyInt: "TINYINT", SmallInt: "SMALLINT", Int: "INTEGER", BigInt: "BIGINT", Float: "REAL",
    Double: "DOUBLE", String: "VARCHAR", Binary: "BLOB", Date: "DATE", Timestamp: "TIMESTAMPTZ", TimestampNtz: "TIMESTAMP",
    Variant: "VARCHAR", Void: "INTEGER",
}  # fmt: skip


def type_text(t: DataType) -> str:
    """
    >>> from belvedere.algebra.types import parse_type
    >>> type_text(parse_type("map<string,array<struct<`a b`:timestamp>>>"))
    'MAP(VARCHAR, STRUCT("a b" TIMESTAMPTZ)[])'
    """
    match t:
        case Decimal(precision=p, scale=s):
            return f"DECIMAL({p}, {s})"
        case Array(element=e):
            return f"{type_text(e)}[]"
        case Map(key=k, value=v):
            return f"MAP({type_text(k)}, {type_text(v)})"
        case Struct(fields=fs):
            if len({n.lower() for n, _ in fs}) < len(fs):
                raise Unsupported(f"{t}: fields whose names differ by case only run on Spark only")
            inner = ", ".join('"' + n.replace('"', '""') + '" ' + type_text(ft) for n, ft in fs)
            return f"STRUCT({inner})"
        case _:
            return _NAMES[type(t)]


def type_node(t: DataType) -> exp.DataType:
    return exp.DataType(this=exp.DType.USERDEFINED, kind=type_text(t))


def cast_node(node: exp.Expr, t: DataType, *, safe: bool = False) -> exp.Expr:
    """A cast in DuckDB's own meaning."""
    to = type_node(t)
    if isinstance(node, exp.Cast) and node.args["to"] == to and not safe:
        return node
    return (exp.TryCast if safe else exp.Cast)(this=node, to=to)
