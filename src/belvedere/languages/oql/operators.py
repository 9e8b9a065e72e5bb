"""Operators and operations on values: their types, and the calls of the calculus that they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from belvedere.algebra.types import Column, Schema, String, Timestamp
from belvedere.algebra.typing import annotate
from belvedere.algebra.typing.coerce import castable, orderable
from belvedere.errors import ParseError, UnknownName, suggest
from belvedere.languages.oql import ast
from belvedere.languages.oql import otypes as O  # noqa: N812
from belvedere.languages.oql.calculus import Call, Term
from belvedere.languages.oql.scope import Scope
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import CollectionType, DictionaryType, Nil, OType, Primitive, Ref, StructType, data_type

if TYPE_CHECKING:
    from belvedere.languages.oql.translate import Translator

COMPARISONS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ARITHMETIC: dict[str, tuple[str, type[exp.Binary]]] = {
    "+": ("add", exp.Add), "-": ("sub", exp.Sub), "*": ("mul", exp.Mul), "/": ("div", exp.Div), "mod": ("mod", exp.Mod),
}  # fmt: skip
#: operations of dates and texts: name → (function, result)
_DATED: dict[str, tuple[str, OType]] = {
    "year": ("year", O.LONG), "month": ("month", O.LONG), "monthindex": ("month", O.LONG), "day": ("day", O.LONG),
    "day_of_year": ("day_of_year", O.LONG), "dayofyear": ("day_of_year", O.LONG),
}  # fmt: skip
_TIMED: dict[str, tuple[str, OType]] = {"hour": ("hour", O.LONG), "minute": ("minute", O.LONG), "second": ("second", O.LONG)}
_TEXTS: dict[str, tuple[str, OType]] = {
    "length": ("length", O.LONG), "upper": ("upper", O.STRING), "lower": ("lower", O.STRING),
}  # fmt: skip


def cast_to(t: Term, to: OType) -> Term:
    """The term as a value of another type; nothing where the algebra holds both alike."""
    if t.type == to:
        return t
    return Call(to, "cast", (t,))


def fits(given: OType, wanted: OType, model: ObjectModel) -> bool:
    """Whether a value can be given where another type is wanted without being cast."""
    if isinstance(wanted, Ref):
        below = isinstance(given, Ref) and wanted.cls in model.above(given.cls)
        return below or isinstance(given, Nil) or O.is_undefined(given)
    if O.is_number(given) and O.is_number(wanted):
        return True
    return O.common(given, wanted, model) is not None


def comparison(to: Translator, op: str, a: Term, b: Term, at: ast.Node) -> Term:
    """a op b. Objects compare by identity, nil equal to nil; everything else by value, UNDEFINED with UNDEFINED."""
    if op in ("=", "!="):
        if not O.related(a.type, b.type, to.model):
            more = "; ask is_undefined(…)" if isinstance(a.type, Nil) or isinstance(b.type, Nil) else ""
            raise to.mismatch(f"a {a.type} can never equal a {b.type}{more}", at)
    elif O.common(a.type, b.type, to.model) is None or O.is_reference(a.type) or O.is_reference(b.type):
        raise to.mismatch(f"{a.type} and {b.type} have no order between them", at)
    elif any(isinstance(t.type, (CollectionType, DictionaryType, StructType)) for t in (a, b)):
        raise to.mismatch(f"{a.type} and {b.type} have no order between them; compare what they hold", at)
    shared = O.common(a.type, b.type, to.model)
    if shared is not None and not O.is_reference(shared):
        if not orderable(data_type(shared)):
            raise to.mismatch(f"values of type {shared} cannot be compared", at)
        a, b = (t if data_type(t.type) == data_type(shared) else cast_to(t, shared) for t in (a, b))
    return Call(O.BOOLEAN, COMPARISONS[op], (a, b))


def unary(to: Translator, e: ast.Unary, scope: Scope) -> Term:
    if e.op == "not":
        return Call(O.BOOLEAN, "not", (to.condition(e.operand, scope, "not (which binds tighter than comparisons)"),))
    t = to.value(e.operand, scope)
    if O.is_undefined(t.type):
        return t
    if not O.is_number(t.type):
        raise to.mismatch(f"{e.op} takes a number, and this is of type {t.type}", e)
    if e.op == "+":
        return t
    return Call(t.type, "neg" if e.op == "-" else "abs", (t,))


def binary(to: Translator, e: ast.Binary, scope: Scope) -> Term:
    if e.op in ("and", "or"):
        return Call(O.BOOLEAN, e.op, (to.condition(e.left, scope, e.op), to.condition(e.right, scope, e.op)))
    a, b = to.value(e.left, scope), to.value(e.right, scope)
    if e.op in COMPARISONS:
        return comparison(to, e.op, a, b, e)
    if e.op == "like":
        for t, side in ((a, e.left), (b, e.right)):
            if not O.is_text(t.type) and not O.is_undefined(t.type):
                raise to.mismatch(f"like takes strings, and this is of type {t.type}", side)
        return Call(O.BOOLEAN, "like", (cast_to(a, O.STRING), cast_to(b, O.STRING)))
    return added(to, e, a, b)


def added(to: Translator, e: ast.Binary, a: Term, b: Term) -> Term:
    """+ and || put texts and lists together; + − * / mod compute."""
    if e.op in ("+", "||"):
        texts = [t for t in (a, b) if O.is_text(t.type)]
        if texts and all(O.is_text(t.type) or O.is_undefined(t.type) for t in (a, b)):
            return Call(O.STRING, "concat", (cast_to(a, O.STRING), cast_to(b, O.STRING)))
        if O.is_list(a.type) and O.is_list(b.type):
            shared = O.common(a.type, b.type, to.model)
            if isinstance(shared, CollectionType):
                return Call(shared, "append", (cast_to(a, shared), cast_to(b, shared)))
        if any(isinstance(t.type, CollectionType) for t in (a, b)):
            raise to.mismatch(f"{e.op} puts lists together, and these are {a.type} and {b.type}; for sets and bags use union", e)
        if e.op == "||":
            raise to.mismatch(f"|| puts strings or lists together, and these are {a.type} and {b.type}", e)
    fn, kind = _ARITHMETIC[e.op]
    return Call(computed(to, kind, e.op, a.type, b.type, e), fn, (a, b))


def computed(to: Translator, kind: type[exp.Binary], op: str, a: OType, b: OType, at: ast.Node) -> OType:
    """The type of a result, by the algebra's own rules."""
    if O.is_undefined(a) and O.is_undefined(b):
        return O.DOUBLE
    dated = [t for t in (a, b) if isinstance(t, Primitive) and t.name == "date"]
    numbers = [t for t in (a, b) if O.is_number(t) or O.is_undefined(t)]
    clock = [t for t in (a, b) if isinstance(t, Primitive) and t.name in ("time", "interval")]
    if len(numbers) + len(dated) + len(clock) < 2 or (clock and (op not in ("+", "-") or len(clock) < 2)):
        raise to.mismatch(f"{op} takes numbers, and its sides are of types {a} and {b}", at)
    if len(clock) == 2:
        return next((t for t in clock if t.name == "time"), clock[0])
    schema = Schema((Column("a", data_type(a)), Column("b", data_type(b))))
    tree = kind(this=exp.column("a", quoted=True), expression=exp.column("b", quoted=True))
    try:
        return O.of_data(annotate(tree, schema))
    except ParseError:
        raise to.mismatch(f"{op} is not defined for {a} and {b}", at) from None


def operation(to: Translator, base: Term, e: ast.Path, scope: Scope) -> Term | None:
    """x.name or x.name(): what dates and texts can be asked."""
    t = base.type
    if e.args or not isinstance(t, Primitive):
        return None
    tables = []
    if t.name in ("date", "timestamp"):
        tables.append(_DATED)
    if isinstance(t.data, Timestamp):
        tables.append(_TIMED)
    if isinstance(t.data, String):
        tables.append(_TEXTS)
    for table in tables:
        if e.name.lower() in table:
            fn, result = table[e.name.lower()]
            return Call(result, fn, (base,))
    if tables:
        known = [n for table in tables for n in table]
        raise to.error(UnknownName, f"a {t} has no operation '{e.name}'{suggest(e.name, known)}", e)
    return None


def user_function(to: Translator, e: ast.Name, scope: Scope) -> Term:
    """A function that was registered with the warehouse."""
    found = to.names.udf(e.name)
    args = e.args or ()
    if found is None:
        known = [*to.defined, *to.model.classes]
        raise to.error(UnknownName, f"unknown query or function '{e.name}'{suggest(e.name, known)}", e)
    if len(args) != len(found.arguments):
        raise to.mismatch(f"{e.name} takes {len(found.arguments)} argument(s), and {len(args)} are given", e)
    values = [to.value(a, scope) for a in args]
    for v, t, a in zip(values, found.arguments, args, strict=True):
        if not castable(data_type(v.type), t):
            raise to.mismatch(f"{e.name} takes a {t} here, and this is of type {v.type}", a)
    return Call(O.of_data(found.result), f"function:{e.name.lower()}", tuple(values))
