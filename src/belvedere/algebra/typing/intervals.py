"""Intervals. They are no values of their own here: they only move a date or a timestamp."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import DataType, Date, Timestamp, TimestampNtz
from belvedere.algebra.typing.context import Context, Rule
from belvedere.errors import TypeMismatch

_DAYS = {"YEAR", "YEARS", "MONTH", "MONTHS", "WEEK", "WEEKS", "DAY", "DAYS"}
_TIMES = {
    "HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS", "MILLISECOND", "MILLISECONDS", "MICROSECOND", "MICROSECONDS",
}  # fmt: skip


def is_interval(node: exp.Expr) -> bool:
    """An interval literal, or a sum of them (`interval 1 day 2 hours`)."""
    inner = node.unnest()
    if isinstance(inner, exp.Neg):
        return is_interval(inner.this)
    if isinstance(inner, (exp.Add, exp.Sub)):
        return is_interval(inner.args["this"]) and is_interval(inner.args["expression"])
    return isinstance(inner, exp.Interval)


def shifted(ctx: Context, node: exp.Expr, base: exp.Expr, interval: exp.Expr) -> DataType:
    """base ± interval: a date stays a date when it moves by whole days, months or years; else it becomes a timestamp."""
    t = ctx.visit(base)
    units = _units(ctx, interval)
    if isinstance(t, (Timestamp, TimestampNtz)):
        return t
    if isinstance(t, Date):
        return t if units <= _DAYS else ctx.cast(base, Timestamp())
    raise ctx.error(TypeMismatch, f"an interval moves a date or a timestamp, and this is of type {t}; cast it", node)


def _units(ctx: Context, interval: exp.Expr) -> set[str]:
    units: set[str] = set()
    for part in interval.find_all(exp.Interval):
        amount, unit = part.args.get("this"), part.args.get("unit")
        if isinstance(unit, exp.IntervalSpan):
            found = {unit.this.name.upper(), unit.expression.name.upper()}
        elif isinstance(unit, exp.Expr):
            found = {unit.name.upper()}
        else:
            raise ctx.error(TypeMismatch, "the interval has no unit; write interval 1 day", part)
        if not isinstance(amount, (exp.Literal, exp.Neg)):
            raise ctx.unsupported(part, "an interval of a computed length; use date_add, add_months or timestampadd")
        for unknown in found - _DAYS - _TIMES:
            raise ctx.error(TypeMismatch, f"{unknown.lower()} is not a unit of an interval", part)
        units |= found
    return units


def stray(ctx: Context, node: exp.Expr) -> DataType:
    """An interval anywhere else."""
    raise ctx.unsupported(node, "an interval is only supported in date or timestamp arithmetic, such as d + interval 1 day")


RULES: dict[type[exp.Expr], Rule] = {exp.Interval: stray}
