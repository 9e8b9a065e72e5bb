"""The tree as SchemaSQL text."""

from __future__ import annotations

import re
from typing import Any

from tests.schemafuzz.tree import (
    Agg,
    Attributes,
    Cell,
    Const,
    Databases,
    Expr,
    Field,
    Item,
    Lit,
    Name,
    Op,
    Query,
    Range,
    Ref,
    Relations,
    Tuples,
    Values,
    Var,
)
from tests.schemafuzz.world import quoted

PLAIN = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
HYPHENED = re.compile(r"[A-Za-z_]\w*(-\w+)*\Z", re.ASCII)
INFIX = {"=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "||", "and", "or", "like", "is not distinct from"}


def query(q: Query) -> str:
    parts = []
    if q.header is not None:
        h = q.header
        db = f"{name(Const(h.db))}::" if h.db else ""
        parts.append(f"create view {db}{name(h.name)}({', '.join(map(name, h.attrs))}) as")
    items = ", ".join(expr(e) + (f" as {quoted(alias)}" if alias else "") for e, alias in q.select)
    parts.append(f"select {'distinct ' if q.distinct else ''}{items}")
    parts.append(f"from {', '.join(map(item, q.items))}")
    if q.where:
        parts.append(f"where {' and '.join(map(expr, q.where))}")
    if q.group is not None:
        parts.append(f"group by {', '.join(map(expr, q.group))}")
    if q.having is not None:
        parts.append(f"having {expr(q.having)}")
    return "\n".join(parts)


def item(i: Item) -> str:
    return f"{_range(i.range)} {i.var}"


def name(n: Name) -> str:
    if isinstance(n, Ref):
        return n.var
    return n.name if HYPHENED.match(n.name) else quoted(n.name)


def _range(r: Range) -> str:
    match r:
        case Databases():
            return "->"
        case Relations(db=None):
            return "->"
        case Relations(db=db):
            return f"{name(db)}->"
        case Attributes(db=db, rel=rel):
            return f"{_relation(db, rel)}->"
        case Tuples(db=db, rel=rel):
            return _relation(db, rel)
        case Values(db=db, rel=rel, attr=attr):
            return f"{_relation(db, rel)}.{name(attr)}"
        case Field(tuple=t, attr=attr):
            return f"{t}.{name(attr)}"


def _relation(db: Name | None, rel: Name) -> str:
    return name(rel) if db is None else f"{name(db)}::{name(rel)}"


def expr(e: Expr) -> str:
    match e:
        case Lit(value=v):
            return literal(v)
        case Var(name=v):
            return v
        case Cell(tuple=t, attr=Ref(var=v)):
            return f"{t}.{v}"
        case Cell(tuple=t, attr=Const(name=n)):
            return f"{t}.{n if PLAIN.match(n) else quoted(n)}"
        case Agg(fn=fn, arg=arg, distinct=distinct):
            return f"{fn}({'distinct ' if distinct else ''}{'*' if arg is None else expr(arg)})"
        case Op(op=op, args=args):
            return _op(op, [expr(a) for a in args])
    raise AssertionError(e)


def _op(op: str, args: list[str]) -> str:
    if op in INFIX:
        return "(" + f" {op} ".join(args) + ")"
    match op:
        case "not":
            return f"(not {args[0]})"
        case "is null" | "is not null":
            return f"({args[0]} {op})"
        case "in" | "not in":
            return f"({args[0]} {op} ({', '.join(args[1:])}))"
        case "case":
            return f"(case when {args[0]} then {args[1]} else {args[2]} end)"
    return f"{op}({', '.join(args)})"


def literal(v: Any) -> str:
    if v is None:
        return "null"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, str):
        return "'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"{v}D" if isinstance(v, float) else str(v)
