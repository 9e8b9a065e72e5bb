"""Functions of collections, quantifiers and casts as comprehensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.algebra.typing.coerce import castable, orderable
from belvedere.languages.oql import ast
from belvedere.languages.oql import otypes as O  # noqa: N812
from belvedere.languages.oql.calculus import Call, Comp, Const, Gen, Merge, Multiplicity, Qualifier, Term, Var, element_type
from belvedere.languages.oql.operators import cast_to, comparison, fits
from belvedere.languages.oql.scope import Scope
from belvedere.objects.types import CollectionType, DictionaryType, Nil, OType, Ref, data_type

if TYPE_CHECKING:
    from belvedere.languages.oql.translate import Translator


def ranging(to: Translator, c: Term, stem: str = "x") -> tuple[Var, tuple[Qualifier, ...]]:
    v = to.var(stem, element_type(c.type))
    return v, (Gen(v, c),)


def count(to: Translator, c: Term) -> Term:
    _, quals = ranging(to, c)
    return Comp(O.LONG_LONG, "sum", Const(O.LONG, 1), quals)


def member(to: Translator, e: ast.Binary, scope: Scope) -> Term:
    """a in c: ∨{x = a | x←c}."""
    a, c = to.value(e.left, scope), to.collection(e.right, scope, "in")
    x, quals = ranging(to, c)
    return Comp(O.BOOLEAN, "or", comparison(to, "=", x, a, e), quals)


def compared(to: Translator, e: ast.Compared, scope: Scope) -> Term:
    a, c = to.value(e.left, scope), to.collection(e.right, scope, e.quantifier)
    x, quals = ranging(to, c)
    return Comp(O.BOOLEAN, "and" if e.quantifier == "all" else "or", comparison(to, e.op, a, x, e), quals)


def quantified(to: Translator, e: ast.Quantified, scope: Scope) -> Term:
    word = "for all" if e.quantifier == "all" else "exists"
    c = to.collection(e.domain, scope, word)
    inner = scope.inner()
    x, quals = ranging(to, c, e.variable)
    inner.named[e.variable] = x
    body = to.condition(e.body, inner, word)
    return Comp(O.BOOLEAN, "and" if e.quantifier == "all" else "or", body, quals)


def function(to: Translator, e: ast.Function, scope: Scope) -> Term:
    if e.name in ("is_defined", "is_undefined"):
        missing = Call(O.BOOLEAN, "is_null", (to.value(e.operand, scope),))
        return missing if e.name == "is_undefined" else Call(O.BOOLEAN, "not", (missing,))
    c = to.collection(e.operand, scope, e.name)
    member = element_type(c.type)
    match e.name:
        case "count":
            return count(to, c)
        case "exists":
            _, quals = ranging(to, c)
            return Comp(O.BOOLEAN, "or", Const(O.BOOLEAN, True), quals)
        case "unique":
            return Call(O.BOOLEAN, "eq", (count(to, c), Const(O.LONG_LONG, 1)))
        case "element":
            x, quals = ranging(to, c)
            return Comp(member, "element", x, quals, at=to.where(e))
        case "sum" | "avg":
            return summed(to, e, c, member)
        case "min" | "max":
            if not orderable(data_type(member)) or O.is_reference(member):
                raise to.mismatch(f"{e.name} takes values that have an order, and these are of type {member}", e.operand)
            x, quals = ranging(to, c)
            return Comp(member, e.name, x, quals)
        case "listtoset":
            if not O.is_list(c.type):
                raise to.mismatch(f"listtoset takes a list, and this is a {c.type}; for a bag use distinct", e.operand)
            x, quals = ranging(to, c)
            return Comp(CollectionType("set", member), "set", x, quals)
        case "distinct":
            if O.is_list(c.type):
                return Call(c.type, "distinct", (to.whole(c),))
            x, quals = ranging(to, c)
            return Comp(CollectionType("set", member), "set", x, quals)
        case "first" | "last":
            if not O.is_list(c.type):
                raise to.mismatch(f"{e.name} takes a list, and this is a {c.type}, which has no order", e.operand)
            return Call(member, e.name, (to.whole(c),))
        case "flatten":
            return flattened(to, e, c, member)
    raise AssertionError(e.name)


def summed(to: Translator, e: ast.Function, c: Term, member: OType) -> Term:
    if not O.is_number(member) and not O.is_undefined(member):
        raise to.mismatch(f"{e.name} takes numbers, and these are of type {member}", e.operand)
    x, quals = ranging(to, c)
    if e.name == "avg":
        return Comp(O.DOUBLE, "avg", cast_to(x, O.DOUBLE) if O.is_undefined(member) else x, quals)
    if O.is_undefined(member) or O.is_whole(member):
        return Comp(O.LONG_LONG, "sum", cast_to(x, O.LONG) if O.is_undefined(member) else x, quals)
    from belvedere.algebra.types import Decimal
    from belvedere.algebra.typing import decimals

    data = data_type(member)
    t = O.of_data(decimals.sum_of(data)) if isinstance(data, Decimal) else O.DOUBLE
    return Comp(t, "sum", x, quals)


def flattened(to: Translator, e: ast.Function, c: Term, member: OType) -> Term:
    """A list of lists is put end to end; inner sets give a set; everything else a bag."""
    if not isinstance(member, CollectionType):
        raise to.mismatch(f"flatten takes a collection of collections, and the members are of type {member}", e.operand)
    inner_list = member.kind in ("list", "array")
    if O.is_list(c.type) and inner_list:
        return Call(CollectionType("list", member.element), "flatten", (to.whole(c),))
    kind: Any = "set" if member.kind == "set" else "bag"
    s, outer = ranging(to, c, "s")
    x, inner = ranging(to, s)
    return Comp(CollectionType(kind, member.element), kind, x, outer + inner)


def combined(to: Translator, e: ast.Binary, scope: Scope) -> Term:
    """union, intersect and except, by multiplicities; two sets give a set."""
    sides = []
    for side in (e.left, e.right):
        c = to.collection(side, scope, e.op)
        if not isinstance(c.type, CollectionType) or c.type.kind not in ("set", "bag"):
            raise to.mismatch(f"{e.op} takes sets and bags, and this is a {c.type}; for lists use +", side)
        sides.append(c)
    a, b = sides
    shared = O.common(a.type, b.type, to.model)
    if not isinstance(shared, CollectionType):
        raise to.mismatch(f"{e.op}: {a.type} and {b.type} have no members in common", e)
    kind: Any = shared.kind
    a, b = (with_members(to, c, shared.element) for c in (a, b))
    if e.op == "union":
        return Merge(shared, kind, a, b)
    op: Any = e.op
    return Multiplicity(shared, op, a, b)


def with_members(to: Translator, c: Term, element: OType) -> Term:
    """The collection with its members as another type."""
    if element_type(c.type) == element or data_type(element_type(c.type)) == data_type(element):
        return c
    assert isinstance(c.type, CollectionType)
    x, quals = ranging(to, c)
    kind: Any = "list" if O.is_list(c.type) else c.type.kind
    return Comp(CollectionType(c.type.kind, element), kind, cast_to(x, element), quals)


def constructed(to: Translator, e: ast.Collection, scope: Scope) -> Term:
    items = [to.value(i, scope) for i in e.items]
    element: OType | None = O.UNDEFINED
    for t, i in zip(items, e.items, strict=True):
        element = O.common(element, t.type, to.model) if element is not None else None
        if element is None:
            raise to.mismatch(f"the members of a {e.kind} must be of one type, and this is of type {t.type}", i)
    assert element is not None
    if e.kind in ("set", "bag") and not orderable(data_type(element)):
        raise to.mismatch(f"a {e.kind} cannot hold values of type {element}, which cannot be compared", e)
    if e.kind == "set" and (isinstance(element, Nil) or O.is_undefined(element)):
        items = items[:1]  # they are all the same
    fn = "list" if e.kind == "array" else e.kind
    return Call(CollectionType(e.kind, element), fn, tuple(cast_to(t, element) for t in items))


def indexed(to: Translator, e: ast.Index | ast.Slice, scope: Scope) -> Term:
    base = to.value(e.base, scope)
    if isinstance(e, ast.Index) and isinstance(base.type, DictionaryType):
        key = to.value(e.index, scope)
        if not fits(key.type, base.type.key, to.model):
            raise to.mismatch(f"the keys of this dictionary are of type {base.type.key}, and this is of type {key.type}", e.index)
        return Call(base.type.value, "lookup", (base, cast_to(key, base.type.key)))
    text = O.is_text(base.type)
    if not O.is_list(base.type) and not text:
        raise to.mismatch(f"only lists, arrays, strings and dictionaries have an index, and this is of type {base.type}", e)
    places = [e.index] if isinstance(e, ast.Index) else [e.low, e.high]
    numbers = []
    for p in places:
        n = to.value(p, scope)
        if not O.is_whole(n.type) and not O.is_undefined(n.type):
            raise to.mismatch(f"an index is a whole number, and this is of type {n.type}", p)
        numbers.append(cast_to(n, O.LONG))
    if isinstance(e, ast.Slice):
        return Call(O.STRING if text else base.type, "substring" if text else "slice", (base, *numbers))
    if text:
        return Call(O.CHAR, "char_at", (base, *numbers))
    return Call(element_type(base.type), "index", (base, *numbers))


def cast(to: Translator, e: ast.Cast, scope: Scope) -> Term:
    t, wanted = to.value(e.operand, scope), to.type_named(e.type)
    return converted(to, t, wanted, e)


def converted(to: Translator, t: Term, wanted: OType, at: ast.Node) -> Term:
    if t.type == wanted or O.is_undefined(t.type):
        return cast_to(t, wanted)
    match t.type, wanted:
        case (Ref(cls=a), Ref(cls=b)):
            if b in to.model.above(a):
                return cast_to(t, wanted)
            if not O.related(t.type, wanted, to.model):
                raise to.mismatch(f"no {a} can be a {b}", at)
            return Call(wanted, "downcast", (t,))
        case (CollectionType(), CollectionType(kind=kind, element=element)):
            x, quals = ranging(to, t)
            head = converted(to, x, element, at)
            if kind in ("list", "array"):
                if not O.is_list(t.type):
                    return Comp(wanted, "list", head, quals, ((head, False),))
                return Comp(wanted, "list", head, quals)
            monoid: Any = kind
            return Comp(wanted, monoid, head, quals)
    if O.is_reference(t.type) != O.is_reference(wanted) or not castable(data_type(t.type), data_type(wanted)):
        raise to.mismatch(f"a {t.type} cannot be cast to {wanted}", at)
    return cast_to(t, wanted)
