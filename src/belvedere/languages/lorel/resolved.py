"""Lorel with every name looked up: variables are unique in the statement, and every path is a chain of *hops* from variable to
variable. What the text leaves out (from, variables, exists) is written out. Translation and the canonical form start here."""

from __future__ import annotations

from dataclasses import dataclass, field

from belvedere.languages.lorel.constants import Constant
from belvedere.languages.lorel.syntax import Label, PathStep


@dataclass(frozen=True)
class Enter:
    """The variable is the object behind a name, or the one with an oid. `living`: whether it must be found out that an object
    with that oid is there, because there need not be an edge from it that would prove it."""

    root: str
    oid: bool
    target: str
    living: bool = False


@dataclass(frozen=True)
class Follow:
    """One step: an edge whose label fits one of `labels`; `label_variable` is bound to the edge's label."""

    source: str
    labels: tuple[Label, ...]
    target: str
    label_variable: str | None = None


@dataclass(frozen=True)
class Walk:
    """A path of any form: steps with repetition, `#`, alternatives of several steps."""

    source: str
    steps: tuple[PathStep, ...]
    target: str


Hop = Enter | Follow | Walk


# -- what is compared ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Object:
    """The value of the object that a variable is bound to."""

    variable: str


@dataclass(frozen=True)
class LabelOf:
    """The label that a variable is bound to."""

    variable: str


@dataclass(frozen=True)
class Total:
    """An aggregate over the set of objects that `over` takes, given the variables outside."""

    function: str
    hops: tuple[Hop, ...]
    where: Condition | None
    over: str


Term = Object | LabelOf | Constant | Total


# -- conditions ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class All:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class No:
    condition: Condition


@dataclass(frozen=True)
class Some:
    """There are bindings of the hops' variables for which the condition holds."""

    hops: tuple[Hop, ...]
    where: Condition | None = None


@dataclass(frozen=True)
class Compare:
    """By value, under coercion: = != < <= > >= like."""

    op: str
    left: Term
    right: Term


@dataclass(frozen=True)
class Same:
    """Two variables are bound to one object."""

    left: str
    right: str


Condition = All | AnyOf | No | Some | Compare | Same


# -- queries ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """An element of select: hops on from the bindings of from and where, the variable at their end, and its label."""

    hops: tuple[Hop, ...]
    variable: str
    label: str


@dataclass(frozen=True)
class Query:
    hops: tuple[Hop, ...]
    where: Condition | None
    items: tuple[Item, ...]


@dataclass(frozen=True)
class View:
    """`adjunct`: the with clause, in order; each hop starts from a selected variable or from the end of one before it."""

    query: Query
    adjunct: tuple[Hop, ...] = ()
    title: str | None = None
    #: whether a query stands inside the query
    nested: bool = field(default=False, compare=False)


def bound_by(hops: tuple[Hop, ...]) -> frozenset[str]:
    """The variables that hops bind."""
    labels = {h.label_variable for h in hops if isinstance(h, Follow) and h.label_variable is not None}
    return frozenset({h.target for h in hops} | labels)


def free(what: Condition | Term | Hop | None) -> frozenset[str]:
    """The variables that it needs from outside."""
    match what:
        case None | Constant() | Enter():
            return frozenset()
        case Follow(source=s) | Walk(source=s) | Object(variable=s) | LabelOf(variable=s):
            return frozenset({s})
        case Same(left=a, right=b):
            return frozenset({a, b})
        case Compare(left=a, right=b):
            return free(a) | free(b)
        case No(condition=c):
            return free(c)
        case All(parts=parts) | AnyOf(parts=parts):
            return frozenset[str]().union(*(free(p) for p in parts))
        case Some(hops=hops, where=where):
            return _free_of(hops, where)
        case Total(hops=hops, where=where, over=over):
            return (_free_of(hops, where) | {over}) - bound_by(hops)


def _free_of(hops: tuple[Hop, ...], where: Condition | None) -> frozenset[str]:
    return frozenset[str]().union(free(where), *(free(h) for h in hops)) - bound_by(hops)
