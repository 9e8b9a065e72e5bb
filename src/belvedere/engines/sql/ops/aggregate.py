"""Aggregate → GROUP BY. Groups whose rows all cancel are absent; without keys there is always one row.

Linear functions work on weighted rows as they come. The others get rows that are put together first: one for each distinct
combination of keys and arguments, with a positive weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from belvedere.algebra.ops import Agg, Aggregate
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Column, DataType
from belvedere.engines.sql import build
from belvedere.engines.sql.aggregates.call import Call
from belvedere.engines.sql.aggregates.table import find
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering
from belvedere.engines.sql.staging import Items, Staged


def lower(node: Aggregate, to: Lowering) -> Block:
    block, keys, arguments = prepare(node, to)
    staged = Staged(to)
    values: Items = []
    for (name, agg), args in zip(node.aggs, arguments, strict=True):
        call = make_call(agg, [block.value(a) if isinstance(a, str) else a.copy() for a in args], block, to, staged)
        values.append((Column(name, agg.type), find(agg)[0](call)))
    having = None
    if keys and not block.positive:
        having = exp.GT(this=exp.Sum(this=block.weight_or_one()), expression=build.number(0))
    if not staged.first:
        result = to.grouped(block, keys, values, "grouped", having=having)
    else:
        result = finish(block, keys, staged, values, having, to)
    return result


@dataclass(frozen=True)
class _Item:
    """A key or argument of the aggregate, as a column of the rows it works on."""

    name: str
    type: DataType
    value: exp.Expr


def prepare(node: Aggregate, to: Lowering) -> tuple[Block, list[str], list[list[str | exp.Expr]]]:
    """(rows, names of the keys, arguments of each function): names of bare columns of the rows, or constants."""
    block = to.careful(to.block(node.input), (s for _, s in (*node.keys, *((n, x) for n, a in node.aggs for x in a.args))))
    used = {c for _, s in node.keys for c in s.columns} | {c for _, a in node.aggs for c in a.columns}
    block = to.plain(block, "computed", used)
    items: dict[str, _Item] = {}
    for name, key in node.keys:
        items[name] = _Item(name, key.type, to.scalar(key, block))
    keys = list(node.key_names)
    arguments = [[_argument(items, s, to.scalar(s, block), n) for n, s in enumerate(a.args)] for _, a in node.aggs]
    needs = {find(a)[1] for _, a in node.aggs}
    whole = to.project(block, [(Column(i.name, i.type), i.value) for i in items.values()])
    if "bag" in needs or ("set" in needs and not block.positive):
        return to.ready(to.consolidated(whole, "net"), "net"), keys, arguments
    grouped = {k: to.dialect.groupable(whole.value(k), items[k].type, to.names) for k in keys}
    whole = to.ready(replace(whole, columns={**whole.columns, **grouped}), "rows")
    if any(to.dialect.needs_units(a.args[0].type) for _, a in node.aggs if a.fn in ("sum", "sum0", "avg")):
        whole = to.ready(to.units(whole, "units", signed=True), "units")
    return whole, keys, arguments


def _argument(items: dict[str, _Item], scalar: Scalar, value: exp.Expr, place: int) -> str | exp.Expr:
    """The column of the rows for an argument: the input's own where the name is free, or taken by the same value. A constant
    behind the first argument (a separator, a share) stays one."""
    if place and not scalar.columns:
        return value
    name = scalar.column
    if name is None or (name in items and items[name].value != value):
        name = f"arg\0{len(items)}"
    items[name] = _Item(name, scalar.type, value)
    return name


def make_call(agg: Agg, args: list[exp.Expr], block: Block, to: Lowering, staged: Staged) -> Call:
    """The call over the rows of a block. What it stages goes into the first SELECT, the rest into a later one."""
    types = tuple(a.type for a in agg.args)
    return Call(
        agg.fn, tuple(args), types, agg.distinct, agg.type, block.weight, block.positive, to.dialect, to.names, lambda e: e,
        staged.stage, staged.derive,
    )  # fmt: skip


def finish(block: Block, keys: list[str], staged: Staged, values: Items, having: exp.Expr | None, to: Lowering) -> Block:
    """The aggregates first; then what is derived from them; then the values."""
    later = [(column, staged.hoist(value)) for column, value in values]
    inner = to.grouped(block, keys, staged.first, "gathered", having=having)
    return staged.finish(inner, [inner.schema[k] for k in keys], later)
