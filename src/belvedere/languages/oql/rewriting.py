"""The operators of a nest with parameters in place of what belongs to the rows around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from belvedere.languages.oql.calculus import Call, Merge, Multiplicity, Proj, Term, Var, free, over_children
from belvedere.languages.oql.frame import Frame
from belvedere.languages.oql.monoid_algebra import Alg, Get, GroupBy, Join, Nest, Reduce, Select, Unnest
from belvedere.languages.oql.values import Value
from belvedere.objects.model import InColumn
from belvedere.objects.types import CollectionType, Ref


@dataclass
class Parameters:
    """Terms over the variables around, each computed once on the frame around and named by a variable."""

    frame: Frame
    outer: frozenset[str]
    given: dict[Term, tuple[Var, Value]] = field(default_factory=dict)

    def values(self) -> list[tuple[Var, Value]]:
        return list(self.given.values())

    def __call__(self, t: Term) -> Term:
        """The term with its largest parts over the variables around as parameters."""
        names = free(t)
        if not names & self.outer:
            return t
        if names <= self.outer and not self.is_owned(t) and not isinstance(t, (Merge, Multiplicity)):
            return self.parameter(t)
        return over_children(t, self)

    def is_owned(self, t: Term) -> bool:
        """Whether it is a collection of objects that is stored by its owner."""
        if not isinstance(t, Proj) or not isinstance(t.base.type, Ref) or not isinstance(t.type, CollectionType):
            return False
        found = self.frame.session.model.find(t.base.type.cls, t.name)
        return found is not None and not isinstance(found.storage, InColumn)

    def parameter(self, t: Term) -> Var:
        if t not in self.given:
            v = Var(t.type, self.frame.session.fresh("param"))
            self.given[t] = (v, self.frame.value(t))
        return self.given[t][0]


def over_terms(op: Alg, f: Callable[[Term], Term]) -> Alg:
    """The operator, and the operators that belong to it, with f applied to all their terms."""

    def each(ts: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(f(t) for t in ts)

    match op:
        case Get(preds=p):
            return replace(op, preds=each(p))
        case Select(preds=p):
            return replace(op, preds=each(p))
        case Join(right=right, preds=p):
            return replace(op, right=over_terms(right, f), preds=each(p))
        case Unnest(path=path, preds=p):
            return replace(op, path=f(path), preds=each(p))
        case Nest(base=base, head=h, preds=p, order=order):
            made = replace(op, head=f(h), preds=each(p), order=tuple((f(k), d) for k, d in order))
            return replace(made, input=_above(op.input, base, f)) if base is not None else made
        case GroupBy(base=base, keys=keys, members=members, preds=p):
            made_group = replace(
                op, keys=tuple((n, f(k)) for n, k in keys), members=tuple((n, f(m)) for n, m in members), preds=each(p)
            )
            return replace(made_group, input=_above(op.input, base, f)) if base is not None else made_group
        case Reduce(head=h, preds=p):
            return replace(op, head=f(h), preds=each(p))
        case _:
            return op


def _above(a: Alg, base: Alg | None, f: Callable[[Term], Term]) -> Alg:
    """The operators above a base, with f applied; the base itself stays the same object."""
    if a is base:
        return a
    match a:
        case Join(left=x):
            made = over_terms(a, f)
            assert isinstance(made, Join)
            return replace(made, left=_above(x, base, f))
        case Unnest(input=x) | Select(input=x):
            made = over_terms(a, f)
            assert isinstance(made, (Unnest, Select))
            return replace(made, input=_above(x, base, f))
        case Nest(base=inner) | GroupBy(base=inner) if inner is not None:
            below = _above(inner, base, f)
            made = over_terms(a, f)
            assert isinstance(made, (Nest, GroupBy))
            return _rebased(made, inner, below)
        case _:
            return over_terms(a, f)


def _rebased(op: Nest | GroupBy, old: Alg, new: Alg) -> Alg:
    """The operator over another base."""

    def swap(a: Alg) -> Alg:
        if a is old:
            return new
        match a:
            case Join(left=x):
                return replace(a, left=swap(x))
            case Unnest(input=x) | Select(input=x):
                return replace(a, input=swap(x))
            case Nest(base=inner) | GroupBy(base=inner) if inner is not None:
                return _rebased(a, inner, swap(inner))
            case _:
                return a

    return replace(op, input=swap(op.input), base=new)


def rewritten(op: Alg, parameters: Parameters) -> Alg:
    """One operator of a nest, and the nests within it, over parameters."""
    return over_terms(op, parameters)


def terms_of(op: Alg) -> Iterator[Term]:
    """All terms of an operator and of the operators that belong to it."""
    found: list[Term] = []

    def note(t: Term) -> Term:
        found.append(t)
        return t

    over_terms(op, note)
    yield from found


def without(op: Alg, own: frozenset[str]) -> tuple[Alg, list[tuple[Var, Term]]]:
    """The operator without its conditions of the form parameter = term over inner variables; and those."""
    taken: list[tuple[Var, Term]] = []

    def split(preds: tuple[Term, ...]) -> tuple[Term, ...]:
        kept = []
        for p in preds:
            pair = _equality(p, own)
            if pair is None:
                kept.append(p)
            else:
                taken.append(pair)
        return tuple(kept)

    match op:
        case Join(right=Get() as right, preds=p):
            return replace(op, preds=split(p), right=replace(right, preds=split(right.preds))), taken
        case Get(preds=p) | Select(preds=p) | Unnest(preds=p) | Nest(preds=p):
            return replace(op, preds=split(p)), taken
        case _:
            return op, taken


def _equality(p: Term, own: frozenset[str]) -> tuple[Var, Term] | None:
    if not isinstance(p, Call) or p.fn != "eq":
        return None
    for a, b in (p.args, p.args[::-1]):
        if isinstance(a, Var) and a.name in own and free(b) and not free(b) & own:
            return a, b
    return None
