"""No operator without a change rule, and the shape of plans that cost depends on."""

from __future__ import annotations

import pytest

from belvedere.algebra.node import OPERATORS, Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Get, Join, OuterJoin, Project, SemiJoin, Share, Tally, UnionAll
from belvedere.algebra.scalar import col, cols, compare, equal, integer
from belvedere.algebra.types import BigInt, Schema
from belvedere.maintenance.propagate import rules
from belvedere.maintenance.stage_delta import stage_delta
from belvedere.maintenance.stages import compile_view

R = Schema.of(a="bigint", b="bigint")
S = Schema.of(c="bigint", d="bigint")
T = Schema.of(e="bigint", f="bigint")


def get(name: str, schema: Schema) -> Get:
    return Get(name, schema, schema.names)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda o: o.__name__)
def test_every_operator_has_a_rule(operator: type) -> None:
    assert operator in rules()


def chain() -> Join:
    r, s, t = get("r", R), get("s", S), get("t", T)
    return Join(Join(r, s, equal(R["b"], S["c"])), t, equal(S["d"], T["e"]))


def test_a_join_of_three_looks_up_from_the_delta() -> None:
    plan = compile_view("v", chain())
    delta = stage_delta(plan.stages[0], frozenset({"t"}))
    assert delta is not None
    leaves = [n for n in delta.node.walk() if isinstance(n, Get)]
    assert {(n.name, n.version, n.by) for n in leaves} == {("t", "delta", ()), ("s", "new", ("d",)), ("r", "new", ("b",))}


def test_both_changed_uses_new_before_and_old_after() -> None:
    plan = compile_view("v", Join(get("r", R), get("s", S), equal(R["b"], S["c"])))
    delta = stage_delta(plan.stages[0], frozenset({"r", "s"}))
    assert delta is not None
    versions = {(n.name, n.version) for n in delta.node.walk() if isinstance(n, Get)}
    assert versions == {("r", "delta"), ("s", "old"), ("r", "new"), ("s", "delta")}


def test_nothing_changed_is_no_plan() -> None:
    plan = compile_view("v", chain())
    assert stage_delta(plan.stages[0], frozenset({"other"})) is None


def total(input_: object) -> Aggregate:
    assert isinstance(input_, Get)
    return Aggregate(input_, (("a", col(R["a"])),), (("s", Agg("sum", (col(R["b"]),), BigInt())),))


def test_a_linear_aggregate_reads_its_own_state_and_no_base() -> None:
    plan = compile_view("v", total(get("r", R)))
    assert [s.kind for s in plan.stages] == ["aggregate"]
    delta = stage_delta(plan.stages[0], frozenset({"r"}))
    assert delta is not None
    assert {(n.name, n.version) for n in delta.node.walk() if isinstance(n, Get)} == {("r", "delta"), ("v$1", "old")}
    assert any(isinstance(n, Tally) for n in delta.node.walk())


def test_min_merges_on_insert_and_reads_groups_again_on_delete() -> None:
    node = Aggregate(get("r", R), (("a", col(R["a"])),), (("m", Agg("min", (col(R["b"]),), BigInt())),))
    stage = compile_view("v", node).stages[0]
    inserted = stage_delta(stage, frozenset({"r"}), frozenset())
    deleted = stage_delta(stage, frozenset({"r"}), frozenset({"r"}))
    assert inserted is not None
    assert deleted is not None
    assert not [n for n in inserted.node.walk() if isinstance(n, Get) and (n.name, n.version) == ("r", "new")]
    again = [n for n in deleted.node.walk() if isinstance(n, Get) and (n.name, n.version) == ("r", "new")]
    assert again
    assert all(n.by == ("a",) for n in again)


def test_filters_over_an_aggregate_are_a_tail() -> None:
    node = Filter(total(get("r", R)), compare(">", col(total(get("r", R)).schema["s"]), integer(3)))
    plan = compile_view("v", node)
    assert len(plan.stages) == 1
    assert {n.name for n in plan.tail.walk() if isinstance(n, Get)} == {"v$1"}


def test_filters_reach_their_leaves_and_unused_columns_go() -> None:
    wide = Schema.of(a="bigint", b="bigint", unused="bigint")
    joined = Join(Get("r", wide, wide.names), get("s", S), equal(wide["b"], S["c"]))
    node = Project(Filter(joined, compare("=", col(wide["a"]), integer(1))), cols(Schema((S["d"],))))
    stage = compile_view("v", node).stages[0]
    leaf = next(n for n in stage.definition.walk() if isinstance(n, Get) and n.name == "r")
    assert leaf.schema.names == ("a", "b")
    parents = [n for n in stage.definition.walk() if isinstance(n, Filter)]
    assert [p.input for p in parents] == [leaf]


def test_an_antijoin_asks_only_for_rows_that_the_change_can_reach() -> None:
    node = SemiJoin(get("r", R), get("s", S), equal(R["b"], S["c"]), anti=True)
    stage = compile_view("v", node).stages[0]
    delta = stage_delta(stage, frozenset({"s"}))
    assert delta is not None
    whole = [n for n in delta.node.walk() if isinstance(n, Get) and n.version != "delta" and not n.by]
    assert whole == []


def test_union_keeps_names_when_only_a_later_part_changes() -> None:
    node = UnionAll((get("r", R), get("s", S)))
    delta = stage_delta(compile_view("v", node).stages[0], frozenset({"s"}))
    assert delta is not None
    assert delta.node.schema.names == ("a", "b")


def outer_joins(count: int) -> Node:
    node: Node = get("r", R)
    for n in range(count):
        side = Schema.of(**{f"k{n}": "bigint", f"v{n}": "bigint"})
        node = OuterJoin(node, get(f"s{n}", side), equal(R["a"], side[f"k{n}"]), "left")
    return node


@pytest.mark.parametrize("changed", [{"r"}, {"s0"}, {"r", *(f"s{n}" for n in range(10))}], ids=["first", "second", "all"])
def test_plans_of_outer_joins_in_a_row_do_not_double_with_each(changed: set[str]) -> None:
    def size(count: int) -> int:
        delta = stage_delta(compile_view("v", outer_joins(count)).stages[0], frozenset(changed))
        assert delta is not None
        return _written(delta.node)

    assert size(10) < 8 * size(5)  # twice as many joins, each of which reads what is left of it: four times is what to expect


def _written(node: Node) -> int:
    """The nodes of a plan as a statement has them: a part under a name once, any other as often as it is used."""
    names: set[str] = set()

    def count(n: Node) -> int:
        if isinstance(n, Share):
            if n.name in names:
                return 1
            names.add(n.name)
        return 1 + sum(count(i) for i in n.inputs)

    return count(node)
