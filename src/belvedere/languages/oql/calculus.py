"""Monoid comprehensions: the calculus between OQL and the algebra. Every term carries its OQL type.

⊕{e | q1, …, qn} with qualifiers v←u (a generator), p (a condition, which UNDEFINED does not fulfil) and v≡u (a binding).
Variables are unique in a whole program, so that terms may be put into each other without a thought of capture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal

from belvedere.objects.types import CollectionType, OType, StructType

#: avg and element are no monoids, but are written as if: avg is (sum, count); element is the only member
Monoid = Literal["set", "bag", "list", "sum", "prod", "max", "min", "or", "and", "avg", "element"]
COLLECTIONS = frozenset({"set", "bag", "list"})
IDEMPOTENT = frozenset({"set", "max", "min", "or", "and"})


@dataclass(frozen=True)
class Term:
    type: OType


@dataclass(frozen=True)
class Const(Term):
    """A literal; None for nil and UNDEFINED."""

    value: Any


@dataclass(frozen=True)
class Outside(Term):
    """$n: a constant given beside the text."""

    number: int


@dataclass(frozen=True)
class Var(Term):
    name: str


@dataclass(frozen=True)
class Source(Term):
    """An extent, table or view: a stored collection."""

    name: str
    cls: str | None = None


@dataclass(frozen=True)
class Proj(Term):
    """A property of an object or a field of a struct."""

    base: Term
    name: str


@dataclass(frozen=True)
class Record(Term):
    fields: tuple[tuple[str, Term], ...]

    @property
    def struct(self) -> StructType:
        assert isinstance(self.type, StructType)
        return self.type


@dataclass(frozen=True)
class Call(Term):
    """A function or operator by name (see scalars.py); its arguments are values, collections among them as arrays."""

    fn: str
    args: tuple[Term, ...]


@dataclass(frozen=True)
class Merge(Term):
    """a ⊕ b of two collections: union."""

    monoid: Monoid
    left: Term
    right: Term


@dataclass(frozen=True)
class Multiplicity(Term):
    """intersect and except, by the number of times that a member is in either."""

    op: Literal["intersect", "except"]
    left: Term
    right: Term


@dataclass(frozen=True)
class Gen:
    var: Var
    domain: Term


@dataclass(frozen=True)
class Pred:
    term: Term


@dataclass(frozen=True)
class Bind:
    var: Var
    term: Term


Qualifier = Gen | Pred | Bind


@dataclass(frozen=True)
class Comp(Term):
    """⊕{head | qualifiers}. `order` makes a sorted list: (key, descending) over the same variables."""

    monoid: Monoid
    head: Term
    quals: tuple[Qualifier, ...]
    order: tuple[tuple[Term, bool], ...] = ()
    #: where in the text it stands, for what fails when it is asked for
    at: str = field(default="", compare=False)


@dataclass(frozen=True)
class Group(Term):
    """set{⟨l: g, …, partition: bag{⟨x: x'⟩ | quals', g' = g}⟩ | quals}: what group by makes of its from and where."""

    keys: tuple[tuple[str, Term], ...]
    quals: tuple[Qualifier, ...]
    members: tuple[tuple[str, Term], ...]


def element_type(t: OType) -> OType:
    """The type of a collection's members; a dictionary has associations."""
    from belvedere.objects.types import DictionaryType

    if isinstance(t, DictionaryType):
        return StructType((("key", t.key), ("value", t.value)))
    assert isinstance(t, CollectionType), t
    return t.element


def over_qualifier(q: Qualifier, f: Callable[[Term], Term]) -> Qualifier:
    match q:
        case Gen(var=v, domain=d):
            return Gen(v, f(d))
        case Bind(var=v, term=t):
            return Bind(v, f(t))
        case Pred(term=t):
            return Pred(f(t))


def over_children(t: Term, f: Callable[[Term], Term]) -> Term:
    """The term with f applied to the terms directly below it."""
    match t:
        case Proj(base=b):
            return replace(t, base=f(b))
        case Record(fields=fields):
            return replace(t, fields=tuple((n, f(x)) for n, x in fields))
        case Call(args=args):
            return replace(t, args=tuple(f(a) for a in args))
        case Merge(left=a, right=b) | Multiplicity(left=a, right=b):
            return replace(t, left=f(a), right=f(b))
        case Comp(head=h, quals=qs, order=order):
            return replace(
                t, head=f(h), quals=tuple(over_qualifier(q, f) for q in qs), order=tuple((f(k), d) for k, d in order)
            )
        case Group(keys=keys, quals=qs, members=members):
            return replace(
                t, keys=tuple((n, f(k)) for n, k in keys), quals=tuple(over_qualifier(q, f) for q in qs),
                members=tuple((n, f(m)) for n, m in members),
            )  # fmt: skip
        case _:
            return t


def qualifier_term(q: Qualifier) -> Term:
    return q.domain if isinstance(q, Gen) else q.term


def children(t: Term) -> Iterator[Term]:
    match t:
        case Proj(base=b):
            yield b
        case Record(fields=fields):
            yield from (x for _, x in fields)
        case Call(args=args):
            yield from args
        case Merge(left=a, right=b) | Multiplicity(left=a, right=b):
            yield from (a, b)
        case Comp(head=h, quals=qs, order=order):
            yield from (qualifier_term(q) for q in qs)
            yield h
            yield from (k for k, _ in order)
        case Group(keys=keys, quals=qs, members=members):
            yield from (qualifier_term(q) for q in qs)
            yield from (k for _, k in keys)
            yield from (m for _, m in members)


def walk(t: Term) -> Iterator[Term]:
    yield t
    for c in children(t):
        yield from walk(c)


def bound_in(quals: tuple[Qualifier, ...]) -> frozenset[str]:
    return frozenset(q.var.name for q in quals if not isinstance(q, Pred))


def free(t: Term) -> frozenset[str]:
    """Names of the variables that the term does not bind itself."""
    if isinstance(t, Var):
        return frozenset({t.name})
    found = frozenset[str]().union(*(free(c) for c in children(t)))
    return found - bound_in(t.quals) if isinstance(t, (Comp, Group)) else found


def substitute(t: Term, mapping: dict[str, Term]) -> Term:
    if isinstance(t, Var):
        return mapping.get(t.name, t)
    return over_children(t, lambda c: substitute(c, mapping))


def renewed(t: Term, fresh: Callable[[str], str]) -> Term:
    """The same term with other names for the variables that it binds: a copy can then stand beside the original."""
    t = over_children(t, lambda c: renewed(c, fresh))
    if not isinstance(t, (Comp, Group)):
        return t
    names = {q.var.name: Var(q.var.type, fresh(_stem(q.var.name))) for q in t.quals if not isinstance(q, Pred)}
    mapping: dict[str, Term] = dict(names)
    changed = over_children(t, lambda c: substitute(c, mapping))
    assert isinstance(changed, (Comp, Group))
    quals = tuple(q if isinstance(q, Pred) else replace(q, var=names[q.var.name]) for q in changed.quals)
    return replace(changed, quals=quals)


def alike(t: Term) -> Term:
    """The term with names of its own for what it binds: two that differ in such names only are equal by this."""
    numbers = count(1)
    return renewed(t, lambda _: f"\0{next(numbers)}")


def _stem(name: str) -> str:
    stem, _, number = name.rpartition("_")
    return stem if stem and number.isdigit() else name
