"""The canonical form of a Lorel query, after the paper: one-step paths between variables, as plain data."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

PlainValue = bool | int | float | str | dt.date | dt.datetime
#: (state, exact label, pattern with %, state); with neither label nor pattern any edge counts
Transition = tuple[int, str | None, str | None, int]
#: (operator, constant); None where it is compared with something that is no constant
Test = tuple[str, PlainValue] | None


@dataclass(frozen=True)
class Spec:
    """The canonical form, after the paper: one-step paths between variables.

    variables: the variable of each state; a variable at the end of a path with repetition has several states, and the states
        inside of such a path carry its variable's name with a `~` behind it
    starts: (state, name or oid) where evaluation begins
    roots: the names among them
    transitions: an object in the first state with such an edge brings the edge's target into the second
    selected: the states of the variables that select names
    starts_adjunct: (state, which item of select) where the with paths begin: the objects that the item gives, and no others
    shown: the states whose objects are in the view
    tests: for a state whose values are looked at, with what they are compared
    prim, adj: the paper's OneStepPathprim and OneStepPathadj in words
    simple: whether it has no wild cards, repetition, subqueries and negation, so that the paper's algorithm covers it
    """

    variables: tuple[str, ...]
    starts: tuple[tuple[int, str], ...]
    roots: tuple[str, ...]
    transitions: tuple[Transition, ...]
    selected: frozenset[int]
    starts_adjunct: tuple[tuple[int, int], ...]
    shown: frozenset[int]
    tests: dict[int, tuple[Test, ...]]
    prim: tuple[tuple[str, str, str], ...]
    adj: tuple[tuple[str, str, str], ...]
    simple: bool
