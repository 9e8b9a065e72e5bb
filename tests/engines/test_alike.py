"""Skeletons of plans, and what they are lifted to, where random plans seldom get."""

from __future__ import annotations

import pyarrow as pa
import pytest

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Get, Join, Keys, SemiJoin, SortKey, TopK
from belvedere.algebra.scalar import col, compare, conjunction, equal, integer, string
from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.engines.alike import NotAlike, liftable, skeleton
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.scan import Scan

T = Schema((Column("a", BigInt(), 1), Column("b", BigInt(), 2)))
U = Schema((Column("k1", BigInt(), 1), Column("k2", BigInt(), 2)))


def get(name: str, schema: Schema = T) -> Get:
    return Get(name, schema, schema.names)


def above(node: Node, value: int, column: str = "a") -> Node:
    return Filter(node, compare(">", col(node.schema[column]), integer(value)))


def rows(*data: tuple[int | None, int | None]) -> pa.Table:
    first, second = ([r[n] for r in data] for n in (0, 1))
    return pa.table({"c1": pa.array(first, pa.int64()), "c2": pa.array(second, pa.int64()), "_w": [1] * len(data)})


def scans(**tables: pa.Table) -> dict[str, Scan]:
    return {n: Scan(U if n.startswith("u") else T, tables=(t,), rows=t.num_rows) for n, t in tables.items()}


@pytest.fixture(scope="module")
def engine() -> DuckDBEngine:
    return DuckDBEngine(threads=1)


def both_ways(engine: DuckDBEngine, plans: list[Node], held: dict[str, Scan]) -> list[list[dict[str, object]]]:
    """The rows of each plan, found together; they are those that each finds alone."""

    def resolve(leaf: Get) -> Scan:
        return held[leaf.name]

    def sort(table: pa.Table) -> list[dict[str, object]]:
        return sorted(table.to_pylist(), key=str)

    gained = engine.alike(plans, [resolve] * len(plans)).found()
    found = [sort(gained[n][0]) for n in range(len(plans))]
    assert found == [sort(engine.run(p, resolve)[0]) for p in plans]
    return found


def test_other_constants_are_the_same_skeleton() -> None:
    assert skeleton(above(get("t"), 1)).node is skeleton(above(get("x"), -7)).node
    assert skeleton(above(get("t"), 1)).node != skeleton(above(get("t"), 1, "b")).node


def test_constants_of_another_type_are_another_skeleton() -> None:
    texts = Schema((Column("a", string("").type, 1),))
    one = Filter(get("t", texts), compare("=", col(texts["a"]), string("1")))
    assert skeleton(one).node != skeleton(Filter(get("t"), compare("=", col(T["a"]), integer(1)))).node


def test_a_constant_that_is_no_operand_of_a_comparison_stays() -> None:
    """It may decide on a type, or be what an engine wants to know beforehand."""
    plain = Filter(get("t"), compare(">", col(T["a"]), col(T["b"])))
    assert skeleton(plain).constants == ()
    assert len(skeleton(above(above(get("t"), 1), 2)).constants) == 2


def test_one_result_for_everything_is_in_no_family() -> None:
    count = (("n", Agg("count", (), BigInt())),)
    assert not liftable(Aggregate(get("t"), (), count))
    assert liftable(Aggregate(get("t"), (("a", col(T["a"])),), count))
    assert not liftable(TopK(get("t"), (SortKey("a"),), 3))


def test_other_shapes_are_refused(engine: DuckDBEngine) -> None:
    held = scans(t=rows((1, 1)))
    with pytest.raises(NotAlike, match="other shapes"):
        engine.alike([above(get("t"), 1), above(get("t"), 1, "b")], [lambda g: held[g.name]] * 2)


def test_part_of_a_key_may_meet_several(engine: DuckDBEngine) -> None:
    """Keys (1, 1) and (1, 2) both meet a = 1, and the row is there once all the same."""
    keys = [Keys(get(n, U), (("k1", col(U["k1"])), ("k2", col(U["k2"])))) for n in ("u1", "u2")]
    plans: list[Node] = [SemiJoin(get("t"), k, equal(T["a"], U["k1"])) for k in keys]
    held = scans(t=rows((1, 5), (2, 6)), u1=rows((1, 1), (1, 2)), u2=rows((2, 1), (2, 1)))
    assert both_ways(engine, plans, held) == [[{"a": 1, "b": 5, "_w": 1}], [{"a": 2, "b": 6, "_w": 1}]]


def test_rows_that_are_no_keys_may_be_met_twice(engine: DuckDBEngine) -> None:
    on = conjunction((equal(T["a"], U["k1"]), equal(T["b"], U["k2"])))
    plans: list[Node] = [SemiJoin(get("t"), get(n, U), on) for n in ("u1", "u2")]
    held = scans(t=rows((1, 5), (2, 6)), u1=rows((1, 5), (1, 5)), u2=rows((2, 6), (2, 6)))
    assert both_ways(engine, plans, held) == [[{"a": 1, "b": 5, "_w": 1}], [{"a": 2, "b": 6, "_w": 1}]]


def test_all_of_a_key_is_a_join(engine: DuckDBEngine) -> None:
    keys = [Keys(get(n, U), (("k1", col(U["k1"])), ("k2", col(U["k2"])))) for n in ("u1", "u2")]
    on = conjunction((equal(T["a"], U["k1"], null_safe=True), equal(T["b"], U["k2"], null_safe=True)))
    plans: list[Node] = [SemiJoin(get("t"), k, on) for k in keys]
    held = scans(t=rows((1, 5), (None, 6)), u1=rows((1, 5), (1, 5)), u2=rows((None, 6), (1, 6)))
    assert both_ways(engine, plans, held) == [[{"a": 1, "b": 5, "_w": 1}], [{"a": None, "b": 6, "_w": 1}]]


def test_a_condition_of_a_join_with_constants(engine: DuckDBEngine) -> None:
    plans: list[Node] = []
    for n in (0, 1, 2):
        on = conjunction((equal(T["a"], U["k1"]), compare(">", col(U["k2"]), integer(n))))
        plans.append(Join(get("t"), get("u", U), on))
    held = scans(t=rows((1, 5), (2, 6)), u=rows((1, 1), (1, 2), (2, 1)))
    assert [len(f) for f in both_ways(engine, plans, held)] == [3, 1, 0]


def test_a_plan_of_which_nothing_is_left(engine: DuckDBEngine) -> None:
    """One member has no rows of its own, and finds none."""
    plans: list[Node] = [Join(get(n), get("u", U), equal(T["a"], U["k1"])) for n in ("t", "t2")]
    held = scans(t=rows((1, 5)), t2=rows(), u=rows((1, 1)))
    assert [len(f) for f in both_ways(engine, plans, held)] == [1, 0]
