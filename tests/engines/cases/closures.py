"""Closure: cycles, states, steps that are cancelled or come twice, NULLs, and closures over closures."""

from __future__ import annotations

from tests.engines.cases.base import TABLES, Case
from tests.engines.support import expected

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Closure, Filter, Join, Project, UnionAll, renamed
from belvedere.algebra.scalar import equal
from belvedere.algebra.typing import scalar

#: x → a → b → c → a is a cycle; c → d is cancelled; b → e changes the state, and only in state 1 does e lead to f
STEPS = TABLES.add("steps", "s1 int, a string, s2 int, b string", [
    (0, "x", 0, "a", 1), (0, "a", 0, "b", 1), (0, "b", 0, "c", 2), (0, "c", 0, "a", 1), (0, "c", 0, "d", 1),
    (0, "c", 0, "d", -1), (0, "b", 1, "e", 1), (1, "e", 1, "f", 1), (0, "e", 0, "g", 1), (0, None, 0, "n", 1),
    (0, "a", 0, None, 1), (0, "y", 0, "c", 1),
])  # fmt: skip
SEEDS = TABLES.add("seeds", "src string, state int, node string", [
    ("x", 0, "x", 1), ("y", 0, "y", 3), ("z", 0, "x", 1), ("z", 0, "x", -1), (None, 0, "x", 1), ("q", 1, None, 1),
])  # fmt: skip


def over_another() -> Node:
    """From each place where the first one ends in state 1, on again in state 0."""
    ends = Filter(Closure(SEEDS, STEPS), scalar("state = 1", Closure(SEEDS, STEPS).schema))
    again = Project(ends, tuple((n, scalar(e, ends.schema)) for n, e in (("src", "src"), ("state", "0"), ("node", "node"))))
    return Closure(again, STEPS)


def with_itself() -> Node:
    one = renamed(Closure(SEEDS, STEPS), ("src1", "state1", "node1"))
    two = renamed(Closure(SEEDS, STEPS), ("src2", "state2", "node2"))
    joined = Join(one, two, equal(one.schema["node1"], two.schema["node2"]))
    kept = Filter(joined, scalar("src1 < src2 and state1 = 0", joined.schema))
    return Project(kept, (("node1", scalar("node1", kept.schema)),))


X = [("x", 0, "x"), ("x", 0, "a"), ("x", 0, "b"), ("x", 0, "c"), ("x", 1, "e"), ("x", 1, "f")]
Y = [("y", 0, "y"), ("y", 0, "c"), ("y", 0, "a"), ("y", 0, "b"), ("y", 1, "e"), ("y", 1, "f")]
RANKS = [0, 1, 2, 3, 3, 4]

CASES = [
    Case("closure", lambda: Closure(SEEDS, STEPS), expected(*((*r, 1) for r in X + Y))),
    Case(
        "closure_ranked",
        lambda: Closure(SEEDS, STEPS, ranked=True),
        expected(
            *((*r, n, 1) for r, n in zip(X, RANKS, strict=True)),
            *((*r, n, 1) for r, n in zip(Y, [0, 1, 2, 3, 4, 5], strict=True)),
        ),
    ),
    Case(
        "closure_without_seeds",
        lambda: Closure(Filter(SEEDS, scalar("src = 'none'", SEEDS.schema)), STEPS),
        expected(),
    ),
    Case(
        "closure_without_steps",
        lambda: Closure(SEEDS, Filter(STEPS, scalar("a = 'none'", STEPS.schema))),
        expected(("x", 0, "x", 1), ("y", 0, "y", 1)),
    ),
    Case(
        "closure_of_closure",
        over_another,
        expected(*((s, 0, n, 1) for s in "xy" for n in "efg")),
    ),
    Case("closure_with_itself", with_itself, expected(*((n, 1) for n in "abc"))),
    Case(
        "closure_in_a_union",
        lambda: UnionAll((Closure(SEEDS, STEPS), SEEDS)),
        expected(*((*r, 1) for r in X[1:] + Y[1:]), ("x", 0, "x", 2), ("y", 0, "y", 4), (None, 0, "x", 1), ("q", 1, None, 1)),
    ),
]
