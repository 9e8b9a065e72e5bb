"""Relevance: can a delta matter to a view at all? Answered from the definition and from facts kept with each run, without a
query. "Yes" may be wrong and costs time; "no" must be right."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Get
from belvedere.algebra.scalar import comparison
from belvedere.algebra.types import DataType, Date, Decimal, Integral, String


@dataclass(frozen=True)
class Test:
    """A row can matter only if `column op value` holds for it."""

    column: str
    op: str
    value: Any


@dataclass(frozen=True)
class Interest:
    """One use of a collection by a view: the columns it reads and the tests a row must pass."""

    columns: frozenset[str]
    tests: tuple[Test, ...]


def interests(definitions: Iterable[Node]) -> dict[str, tuple[Interest, ...]]:
    """For each collection, how the definitions use it."""
    found: dict[str, list[Interest]] = {}

    def visit(node: Node, above: tuple[Filter, ...]) -> None:
        if isinstance(node, Get):
            tests = tuple(t for f in above for t in _tests(f, node))
            found.setdefault(node.name, []).append(Interest(frozenset(node.columns), tests))
            return
        for i in node.inputs:
            visit(i, (*above, node) if isinstance(node, Filter) else ())

    for d in definitions:
        visit(d, ())
    return {n: tuple(dict.fromkeys(i)) for n, i in found.items()}


def _tests(node: Filter, leaf: Get) -> Iterable[Test]:
    for part in node.condition.conjuncts():
        known = comparison(part)
        if known is None or known[0] not in leaf.schema:
            continue
        name, op, text, quoted = known
        value = _value(text, quoted, leaf.schema[name].type)
        if value is not None:
            yield Test(leaf.source(name), op, value)


def _value(text: str, quoted: bool, t: DataType) -> Any:
    """The literal as a value comparable with the column's, or None where the comparison is not that plain."""
    try:
        if isinstance(t, (Integral, Decimal)) and not quoted:
            return decimal.Decimal(text)
        if isinstance(t, String) and quoted:
            return text
        if isinstance(t, Date) and quoted:
            return dt.date.fromisoformat(text)
    except (ValueError, decimal.InvalidOperation):
        return None
    return None


def matters(interest: Interest, facts: Mapping[str, Any], changed: frozenset[str] | None) -> bool:
    """facts: column → {"min", "max", "nulls", "values"} of a run, decoded; changed: the columns in which updated rows
    differ, or None if rows came or went."""
    if changed is not None and not (changed & interest.columns):
        return False
    return all(_possible(t, facts.get(t.column)) for t in interest.tests)


def _possible(test: Test, fact: Mapping[str, Any] | None) -> bool:
    if fact is None:
        return True
    values = fact.get("values")
    if values is not None:
        return any(_holds(v, test) for v in values if v is not None)
    low, high = fact.get("min"), fact.get("max")
    if low is None or high is None:
        return True
    try:
        match test.op:
            case "=":
                return bool(low <= test.value <= high)
            case "<":
                return bool(low < test.value)
            case "<=":
                return bool(low <= test.value)
            case ">":
                return bool(high > test.value)
            case _:
                return bool(high >= test.value)
    except TypeError:
        return True


def _holds(value: Any, test: Test) -> bool:
    try:
        match test.op:
            case "=":
                return bool(value == test.value)
            case "<":
                return bool(value < test.value)
            case "<=":
                return bool(value <= test.value)
            case ">":
                return bool(value > test.value)
            case _:
                return bool(value >= test.value)
    except TypeError:
        return True


__all__ = ["Interest", "Test", "interests", "matters"]
