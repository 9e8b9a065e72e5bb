"""A Lorel tree as text; conditions below others stand in parentheses. And a graph as OEM text."""

from __future__ import annotations

import re
from datetime import date, datetime

from tests.lorel.oracle.graph import Graph, Value

from belvedere.languages.lorel.syntax import (
    Aggregate,
    And,
    AnyPath,
    Comparison,
    Condition,
    Exists,
    ForAll,
    Group,
    Label,
    Literal,
    Member,
    Not,
    Or,
    Path,
    PathStep,
    Query,
    Range,
    Step,
    View,
)


def view(v: View) -> str:
    head = f"define view {v.name} as {v.title} =\n  " if v.name else ""
    tail = f"\n  with {', '.join(ranged(r) for r in v.with_)}" if v.with_ else ""
    return head + query(v.query) + tail


def query(q: Query) -> str:
    items = ", ".join(operand(i.value) + (f" as {name(i.label)}" if i.label else "") for i in q.items)
    parts = [f"select {'distinct ' if q.distinct else ''}{items}"]
    if q.ranges:
        parts.append("from " + ", ".join(ranged(r) for r in q.ranges))
    if q.where is not None:
        parts.append("where " + condition(q.where))
    return " ".join(parts)


def ranged(r: Range) -> str:
    return f"{path(r.path)} {r.variable}" if r.variable else path(r.path)


def path(p: Path) -> str:
    return (p.start.text if p.start.oid else name(p.start.text)) + "".join(step(s) for s in p.steps)


def step(s: PathStep) -> str:
    variable = f"{{{s.variable}}}" if s.variable else ""
    match s:
        case Step():
            return f".{label(s.label)}{f'@{s.label_variable}' if s.label_variable else ''}{variable}"
        case AnyPath():
            return f".#{variable}"
        case Group():
            return f"({'|'.join(''.join(step(x) for x in a) for a in s.alternatives)}){s.repeat}{variable}"


def label(found: Label) -> str:
    return found.text if found.pattern else name(found.text)


def name(text: str) -> str:
    return text if re.fullmatch(r"[^\W\d]\w*", text) else f"`{text.replace('`', '``')}`"


def operand(e: Path | Literal | Aggregate | Query) -> str:
    match e:
        case Literal():
            return literal(e.constant.value)
        case Aggregate():
            return f"{e.function}({query(e.over) if isinstance(e.over, Query) else path(e.over)})"
        case Query():
            return f"({query(e)})"
        case Path():
            return path(e)


def literal(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return f"timestamp '{value.isoformat(sep=' ')}'"
        case date():
            return f"date '{value.isoformat()}'"
        case str():
            quote = "'" if '"' in value else '"'
            return quote + value.replace("\\", "\\\\").replace(quote, quote * 2) + quote
    return repr(value)


def condition(c: Condition) -> str:
    match c:
        case And():
            return " and ".join(inner(p) for p in c.parts)
        case Or():
            return " or ".join(inner(p) for p in c.parts)
        case Not():
            return f"not {inner(c.condition)}"
        case Comparison():
            return f"{operand(c.left)} {c.op} {operand(c.right)}"
        case Member():
            return f"{operand(c.element)} in {operand(c.domain)}"
        case Exists(variable=None):
            return f"exists {operand(c.domain)}" if isinstance(c.domain, Query) else path(c.domain)
        case Exists():
            body = f": {inner(c.condition)}" if c.condition is not None else ""
            return f"exists {c.variable} in {operand(c.domain)}{body}"
        case ForAll():
            return f"for all {c.variable} in {operand(c.domain)}: {inner(c.condition)}"


def inner(c: Condition) -> str:
    return f"({condition(c)})" if isinstance(c, And | Or | Exists | ForAll) else condition(c)


def oem(graph: Graph, root: str) -> str:
    """Everything the object reaches; an object is written out where it is met first."""
    out, met = graph.by_source(), set()

    def written(oid: str) -> str:
        if oid in met:
            return oid
        met.add(oid)
        if oid in graph.values:
            return f"{oid} {literal(graph.values[oid])}"
        return f"{oid} {{{', '.join(f'{name(label)}: {written(t)}' for label, t in sorted(out.get(oid, ())))}}}"

    return written(root)
