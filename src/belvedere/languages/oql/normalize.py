"""Normalization of comprehensions, by the ten rules of the calculus. The rules hold with duplicates, with UNDEFINED, and with
collections that are empty because they are reached through nil.

Guard of rules 7 and 8: what is idempotent may only flow into what is idempotent, or duplicates would be counted wrongly. A list
that is made in the order of its generator is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from belvedere.languages.oql.calculus import (
    COLLECTIONS,
    IDEMPOTENT,
    Bind,
    Call,
    Comp,
    Const,
    Gen,
    Group,
    Merge,
    Pred,
    Proj,
    Record,
    Term,
    Var,
    over_children,
    over_qualifier,
    renewed,
)
from belvedere.objects.types import PRIMITIVES, CollectionType

Fresh = Callable[[str], str]

#: how values of a primitive monoid are merged, where that is a function of values
_MERGED = {"sum": "add", "or": "or", "and": "and"}


def normalize(t: Term, fresh: Fresh) -> Term:
    """The normal form: no generator ranges over a comprehension that could be part of the one around it."""
    return Normalizer(fresh)(t)


@dataclass
class Normalizer:
    fresh: Fresh

    def __call__(self, t: Term) -> Term:
        t = over_children(t, self)
        if isinstance(t, Proj) and isinstance(t.base, Record):
            return dict(t.base.fields)[t.name]  # rule 3
        if isinstance(t, Comp):
            return self.comprehension(t)
        if isinstance(t, Group):
            return self.group(t)
        return t

    def comprehension(self, c: Comp) -> Term:
        keeps_order = c.monoid == "list" and not c.order
        for i, q in enumerate(c.quals):
            before, after = c.quals[:i], c.quals[i + 1 :]
            match q:
                case Bind(var=v, term=u):  # rule 1
                    return self.bound(replace(c, quals=before + after), i, v, u)
                case Gen(domain=Call(fn="set" | "bag" | "list", args=())) if not keeps_order:
                    return zero(c)  # rule 5
                case Gen(var=v, domain=Call(fn="set" | "bag" | "list", args=(a,))) if not keeps_order:  # rule 6
                    return self(replace(c, quals=(*before, Bind(v, a), *after)))
                case Gen(var=v, domain=Merge(monoid=m, left=a, right=b)) if _may(m, c) and _splits(c):  # rule 7
                    one = self(replace(c, quals=(*before, Gen(v, a), *after)))
                    other = self(renewed(replace(c, quals=(*before, Gen(v, b), *after)), self.fresh))
                    return self(merged(c, one, other))
                case Gen(var=v, domain=Comp() as inner) if _may(inner.monoid, c) and not keeps_order:  # rule 8
                    return self(replace(c, quals=(*before, *inner.quals, Bind(v, inner.head), *after)))
                case Pred(term=Call(fn="and", args=(a, b))):
                    return self(replace(c, quals=(*before, Pred(a), Pred(b), *after)))
                case Pred(term=Const(value=True)):
                    return self(replace(c, quals=before + after))
                case Pred(term=Const(value=False | None)) if c.monoid != "element":
                    return zero(c)
                case Pred(term=Comp(monoid="or") as inner) if c.monoid in IDEMPOTENT:  # rule 9
                    return self(replace(c, quals=(*before, *inner.quals, Pred(inner.head), *after)))
                case _:
                    continue
        if c.monoid in _NESTS and isinstance(c.head, Comp) and c.head.monoid == c.monoid and c.head.type == c.type:  # rule 10
            return self(replace(c, head=c.head.head, quals=c.quals + c.head.quals))
        return c

    def bound(self, c: Comp, at: int, v: Var, u: Term) -> Term:
        """v≡u is put in place of v in what comes after it; each place gets variables of its own."""

        def put(t: Term) -> Term:
            if isinstance(t, Var):
                return renewed(u, self.fresh) if t.name == v.name else t
            return over_children(t, put)

        rest = tuple(over_qualifier(q, put) for q in c.quals[at:])
        order = tuple((put(k), d) for k, d in c.order)
        return self(replace(c, head=put(c.head), quals=c.quals[:at] + rest, order=order))

    def group(self, g: Group) -> Term:
        """The from and where of a group by are a bag: its members and keys are normalized as one comprehension's."""
        head = Record(g.type, (*g.keys, *((f"\0{n}", m) for n, m in g.members)))
        inner = self.comprehension(Comp(CollectionType("bag", g.type), "bag", head, g.quals))
        if not isinstance(inner, Comp) or inner.monoid != "bag" or not isinstance(inner.head, Record):
            return g
        terms = [t for _, t in inner.head.fields]
        keys = tuple((n, t) for (n, _), t in zip(g.keys, terms, strict=False))
        members = tuple((n, t) for (n, _), t in zip(g.members, terms[len(g.keys) :], strict=True))
        return replace(g, keys=keys, members=members, quals=inner.quals)


_NESTS = frozenset({"sum", "or", "and", "max", "min"})


def _may(inner: str, outer: Comp) -> bool:
    return inner in COLLECTIONS and (inner not in IDEMPOTENT or outer.monoid in IDEMPOTENT)


def _splits(c: Comp) -> bool:
    return not c.order and (c.monoid in ("bag", "set") or c.monoid in _MERGED)


def merged(c: Comp, a: Term, b: Term) -> Term:
    """a ⊕ b."""
    if c.monoid in COLLECTIONS:
        return Merge(c.type, c.monoid, a, b)
    return Call(c.type, _MERGED[c.monoid], (a, b))


def zero(c: Comp) -> Term:
    """zero⊕."""
    match c.monoid:
        case "sum":
            return Call(c.type, "cast", (Const(PRIMITIVES["long"], 0),))
        case "or" | "and":
            return Const(c.type, c.monoid == "and")
        case "max" | "min" | "avg":
            return Const(c.type, None)
        case "element" | "prod":
            # fails, or is 1, only when it is asked for
            return replace(c, head=Const(c.type, None), quals=(Pred(Const(PRIMITIVES["boolean"], False)),))
        case _:
            return Call(c.type, c.monoid, ())

