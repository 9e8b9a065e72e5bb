"""Where a delta needs no sum at its leaves, it has none; where a scalar could fail on a row that came and went, it has one."""

from __future__ import annotations

import pytest

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Filter, Get, Join, Project, UnionAll
from belvedere.algebra.scalar import cols, equal
from belvedere.algebra.types import Schema
from belvedere.algebra.typing import scalar
from belvedere.maintenance.stage_delta import stage_delta
from belvedere.maintenance.stages import compile_view

R = Schema.of(a="bigint", b="bigint")
S = Schema.of(c="bigint", d="bigint")
r, s = Get("r", R, R.names), Get("s", S, S.names)


def sums(node: Node, changed: str = "rs") -> int:
    """How many sums the delta of a view has."""
    delta = stage_delta(compile_view("v", node).stages[-1], frozenset(changed))
    assert delta is not None
    return sum(isinstance(n, Consolidate) for n in delta.node.walk())


def kept(condition: str, value: str = "b") -> Node:
    return Project(Filter(r, scalar(condition, R)), (("a", scalar("a", R)), ("x", scalar(value, R))))


@pytest.mark.parametrize("node", [kept("a > b"), kept("a is null or not b = 3"), UnionAll((kept("a > b"), s))])
def test_a_linear_definition_is_summed_up_once(node: Node) -> None:
    assert sums(node) == 1


def test_only_the_parts_that_changed_are_in_it() -> None:
    delta = stage_delta(compile_view("v", UnionAll((kept("a > b"), s))).stages[0], frozenset({"s"}))
    assert delta is not None
    assert delta.node.schema.names == ("a", "x")
    assert {(n.name, n.version) for n in delta.node.walk() if isinstance(n, Get)} == {("s", "delta")}


@pytest.mark.parametrize("node", [kept("1 / a > 0"), kept("a > b", "a * b"), kept("a > b", "cast(b as int)")])
def test_what_can_fail_sees_the_sum_only(node: Node) -> None:
    assert sums(node) == 2


def test_a_join_looks_up_by_the_sum() -> None:
    assert sums(Project(Join(r, s, equal(R["b"], S["c"])), cols(R)), "s") > 1
