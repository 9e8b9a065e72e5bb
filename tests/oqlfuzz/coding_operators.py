"""The meaning of operators, comparisons, quantifiers and functions."""

from __future__ import annotations

from typing import Any

from tests.oqlfuzz import meaning
from tests.oqlfuzz.coding import Code, Context, Scope, Untyped, Values, code, handles
from tests.oqlfuzz.data import bunch
from tests.oqlfuzz.kinds import BOOLEAN, DOUBLE, INT, NOTHING, STRING, Coll, Type, is_number, kind

from belvedere.languages.oql import ast

COMPARISONS = ("=", "!=", "<>", "<", "<=", ">", ">=")
SETS: dict[str, Any] = {"union": meaning.union, "intersect": meaning.intersect, "except": meaning.minus}


@handles(ast.Unary)
def unary(context: Context, node: ast.Unary, scope: Scope) -> Code:
    operand = context.code(node.operand, scope)
    if node.op == "not":
        return code(BOOLEAN, lambda values: meaning.not_(operand.run(values)))
    if not is_number(operand.type):
        raise Untyped(f"{node.op} of {operand.type}")
    change: dict[str, Any] = {"-": lambda v: -v, "+": lambda v: v, "abs": abs}
    return code(operand.type, lambda values: None if (v := operand.run(values)) is None else change[node.op](v))


@handles(ast.Binary)
def binary(context: Context, node: ast.Binary, scope: Scope) -> Code:
    a, b, op = context.code(node.left, scope), context.code(node.right, scope), node.op
    match op:
        case "and":
            return code(BOOLEAN, lambda values: meaning.and_([a.run(values), b.run(values)]))
        case "or":
            return code(BOOLEAN, lambda values: meaning.or_([a.run(values), b.run(values)]))
        case "like":
            return code(BOOLEAN, lambda values: meaning.like(a.run(values), b.run(values)))
        case "in":
            if not isinstance(b.type, Coll):
                raise Untyped(f"in {b.type}")
            t = context.compared("=", a.type, b.type.element)
            return code(BOOLEAN, lambda values: _any("=", a.run(values), b.items(values), t))
        case "union" | "except" | "intersect":
            return sets(context, op, a, b)
    if op in COMPARISONS:
        t = context.compared(op, a.type, b.type)
        return code(BOOLEAN, lambda values: meaning.compare(op, a.run(values), b.run(values), t))
    return code(arithmetic_type(context, op, a.type, b.type), lambda values: meaning.arithmetic(op, a.run(values), b.run(values)))


def arithmetic_type(context: Context, op: str, a: Type, b: Type) -> Type:
    if op == "||" and kind(a) == kind(b) == "string":
        return STRING
    if not (is_number(a) and is_number(b)):
        raise Untyped(f"{a} {op} {b}")
    return DOUBLE if op == "/" else context.common(a, b)


def sets(context: Context, op: str, a: Code, b: Code) -> Code:
    """Two sets give a set; a bag in it gives a bag."""
    if not (isinstance(a.type, Coll) and isinstance(b.type, Coll)) or a.type.ordered or b.type.ordered:
        raise Untyped(f"{a.type} {op} {b.type}")
    result = "set" if a.type.kind == b.type.kind == "set" else "bag"
    t = Coll(result, context.common(a.type.element, b.type.element))
    return code(t, lambda values: SETS[op](a.run(values), b.run(values), result))


def _any(op: str, value: Any, items: tuple[Any, ...], t: Type) -> meaning.Truth:
    return meaning.or_(meaning.compare(op, value, v, t) for v in items)


@handles(ast.Compared)
def compared(context: Context, node: ast.Compared, scope: Scope) -> Code:
    a = context.code(node.left, scope)
    b, bt = context.coll(node.right, scope)
    t = context.compared(node.op, a.type, bt.element)
    if node.quantifier == "any":
        return code(BOOLEAN, lambda values: _any(node.op, a.run(values), b.items(values), t))

    def run(values: Values) -> Any:
        left = a.run(values)
        return meaning.and_(meaning.compare(node.op, left, v, t) for v in b.items(values))

    return code(BOOLEAN, run)


@handles(ast.Quantified)
def quantified(context: Context, node: ast.Quantified, scope: Scope) -> Code:
    domain, t = context.coll(node.domain, scope)
    body = context.code(node.body, scope.plus({node.variable: t.element}, (node.variable,)))
    join: Any = meaning.and_ if node.quantifier == "all" else meaning.or_

    def run(values: Values) -> Any:
        return join(body.run({**values, node.variable: v}) for v in domain.items(values))

    return code(BOOLEAN, run)


@handles(ast.CountAll)
def count_all(context: Context, node: ast.CountAll, scope: Scope) -> Code:
    if "partition" not in scope.types:
        raise Untyped("count(*) without group by")
    return code(INT, lambda values: len(values["partition"].items))


@handles(ast.Function)
def function(context: Context, node: ast.Function, scope: Scope) -> Code:
    n = node.name
    if n in ("is_defined", "is_undefined"):
        any_ = context.code(node.operand, scope)
        return code(BOOLEAN, lambda values: (any_.run(values) is None) == (n == "is_undefined"))
    inner, t = context.coll(node.operand, scope)
    match n:
        case "count":
            return code(INT, lambda values: len(inner.items(values)))
        case "sum" | "min" | "max" | "avg":
            return aggregate(n, inner, t)
        case "exists":
            return code(BOOLEAN, lambda values: bool(inner.items(values)))
        case "unique":
            return code(BOOLEAN, lambda values: len(inner.items(values)) == 1)
        case "element":
            return code(t.element, lambda values: meaning.only(inner.items(values)))
        case "first" | "last" if t.ordered:
            place = 0 if n == "first" else -1
            return code(t.element, lambda values: items[place] if (items := inner.items(values)) else None)
        case "listtoset" if t.ordered:
            return code(Coll("set", t.element), lambda values: bunch("set", inner.items(values)))
        case "distinct":
            result = t.kind if t.ordered else "set"
            return code(Coll(result, t.element), lambda values: bunch(result, meaning.distinct(inner.items(values))))
        case "flatten" if isinstance(t.element, Coll):
            e = t.element
            result = meaning.flattened(t.kind, e.kind)
            return code(Coll(result, e.element), lambda values: meaning.flatten(inner.run(values), result))
    raise Untyped(f"{n} of {t}")


def aggregate(n: str, inner: Code, t: Coll) -> Code:
    numeric = is_number(t.element) or t.element == NOTHING
    if n in ("sum", "avg") and not numeric:
        raise Untyped(f"{n} of {t}")
    if kind(t.element) in ("ref", "struct", "coll", "dictionary", "boolean"):
        raise Untyped(f"{n} of {t}")
    result = DOUBLE if n == "avg" else t.element
    return code(result, lambda values: meaning.aggregate(n, inner.items(values)))
