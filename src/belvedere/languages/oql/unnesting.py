"""Comprehensions → the monoid algebra: T(e, u, w, E) of the calculus.

Generators are taken from left to right; a condition goes to the operator that brings the last of its variables. A comprehension
inside a condition or head is made a variable by a nest over the outer forms of join and unnest, as early as its variables allow;
one that depends on nothing around it is computed once, and joined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from belvedere.languages.oql.calculus import (
    COLLECTIONS,
    Call,
    Comp,
    Gen,
    Group,
    Merge,
    Monoid,
    Multiplicity,
    Pred,
    Proj,
    Qualifier,
    Record,
    Source,
    Term,
    Var,
    alike,
    free,
    over_children,
    walk,
)
from belvedere.languages.oql.monoid_algebra import Alg, Combine, Get, GroupBy, Join, Nest, Reduce, Select, Unit, Unnest
from belvedere.objects.types import CollectionType, OType, StructType

Fresh = Callable[[str], str]


def unnest(t: Term, fresh: Fresh) -> Alg:
    """The algebra of a whole query; a query that is no comprehension is the head of one without generators."""
    numbers = _Numbers(fresh)
    if isinstance(t, Comp) and t.monoid == "list" and not t.order:
        return closed(_one(t), numbers)
    stored = isinstance(t.type, CollectionType) and t.type.kind in ("set", "bag")
    return closed(t if stored or (isinstance(t, Comp) and t.order) else _one(t), numbers)


def _one(t: Term) -> Comp:
    return Comp(CollectionType("bag", t.type), "bag", t, ())


@dataclass
class _Numbers:
    """X1, X2, … for what reduces and nests give."""

    fresh: Fresh
    count: int = 0

    def __call__(self) -> str:
        self.count += 1
        return f"X{self.count}"


def closed(t: Term, names: _Numbers) -> Alg:
    """The algebra of a collection that depends on nothing around it."""
    match t:
        case Comp(monoid="set" | "bag" | "list"):
            var = names()
            block = _Block(names, t.monoid, Unit(t.monoid))
            preds = block.qualifiers(t.quals)
            head, order = block.planted(t.head), tuple((block.planted(k), d) for k, d in t.order)
            return Reduce(t.monoid, block.node, var, head, preds, order)
        case Comp() if not isinstance(t.type, CollectionType):
            return closed(_one(t), names)
        case Merge(monoid=m, left=a, right=b):
            return Combine(m, "union", closed(_ranged(a, names), names), closed(_ranged(b, names), names), _member(t))
        case Multiplicity(op=op, left=a, right=b):
            assert isinstance(t.type, CollectionType)
            kind: Monoid = "set" if t.type.kind == "set" else "bag"
            return Combine(kind, op, closed(_ranged(a, names), names), closed(_ranged(b, names), names), _member(t))
        case Group():
            return _Block(names, "bag", Unit("bag")).grouped(t, None)
    return closed(_ranged(t, names), names)


def _member(t: Term) -> OType:
    assert isinstance(t.type, CollectionType)
    return t.type.element


def _ranged(t: Term, names: _Numbers) -> Term:
    """Any collection as a comprehension over itself."""
    if isinstance(t, (Merge, Multiplicity)) or (isinstance(t, Comp) and t.monoid in ("set", "bag", "list")):
        return t
    assert isinstance(t.type, CollectionType)
    x = Var(t.type.element, names.fresh("x"))
    kind: Monoid = "set" if t.type.kind == "set" else "bag"
    return Comp(CollectionType("set" if kind == "set" else "bag", x.type), kind, x, (Gen(x, t),))


def is_collection(t: Term) -> bool:
    """Whether it gives rows; the only, the least or the greatest of several collections is a value."""
    return isinstance(t, (Merge, Multiplicity, Group)) or (isinstance(t, Comp) and t.monoid in COLLECTIONS)


def is_nested(t: Term) -> bool:
    return isinstance(t, (Comp, Merge, Multiplicity, Group))


def holds_nested(t: Term) -> bool:
    return any(is_nested(x) for x in walk(t))


@dataclass
class _Block:
    """One comprehension under way: E is `node`, w is `vars`. With `outer`, the variables u around it are to be kept."""

    names: _Numbers
    m: Monoid
    node: Alg
    vars: list[str] = field(default_factory=list)
    outer: tuple[str, ...] | None = None
    #: members come in the order of the list that they are taken from
    in_order: bool = False
    #: comprehensions that are variables already, whatever they call what they bind: e.members is one however often it is said
    done: dict[Term, Var] = field(default_factory=dict)

    def qualifiers(self, quals: tuple[Qualifier, ...]) -> tuple[Term, ...]:
        """Take in generators and conditions; conditions that no operator took are given back."""
        waiting = [q.term for q in quals if isinstance(q, Pred)]
        waiting = self.nested(waiting)
        for q in quals:
            if isinstance(q, Gen):
                self.generator(q.var, q.domain, waiting)
                waiting = self.nested(waiting)
        return tuple(waiting)

    def ready(self, waiting: list[Term], var: Var) -> tuple[Term, ...]:
        """The plain conditions that the new variable completes; they leave the waiting list."""
        known = {*self.vars, var.name}
        taken = [p for p in waiting if var.name in free(p) and free(p) <= known and not holds_nested(p)]
        waiting[:] = [p for p in waiting if not any(p is t for t in taken)]
        return tuple(taken)

    def nested(self, waiting: list[Term]) -> list[Term]:
        """Conditions with comprehensions in them whose variables are all there."""
        left: list[Term] = []
        for p in waiting:
            if holds_nested(p) and free(p) <= set(self.vars):
                planted = self.planted(p)
                self.node = Select(self.m, self.node, (planted,))
            else:
                left.append(p)
        return left

    def generator(self, v: Var, domain: Term, waiting: list[Term]) -> None:
        if isinstance(domain, Source):
            self.ranged(v, Get(self.m, domain, v, self.own(waiting, v)), waiting)
        elif is_collection(domain) and not free(domain) and not self.in_order:
            self.ranged(v, Get(self.m, closed(domain, self.names), v, self.own(waiting, v)), waiting)
        else:
            path = self.domain(domain)
            preds = self.ready(waiting, v)
            self.node = Unnest(self.m, self.node, v, path, preds, self.outer is not None)
        self.vars.append(v.name)

    def own(self, waiting: list[Term], v: Var) -> tuple[Term, ...]:
        """Conditions on the new variable alone."""
        taken = [p for p in waiting if free(p) == {v.name} and not holds_nested(p)]
        waiting[:] = [p for p in waiting if not any(p is t for t in taken)]
        return tuple(taken)

    def ranged(self, v: Var, get: Get, waiting: list[Term]) -> None:
        preds = self.ready(waiting, v)
        if isinstance(self.node, Unit):
            self.node = get
        else:
            keep = tuple(self.vars) if self.outer is not None else ()
            self.node = Join(self.m, self.node, get, preds, keep)

    def domain(self, t: Term) -> Term:
        """What a generator ranges over, with everything nested in it made a variable. A sum of bags stays one."""
        match t:
            case Merge(monoid="bag", left=a, right=b):
                return replace(t, left=self.domain(a), right=self.domain(b))
            case Proj(base=b):
                return replace(t, base=self.planted(b))
            case _:
                return self.planted(t)

    def planted(self, t: Term) -> Term:
        """The term with variables in place of the comprehensions in it."""
        if isinstance(t, Comp):
            return self.nest(t)
        if isinstance(t, (Merge, Multiplicity, Group)):
            return self.nest(self.gathered(t))
        return over_children(t, self.planted)

    def gathered(self, t: Term) -> Comp:
        """A collection as a comprehension over itself; of a group, the partition is gathered too."""
        assert isinstance(t.type, CollectionType)
        x = Var(t.type.element, self.names.fresh("x"))
        head: Term = x
        if isinstance(t, Group):
            assert isinstance(x.type, StructType)
            fields: list[tuple[str, Term]] = [(n, Proj(ft, x, n)) for n, ft in x.type.fields]
            partition = fields[-1][1]
            assert isinstance(partition.type, CollectionType)
            p = Var(partition.type.element, self.names.fresh("p"))
            fields[-1] = ("partition", Comp(partition.type, "bag", p, (Gen(p, partition),)))
            head = Record(x.type, tuple(fields))
        kind: Monoid = "set" if t.type.kind == "set" else "bag"
        return Comp(t.type, kind, head, (Gen(x, t),))

    def nest(self, c: Comp) -> Term:
        """T(c, w, w, E): the comprehension for each value of the variables so far, bound to a new variable."""
        if not c.quals and c.monoid in ("bag", "list", "set"):
            return Call(c.type, c.monoid, (self.planted(c.head),))
        known = alike(c)
        if known in self.done:
            return self.done[known]
        x = self.done[known] = Var(c.type, self.names())
        if not free(c):
            self.attach(_Block(self.names, c.monoid, Unit(c.monoid)).finished(c, x, (), None))
            return x
        base = self.node
        inner = _Block(self.names, c.monoid, base, list(self.vars), tuple(self.vars))
        first = c.quals[0] if c.quals else None
        if isinstance(first, Gen) and free(first.domain) and inner.each(first.var, first.domain):
            c = replace(c, quals=c.quals[1:])
        self.node = inner.finished(c, x, tuple(self.vars), base)
        self.vars.append(x.name)
        return x

    def each(self, v: Var, domain: Term) -> bool:
        """A first generator that is worked off for each value of the variables around, which are distinct there."""
        match domain:
            case Group():
                self.node = self.grouped(domain, self.node, v)
            case Merge(monoid="set", left=a, right=b) | Multiplicity(left=a, right=b):
                combined = replace(domain, left=self.domain(a), right=self.domain(b))
                self.node = Unnest(self.m, self.node, v, combined, (), True)
            case _:
                return False
        self.vars.append(v.name)
        return True

    def finished(self, c: Comp, x: Var, groupby: tuple[str, ...], base: Alg | None) -> Nest:
        self.in_order = c.monoid == "list" and not c.order
        preds = self.qualifiers(c.quals)
        head, order = self.planted(c.head), tuple((self.planted(k), d) for k, d in c.order)
        return Nest(c.monoid, self.node, x, head, groupby, preds, base, order, c.at)

    def attach(self, nest: Nest) -> None:
        self.node = nest if isinstance(self.node, Unit) else Join(self.m, self.node, nest, (), ())
        self.vars.append(nest.var.name)

    def grouped(self, g: Group, base: Alg | None, var: Var | None = None) -> GroupBy:
        """A group by over what is around it."""
        assert isinstance(g.type, CollectionType)
        v = var or Var(g.type.element, self.names.fresh("g"))
        around, kept, done = tuple(self.vars), list(self.vars), dict(self.done)
        preds = self.qualifiers(g.quals)
        keys = tuple((n, self.planted(k)) for n, k in g.keys)
        members = tuple((n, self.planted(m)) for n, m in g.members)
        self.vars, self.done = kept, done  # what became a variable below the groups is none above them
        return GroupBy("bag", self.node, v, keys, members, preds, around, base)

