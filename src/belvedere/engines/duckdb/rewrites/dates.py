"""Dates and timestamps. Sessions run in UTC, so an instant and its wall clock have the same fields."""

from __future__ import annotations

import re

from sqlglot import exp

from belvedere.algebra.types import BigInt, Date, Decimal, Int, Timestamp, TimestampNtz
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused, type_of
from belvedere.engines.duckdb.rewrites.casts import convert
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build

_UNITS = ("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")


def moved(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """date ± days, and date or timestamp ± interval."""
    left, right = node.args["this"], node.args["expression"]
    t = type_of(node)
    if not is_interval(left) and not is_interval(right):
        made = type(node)(this=build.paren(go(left)), expression=build.paren(go(right)))
        return cast_node(made, t)
    base, interval = (left, right) if is_interval(right) else (right, left)
    sign = -1 if isinstance(node, exp.Sub) else 1
    value = go(base)
    for part_sign, part in _parts(interval, sign):
        value = exp.Add(this=build.paren(value), expression=_interval(part, part_sign))
    return cast_node(value, t)


def is_interval(node: exp.Expr) -> bool:
    inner = node.unnest()
    if isinstance(inner, exp.Neg):
        return is_interval(inner.this)
    if isinstance(inner, (exp.Add, exp.Sub)):
        return is_interval(inner.args["this"])
    return isinstance(inner, exp.Interval)


def _parts(node: exp.Expr, sign: int) -> list[tuple[int, exp.Interval]]:
    inner = node.unnest()
    if isinstance(inner, exp.Neg):
        return _parts(inner.this, -sign)
    if isinstance(inner, (exp.Add, exp.Sub)):
        second = -sign if isinstance(inner, exp.Sub) else sign
        return [*_parts(inner.args["this"], sign), *_parts(inner.args["expression"], second)]
    if not isinstance(inner, exp.Interval):
        raise refused(node)
    return [(sign, inner)]


def _interval(node: exp.Interval, sign: int) -> exp.Expr:
    amount, unit = node.this, node.args.get("unit")
    if not isinstance(unit, exp.Var):
        raise refused(node)
    if isinstance(amount, exp.Neg):
        amount, sign = amount.this, -sign
    text = amount.name.strip()
    if text[:1] in "+-":
        sign, text = (-sign, text[1:]) if text[:1] == "-" else (sign, text[1:])
    name = unit.name.upper().removesuffix("S")
    if not text.isdigit() or name not in _UNITS:
        raise refused(node)
    return unit_interval(build.number(sign * int(text)), name)


def unit_interval(count: exp.Expr, unit: str) -> exp.Expr:
    """count units, as DuckDB's to_days and its like make them."""
    return build.call(f"to_{unit.lower()}s", count)


def whole_days(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """date_add and date_sub."""
    unit = node.args.get("unit")
    if isinstance(unit, exp.Var) and unit.name.upper() != "DAY":
        raise refused(node)
    return cast_node(exp.Add(this=go.tight(node), expression=go.tight(node, "expression")), Date())


def to_date(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """to_date(x) without a pattern: a cast."""
    if node.args.get("format") is not None:
        raise refused(node)
    return convert(go.arg(node), type_of(node.this), Date())


def part(name: str) -> Rule:
    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        return cast_node(build.call(name, go.arg(node)), Int())

    return rule


def day_of_week(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """1 is Sunday."""
    return cast_node(exp.Add(this=build.call("dayofweek", go.arg(node)), expression=build.number(1)), Int())


def weekday(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """0 is Monday."""
    return cast_node(exp.Sub(this=build.call("isodow", go(node.expressions[0])), expression=build.number(1)), Int())


def difference(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """datediff(end, start), in days."""
    end, start = (convert(go(node.args[k]), type_of(node.args[k]), Date()) for k in ("this", "expression"))
    return cast_node(build.call("date_diff", build.text("day"), start, end), Int())


_TRUNCATE = {
    "YEAR": "year", "YYYY": "year", "YY": "year", "QUARTER": "quarter", "MONTH": "month", "MM": "month", "MON": "month",
    "WEEK": "week", "DAY": "day", "DD": "day", "HOUR": "hour", "MINUTE": "minute", "SECOND": "second",
    "MILLISECOND": "milliseconds", "MICROSECOND": "microseconds",
}  # fmt: skip


def truncated(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """date_trunc(unit, timestamp) and trunc(date, unit)."""
    unit = node.args["unit"]
    name = _TRUNCATE.get(unit.name.upper())
    if name is None or (isinstance(node, exp.DateTrunc) and name not in ("year", "quarter", "month", "week")):
        raise refused(node)
    value = go.arg(node)
    if isinstance(type_of(node), Timestamp):
        wall = build.call("timezone", build.text("UTC"), value)
        return build.call("timezone", build.text("UTC"), build.call("date_trunc", build.text(name), wall))
    return cast_node(build.call("date_trunc", build.text(name), value), type_of(node))


def add_months(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """The last day is cut to the month's length, by both."""
    return cast_node(exp.Add(this=go.tight(node), expression=unit_interval(go.arg(node, "expression"), "MONTH")), Date())


_FIELDS = {
    "YEAR": "year", "QUARTER": "quarter", "MONTH": "month", "DAY": "day", "WEEK": "week", "DOY": "dayofyear", "HOUR": "hour",
    "MINUTE": "minute", "YEAROFWEEK": "isoyear", "DOW_ISO": "isodow", "DAYOFWEEK_ISO": "isodow",
}  # fmt: skip


def extract(go: Rewriter, node: exp.Expr) -> exp.Expr:
    field, source = node.this.name.upper(), go.arg(node, "expression")
    if field in ("DOW", "DAYOFWEEK"):
        return cast_node(exp.Add(this=build.call("dayofweek", source), expression=build.number(1)), Int())
    if field == "SECOND":
        micros = cast_node(build.call("microsecond", source), Decimal(18, 0))
        return cast_node(exp.Mul(this=micros, expression=cast_node(build.text("0.000001"), Decimal(6, 6))), Decimal(8, 6))
    if field not in _FIELDS:
        raise refused(node)
    return cast_node(build.call(_FIELDS[field], source), Int())


def shifted(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """timestampadd(unit, n, x)."""
    unit = node.args["unit"].name.upper()
    if unit not in _UNITS:
        raise refused(node)
    value = exp.Add(this=go.tight(node), expression=unit_interval(cast_node(go.arg(node, "expression"), BigInt()), unit))
    return cast_node(value, type_of(node))


def last_day(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return cast_node(build.call("last_day", go.arg(node)), Date())


def make_date(go: Rewriter, node: exp.Expr) -> exp.Expr:
    return cast_node(build.call("make_date", *(cast_node(go(e), BigInt()) for e in node.expressions)), Date())


def formatted(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """date_format with a pattern of years, months, days, hours, minutes and seconds only."""
    pattern = node.args["format"].name.replace("strict", "")
    inner = node.this.this if isinstance(node.this, exp.TimeStrToTime) else node.this
    if not re.fullmatch(r"(%[YmdHMS]|[-/: .])*", pattern) or not isinstance(type_of(inner), (Timestamp, TimestampNtz)):
        raise refused(node)
    return build.call("strftime", go(inner), build.text(pattern))


def epoch(divisor: int) -> Rule:
    """Whole units since 1970, rounded down."""

    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        value = node.this
        if not isinstance(type_of(value), Timestamp):
            raise refused(node)
        micros = build.call("epoch_us", go(value))
        if divisor == 1:
            return micros
        floor = exp.Sub(this=micros, expression=exp.Paren(this=_modulus(micros.copy(), divisor)))
        return cast_node(exp.IntDiv(this=exp.Paren(this=floor), expression=build.number(divisor)), BigInt())

    return rule


def whole_seconds(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """unix_timestamp cuts the fraction off, towards zero."""
    if not isinstance(type_of(node.this), Timestamp):
        raise refused(node)
    return cast_node(exp.IntDiv(this=build.call("epoch_us", go.arg(node)), expression=build.number(1_000_000)), BigInt())


def _modulus(value: exp.Expr, divisor: int) -> exp.Expr:
    """The remainder that is not negative."""
    d = build.number(divisor)
    return exp.Mod(this=exp.Paren(this=exp.Add(this=exp.Mod(this=value, expression=d), expression=d.copy())), expression=d.copy())


def from_epoch(factor: int) -> Rule:
    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        value = cast_node(go(node.expressions[0]), BigInt())
        micros = value if factor == 1 else exp.Mul(this=value, expression=build.number(factor))
        return build.call("make_timestamptz", micros)

    return rule


def unix_date(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = go(node.expressions[0] if isinstance(node, exp.Anonymous) else node.this)
    return cast_node(build.call("date_diff", build.text("day"), cast_node(build.text("1970-01-01"), Date()), value), Int())


def date_from_days(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = go(node.expressions[0] if isinstance(node, exp.Anonymous) else node.this)
    return cast_node(exp.Add(this=cast_node(build.text("1970-01-01"), Date()), expression=build.paren(value)), Date())


RULES: dict[type[exp.Expr], Rule] = {
    exp.TsOrDsToDate: to_date, exp.TsOrDsAdd: whole_days, exp.DateDiff: difference, exp.DateTrunc: truncated,
    exp.TimestampTrunc: truncated, exp.AddMonths: add_months, exp.Extract: extract, exp.TimestampAdd: shifted,
    exp.LastDay: last_day, exp.Year: part("year"), exp.Month: part("month"), exp.Day: part("day"), exp.DayOfMonth: part("day"),
    exp.DayOfYear: part("dayofyear"), exp.WeekOfYear: part("week"), exp.Quarter: part("quarter"), exp.Hour: part("hour"),
    exp.Minute: part("minute"), exp.Second: part("second"), exp.DayOfWeek: day_of_week, exp.UnixSeconds: epoch(1_000_000),
    exp.UnixMillis: epoch(1000), exp.UnixMicros: epoch(1), exp.UnixDate: unix_date, exp.DateFromUnixDate: date_from_days,
    exp.StrToUnix: whole_seconds, exp.TimeToStr: formatted,
}  # fmt: skip
NAMED: dict[str, Rule] = {
    "make_date": make_date, "unix_date": unix_date, "weekday": weekday, "date_from_unix_date": date_from_days,
    "timestamp_millis": from_epoch(1000), "timestamp_micros": from_epoch(1),
}  # fmt: skip
