"""CAST with Spark's ANSI meaning: what does not fit raises, fractions are cut off and not rounded, text must look right."""

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
    Fractional,
    Integral,
    Map,
    String,
    Struct,
    Timestamp,
    TimestampNtz,
    Variant,
    Void,
    from_sqlglot,
)
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, type_of
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build
from belvedere.errors import Unsupported

_SPACE = r"[ \t\n\r]*"
_INTEGER = _SPACE + r"[+-]?[0-9]+" + _SPACE
_NUMBER = _SPACE + r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?" + _SPACE
_FLOAT = r"(?i)" + _NUMBER + "|" + _SPACE + r"([+-]?(inf|infinity)|nan)" + _SPACE
_DATE = _SPACE + r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}" + _SPACE
_CLOCK = r"[ T][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]{1,6})?"
_TIMESTAMP = _SPACE + rf"[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}({_CLOCK}(Z|[+-][0-9]{{2}}:[0-9]{{2}})?)?" + _SPACE
_WALL_CLOCK = _SPACE + rf"[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}({_CLOCK})?" + _SPACE


def cast(go: Rewriter, node: exp.Expr) -> exp.Expr:
    inner, to = node.args["this"], from_sqlglot(node.args["to"])
    safe = isinstance(node, exp.TryCast) and bool(node.args.get("safe"))
    return convert(go(inner), type_of(inner), to, safe=safe)


def cast_by_name(go: Rewriter, node: exp.Expr) -> exp.Expr:
    inner = node.expressions[0]
    return convert(go(inner), type_of(inner), type_of(node))


def convert(value: exp.Expr, source: DataType, to: DataType, *, safe: bool = False) -> exp.Expr:
    """The value in another type. `safe` gives NULL instead of an error."""
    if source == to:
        return value
    if isinstance(source, Void):
        return cast_node(value, to)
    if safe:
        return _attempt(value, source, to)
    match source, to:
        case String() | Variant(), _:
            return _from_text(value, to)
        case _, String() | Variant():
            return _to_text(value, source)
        case _, Boolean():
            return exp.NEQ(this=build.paren(value), expression=build.number(0)) if source.is_numeric else cast_node(value, to)
        case ((Fractional() | Decimal()), Integral()):
            return cast_node(build.call("trunc", value), to)
        case Fractional(), Decimal():
            return cast_node(cast_node(value, String()), to)
        case Decimal(precision=p), Fractional() if p > 15:
            return cast_node(cast_node(value, String()), to)
        case ((Integral() | Fractional() | Decimal() | Boolean()), (Integral() | Fractional() | Decimal())):
            return cast_node(value, to)
        case ((Date() | Timestamp() | TimestampNtz()), (Date() | Timestamp() | TimestampNtz())):
            return cast_node(value, to)
        case Timestamp(), BigInt():
            micros = build.call("epoch_us", value)
            return cast_node(
                build.call("floor", exp.Div(this=micros, expression=build.number(1000000), typed=False, safe=False)), to
            )
        case Integral(), Timestamp():
            return build.call(
                "make_timestamptz", exp.Mul(this=build.paren(cast_node(value, BigInt())), expression=build.number(1000000))
            )
        case _:
            if _widens(source, to):
                return cast_node(value, to)
    raise Unsupported(f"a cast from {source} to {to} runs on Spark only")


def _from_text(value: exp.Expr, to: DataType) -> exp.Expr:
    if isinstance(to, Boolean):
        return build.call("bv_boolean", value)
    if isinstance(to, (String, Variant)):
        return value
    if isinstance(to, Binary):
        return build.call("encode", value)
    pattern = pattern_of(to)
    return cast_node(build.call("bv_checked", value, build.text(pattern), build.text(str(to))), to)


def pattern_of(to: DataType) -> str:
    """What text must look like to be cast to a type."""
    match to:
        case Integral():
            return _INTEGER
        case Fractional():
            return _FLOAT
        case Decimal():
            return _NUMBER
        case Date():
            return _DATE
        case Timestamp():
            return _TIMESTAMP
        case TimestampNtz():
            return _WALL_CLOCK
    raise Unsupported(f"a cast from string to {to} runs on Spark only")


def _to_text(value: exp.Expr, source: DataType) -> exp.Expr:
    match source:
        case Integral() | Boolean() | Date() | Decimal() | TimestampNtz():
            return cast_node(value, String())
        case Timestamp():
            return cast_node(build.call("timezone", build.text("UTC"), value), String())
        case Binary():
            return build.call("decode", value)
    raise Unsupported(f"a cast from {source} to string runs on Spark only: the engines write such values differently")


def _attempt(value: exp.Expr, source: DataType, to: DataType) -> exp.Expr:
    """try_cast, where DuckDB's own is Spark's once the text looks right."""
    if isinstance(source, String) and not isinstance(to, (Boolean, Binary, String)):
        looks = build.call("regexp_full_match", value, build.text(pattern_of(to)))
        return build.case(looks, cast_node(build.call("trim", value.copy()), to, safe=True))
    if isinstance(source, Integral) and isinstance(to, (Integral, Fractional, Decimal)):
        return cast_node(value, to, safe=True)
    if isinstance(source, (Fractional, Decimal)) and isinstance(to, Integral):
        return cast_node(build.call("trunc", value), to, safe=True)
    raise Unsupported(f"try_cast from {source} to {to} runs on Spark only")


def _widens(a: DataType, b: DataType) -> bool:
    """Whether DuckDB's element-wise cast of nested values is the same as Spark's: nothing can be lost on the way."""
    if a == b or isinstance(a, Void):
        return True
    match a, b:
        case Array(element=x), Array(element=y):
            return _widens(x, y)
        case Map(key=k, value=v), Map(key=k2, value=v2):
            return _widens(k, k2) and _widens(v, v2)
        case Struct(fields=f), Struct(fields=g):
            names = [n.lower() for n, _ in f] == [n.lower() for n, _ in g]
            return names and all(_widens(x, y) for (_, x), (_, y) in zip(f, g, strict=True))
        case Integral(), (Integral() | Double() | Decimal()):
            return True
        case Decimal(precision=p, scale=s), Decimal(precision=p2, scale=s2):
            return s2 >= s and p2 - s2 >= p - s
        case _:
            return False


RULES: dict[type[exp.Expr], Rule] = {exp.Cast: cast, exp.TryCast: cast}
NAMED: dict[str, Rule] = dict.fromkeys(
    ("bigint", "smallint", "tinyint", "int", "binary", "decimal", "double", "float", "date", "timestamp", "string", "boolean"),
    cast_by_name,
)
