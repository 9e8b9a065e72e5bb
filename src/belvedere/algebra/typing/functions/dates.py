"""Functions of dates and timestamps. Sessions run in UTC."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import BigInt, DataType, Date, Decimal, Double, Int, String, Timestamp, TimestampNtz
from belvedere.algebra.typing.context import Context, Rule
from belvedere.algebra.typing.expect import BIGINT, DATE, DAYS, INT, NUMBER, STRING, TIMESTAMP, call, named, take
from belvedere.errors import TypeMismatch

I32, I64, DAY, TS, STR = Int(), BigInt(), Date(), Timestamp(), String()


def instant(ctx: Context, node: exp.Expr, key: str) -> DataType:
    """A timestamp of either kind, or what can become one."""
    t = ctx.arg(node, key)
    if isinstance(t, (Timestamp, TimestampNtz)):
        return t
    target = TIMESTAMP.accept(t)
    if target is None:
        raise ctx.mismatch(ctx.part(node, key), "a timestamp", t, node.key)
    return ctx.cast(ctx.part(node, key), target)


def time_part(ctx: Context, node: exp.Expr) -> DataType:
    instant(ctx, node, "this")
    return I32


def extract(ctx: Context, node: exp.Expr) -> DataType:
    """extract(field from x): an int, but the second is a decimal with its fraction."""
    field = node.args["this"].name.upper() if node.args["this"] is not None else ""
    source = node.args["expression"]
    t = ctx.visit(source)
    if field in _CLOCK:
        if not isinstance(t, (Timestamp, TimestampNtz)):
            take(ctx, node, source, TIMESTAMP)
        return Decimal(8, 6) if field in ("SECOND", "SECONDS", "S", "SEC", "SECS") else I32
    if field not in _CALENDAR:
        raise ctx.error(TypeMismatch, f"{field.lower()} is not a field of a date or timestamp", node)
    take(ctx, node, source, DATE)
    return I32


_CLOCK = {"HOUR", "HOURS", "H", "HR", "HRS", "MINUTE", "MINUTES", "M", "MIN", "MINS", "SECOND", "SECONDS", "S", "SEC", "SECS"}
_CALENDAR = {
    "YEAR", "YEARS", "Y", "YR", "YRS", "YEAROFWEEK", "QUARTER", "QTR", "MONTH", "MONTHS", "MON", "MONS", "WEEK", "WEEKS", "W",
    "DAY", "DAYS", "D", "DAYOFWEEK", "DOW", "DAYOFWEEK_ISO", "DOW_ISO", "DOY",
}  # fmt: skip


def truncated(ctx: Context, node: exp.Expr) -> DataType:
    """date_trunc(unit, x)."""
    return take(ctx, node, node.args["this"], TIMESTAMP)


def date_or_null(ctx: Context, node: exp.Expr) -> DataType:
    """to_date(x [, format]), and the conversion that sqlglot writes around the argument of year() and its kind."""
    t = ctx.arg(node)
    if DATE.accept(t) is None:
        raise ctx.mismatch(ctx.part(node, "this"), "a date, a timestamp or a string", t, "to_date")
    return DAY


def moved(ctx: Context, node: exp.Expr) -> DataType:
    """date_add(d, n): whole days."""
    take(ctx, node, node.args["this"], DATE)
    take(ctx, node, node.args["expression"], DAYS)
    return DAY


def moved_by_unit(ctx: Context, node: exp.Expr) -> DataType:
    """timestampadd(unit, n, x) and dateadd with a unit: a timestamp."""
    t = instant(ctx, node, "this")
    take(ctx, node, node.args["expression"], BIGINT)
    return t


def between_units(ctx: Context, node: exp.Expr) -> DataType:
    instant(ctx, node, "this")
    instant(ctx, node, "expression")
    return I64


def date_diff(ctx: Context, node: exp.Expr) -> DataType:
    """datediff(end, start) counts days as an int; with a unit it is timestampdiff, a bigint."""
    ctx.arg(node)
    ctx.arg(node, "expression")
    unit = node.args.get("unit")
    if unit is not None:
        raise ctx.unsupported(node, "datediff with a unit; use timestampdiff(unit, start, end)")
    return I32


def formatted(ctx: Context, node: exp.Expr) -> DataType:
    """date_format(x, pattern)."""
    inner = node.args["this"]
    if isinstance(inner, exp.TimeStrToTime):
        t = ctx.visit(inner.this)
        if not isinstance(t, (Timestamp, TimestampNtz)):
            take(ctx, node, inner.this, TIMESTAMP)
        inner.meta["t"] = inner.this.meta["t"]
    else:
        instant(ctx, node, "this")
    return STR


def parsed(ctx: Context, node: exp.Expr) -> DataType:
    """to_timestamp(x, pattern)."""
    take(ctx, node, node.args["this"], STRING)
    return TS


RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.Year, exp.Month, exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfYear, exp.WeekOfYear, exp.Quarter),
                    call(I32, this=DATE)),
    **dict.fromkeys((exp.Hour, exp.Minute, exp.Second), time_part),
    exp.TsOrDsToDate: date_or_null, exp.TsOrDsAdd: moved, exp.DateDiff: date_diff,
    exp.TimestampAdd: moved_by_unit, exp.TimestampDiff: between_units,
    exp.AddMonths: call(DAY, this=DATE, expression=INT),
    exp.MonthsBetween: call(Double(), this=TIMESTAMP, expression=TIMESTAMP),
    exp.LastDay: call(DAY, this=DATE), exp.NextDay: call(DAY, this=DATE, expression=STRING),
    exp.DateTrunc: call(DAY, this=DATE), exp.TimestampTrunc: truncated, exp.Extract: extract,
    exp.TimeToStr: formatted, exp.StrToTime: parsed, exp.StrToUnix: call(I64, this=TIMESTAMP),
    exp.UnixToStr: call(STR, this=BIGINT),
    exp.UnixSeconds: call(I64, this=TIMESTAMP), exp.UnixMillis: call(I64, this=TIMESTAMP),
    exp.UnixMicros: call(I64, this=TIMESTAMP),
    exp.DateFromUnixDate: call(DAY, this=INT), exp.Dayname: call(STR, this=DATE), exp.Monthname: call(STR, this=DATE),
}  # fmt: skip

NAMED: dict[str, Rule] = {
    "unix_date": named(I32, DATE),
    "make_date": named(DAY, INT, INT, INT),
    "weekday": named(I32, DATE),
    "timestamp_seconds": named(TS, NUMBER),
    "timestamp_millis": named(TS, BIGINT),
    "timestamp_micros": named(TS, BIGINT),
    "to_timestamp_ntz": named(TimestampNtz(), STRING),
}
