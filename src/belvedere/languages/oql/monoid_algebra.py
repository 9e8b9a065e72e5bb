"""The monoid algebra (Fegaras and Maier): get, select, join, unnest, reduce, nest, merge; how it is printed, and which class of
views an expression belongs to.

Operators are left-deep: each adds a variable, or a condition, to what is below it. `base` of a nest or grouping tells where the
comprehension that it stands for begins: everything above `base` belongs to it, everything below to the one around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from belvedere.languages.oql.calculus import (
    Call,
    Comp,
    Const,
    Merge,
    Monoid,
    Multiplicity,
    Outside,
    Proj,
    Record,
    Source,
    Term,
    Var,
)
from belvedere.languages.oql.show import constant
from belvedere.languages.oql.show import show as show_term
from belvedere.objects.types import OType


@dataclass(frozen=True)
class Alg:
    monoid: Monoid

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return ()


@dataclass(frozen=True)
class Unit(Alg):
    """One tuple without variables: what a comprehension without generators reads."""


@dataclass(frozen=True)
class Get(Alg):
    """The members of a stored collection, or of one that another expression gives."""

    source: Source | Alg
    var: Var
    preds: tuple[Term, ...] = ()

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.source,) if isinstance(self.source, Alg) else ()


@dataclass(frozen=True)
class Select(Alg):
    input: Alg
    preds: tuple[Term, ...]

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.input,)


@dataclass(frozen=True)
class Join(Alg):
    """`keep` names the variables that an outer join keeps."""

    left: Alg
    right: Alg
    preds: tuple[Term, ...]
    keep: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class Unnest(Alg):
    input: Alg
    var: Var
    path: Term
    preds: tuple[Term, ...] = ()
    keep: bool = False

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.input,)


@dataclass(frozen=True)
class Reduce(Alg):
    input: Alg
    var: str
    head: Term
    preds: tuple[Term, ...] = ()
    order: tuple[tuple[Term, bool], ...] = ()

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.input,)


@dataclass(frozen=True)
class Nest(Alg):
    """For each value of the variables in `groupby`, ⊕ of the heads: bound to `var`. `base` is None where nothing is around."""

    input: Alg
    var: Var
    head: Term
    groupby: tuple[str, ...]
    preds: tuple[Term, ...]
    base: Alg | None
    order: tuple[tuple[Term, bool], ...] = ()
    at: str = field(default="", compare=False)

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.input,)


@dataclass(frozen=True)
class GroupBy(Alg):
    """nest by the labels of a group by: `var` is the struct of labels and partition."""

    input: Alg
    var: Var
    keys: tuple[tuple[str, Term], ...]
    members: tuple[tuple[str, Term], ...]
    preds: tuple[Term, ...]
    groupby: tuple[str, ...]
    base: Alg | None

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.input,)


@dataclass(frozen=True)
class Combine(Alg):
    """merge (union) of two expressions; `op` tells intersect and except, by multiplicities."""

    op: Literal["union", "intersect", "except"]
    left: Alg
    right: Alg
    element: OType

    @property
    def inputs(self) -> tuple[Alg, ...]:
        return (self.left, self.right)


def walk(a: Alg) -> Iterator[Alg]:
    yield a
    for i in a.inputs:
        yield from walk(i)


def classify(a: Alg) -> str:
    """The class of a view: of those whose operators appear in it, the rightmost of Fig 10."""
    kinds = {type(n) for n in walk(a)}
    if kinds & {Nest, GroupBy}:
        return "Nest"
    if Unnest in kinds:
        return "Unnest"
    return "ReduceGetJoin" if Join in kinds else "ReduceGet"


_NAMES = {"ne": "neq", "le": "leq", "ge": "geq"}


def show(a: Alg, depth: int = 0) -> str:
    """The expression as the paper prints it, one argument per line."""
    pad = "  " * (depth + 1)
    m = a.monoid

    def lines(name: str, *parts: str) -> str:
        return f"{name}({parts[0]},\n" + ",\n".join(pad + p for p in parts[1:]) + ")"

    match a:
        case Unit():
            return "unit()"
        case Get(source=Source(name=n), var=v, preds=p):
            return f"get({m}, {n}, {v.name}, {conjunction(p)})"
        case Get(source=s, var=v, preds=p):
            assert isinstance(s, Alg)
            return lines("get", m, show(s, depth + 1), v.name, conjunction(p))
        case Select(input=i, preds=p):
            return lines("select", m, show(i, depth + 1), conjunction(p))
        case Join(left=x, right=y, preds=p, keep=keep):
            kept = f"vars({', '.join(keep)})" if keep else "none"
            return lines("join", m, show(x, depth + 1), show(y, depth + 1), conjunction(p), kept)
        case Unnest(input=i, var=v, path=path, preds=p, keep=outer):
            return lines("unnest", m, show(i, depth + 1), v.name, argument(path), conjunction(p), "true" if outer else "false")
        case Reduce(input=i, var=x, head=h, preds=p, order=order):
            return lines("reduce", m, show(i, depth + 1), x, argument(h), conjunction(p), *_order(order))
        case Nest(input=i, var=v, head=h, groupby=g, preds=p, order=order):
            grouping = f"vars({', '.join(g)})"
            return lines("nest", m, show(i, depth + 1), v.name, argument(h), grouping, conjunction(p), *_order(order))
        case GroupBy(input=i, var=v, keys=keys, members=members, groupby=g, preds=p):
            labels = ", ".join([*(f"bind({n}, {term(k)})" for n, k in keys), *g])
            partition = f"struct({', '.join(f'bind({n}, {term(k)})' for n, k in members)})"
            return lines("nest", m, show(i, depth + 1), v.name, partition, f"groupby({labels})", conjunction(p))
        case Combine(op=op, left=x, right=y):
            return lines("merge" if op == "union" else op, m, show(x, depth + 1), show(y, depth + 1))
    raise AssertionError(type(a).__name__)


def _order(order: tuple[tuple[Term, bool], ...]) -> tuple[str, ...]:
    keys = ", ".join(f"{'desc' if d else 'asc'}({term(k)})" for k, d in order)
    return (f"order({keys})",) if order else ()


def conjunction(preds: tuple[Term, ...]) -> str:
    return f"and({', '.join(map(term, preds))})"


def argument(t: Term) -> str:
    """A path that is an operator's own argument is written project(x, a)."""
    if isinstance(t, Proj):
        return f"project({argument(t.base)}, {t.name})"
    return term(t)


def term(t: Term) -> str:
    match t:
        case Const(value=v):
            return constant(v)
        case Outside(number=n):
            return f"${n}"
        case Var(name=n) | Source(name=n):
            return n
        case Proj(base=b, name=n):
            return f"{term(b)}.{n}"
        case Record(fields=fields):
            return _struct(fields)
        case Call(fn=fn, args=args):
            return f"{_NAMES.get(fn, fn)}({', '.join(map(term, args))})"
        case Merge(left=a, right=b):
            return f"union({term(a)}, {term(b)})"
        case Multiplicity(op=op, left=a, right=b):
            return f"{op}({term(a)}, {term(b)})"
        case Comp():
            return show_term(t)
    raise AssertionError(type(t).__name__)


def _struct(fields: tuple[tuple[str, Term], ...]) -> str:
    return f"struct({', '.join(f'bind({n}, {term(x)})' for n, x in fields)})"
