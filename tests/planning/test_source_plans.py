"""Plans over several databases: figures worked by hand, and one search against the other."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from tests.planning.graphs import figure2, grid, random_graph

from belvedere.errors import BelvedereError
from belvedere.planning.sources.choice import NO_PATH, choose
from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.dynamic import optimal
from belvedere.planning.sources.graph import KEYS, Direction, Node, ViewGraph, undirected
from belvedere.planning.sources.grouping import best_grouping, path_plan, paths
from belvedere.planning.sources.regression import CostFunction
from belvedere.planning.sources.search import enumerated, fewest_rows, greedy, sequences
from belvedere.planning.sources.strategies import batch, mirror, recompute, sequential


def test_figure_6_has_three_sequences() -> None:
    costing = Costing(figure2())
    found = {"-".join(costing.names[k] for k in s) for s in sequences(costing, 3)}
    assert found == {"4-3-2-1", "4-2-3-1", "4-2-1-3"}


def test_figure_9_has_four_paths() -> None:
    costing = Costing(figure2())
    assert {"".join(costing.names[k] for k in p) for p in paths(costing)} == {"1234", "4321", "1243", "3421"}


def test_a_batch_step_by_hand() -> None:
    """Sent: 10 rows of 2, then 10·2 of 4, then 20·(5·4/100) of 6. J = 1 + 0.01·Card·Attr each."""
    costing = Costing(figure2(d4=10))
    assert costing.sequence_cost((3, 2, 1, 0), 10) == pytest.approx(1.2 + 1.8 + 1.24)
    # 4-2-3-1 sends 10, 10·4, 40·(2·0.5/100) rows; 4-2-1-3 sends 10, 40, 40·3
    assert costing.sequence_cost((3, 1, 2, 0), 10) == pytest.approx(1.2 + 2.6 + 1.024)
    assert costing.sequence_cost((3, 1, 0, 2), 10) == pytest.approx(1.2 + 2.6 + 8.2)
    plan = batch(costing)
    assert plan.orders == (("4", "3", "2", "1"),)
    assert [q.rows for q in plan.queries] == pytest.approx([10, 20, 4])
    assert [q.attributes for q in plan.queries] == [2, 4, 6]
    assert [q.origins for q in plan.queries] == [("4",), ("3", "4"), ("2",)]
    assert plan.seconds == pytest.approx(4.24)


def test_grouping_by_hand() -> None:
    """Path 1-2-3-4, deltas 10, 20, 30, 40. Up sends 10, 40, 50; down 40, 170, 880; 2670 remain."""
    costing = Costing(figure2(d1=10, d2=20, d3=30, d4=40))
    plan = path_plan(costing, (0, 1, 2, 3))
    assert [(q.kind, q.to, q.version) for q in plan.queries] == [
        ("up", "2", "old"), ("up", "3", "old"), ("up", "4", "old"),
        ("down", "3", "new"), ("down", "2", "new"), ("down", "1", "new"), ("remaining", "", ""),
    ]  # fmt: skip
    assert [q.rows for q in plan.queries] == pytest.approx([10, 40, 50, 40, 170, 880, 2670])
    assert [q.attributes for q in plan.queries] == [2, 4, 6, 2, 4, 6, 8]
    assert plan.seconds == pytest.approx((1.2 + 2.6 + 4.0) + (1.8 + 7.8 + 53.8) + 21.86)


def test_keys_are_narrower_than_tuples() -> None:
    plan = batch(Costing(replace(figure2(d4=10), carry=KEYS)))
    assert [q.attributes for q in plan.queries] == [2 if len(q.origins) == 1 else 3 for q in plan.queries]


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_query_counts_are_the_papers(size: int) -> None:
    nodes = tuple(Node(f"n{i}", 100, 2, 5, f"s{i}") for i in range(size))
    graph = ViewGraph(nodes, undirected((f"n{i}", f"n{i + 1}") for i in range(size - 1)))
    costing = Costing(graph)
    assert batch(costing).asked == size * (size - 1)
    assert sequential(costing).asked == size * 5 * (size - 1)
    found = best_grouping(costing)
    assert found is not None
    assert found.asked == 2 * (size - 1)
    assert recompute(costing).asked == size
    assert mirror(costing).asked == 0
    assert mirror(costing).stored == size * 200


def test_only_deltas_that_are_there_are_maintained() -> None:
    costing = Costing(figure2(d2=7))
    assert batch(costing).asked == 3
    plan = path_plan(costing, (0, 1, 2, 3))
    # nothing to send from 1 to 2, nor from 4 to 3 or 3 to 2
    assert [(q.kind, q.to) for q in plan.queries if q.to] == [("up", "3"), ("up", "4"), ("down", "1")]
    assert batch(Costing(figure2())).seconds == 0


@pytest.mark.parametrize("seed", range(150))
def test_dynamic_programming_finds_what_enumeration_finds(seed: int) -> None:
    costing = Costing(random_graph(seed))
    for start, node in enumerate(costing.graph.nodes):
        best, _ = enumerated(costing, start, node.delta)
        cost, order = optimal(costing, start, node.delta)
        assert cost == pytest.approx(best, rel=1e-6)
        assert cost == pytest.approx(costing.sequence_cost(order, node.delta))
        assert order[0] == start
        for simple in (greedy, fewest_rows):
            price, way = simple(costing, start, node.delta)
            assert price >= best * (1 - 1e-6)
            assert price == pytest.approx(costing.sequence_cost(way, node.delta))


def test_nine_nodes_and_twelve_edges() -> None:
    """Optimal in under 60 ms, and far cheaper than the enumeration; the benchmark holds the exact ratio."""
    graph = grid(1)
    assert (len(graph.nodes), len(graph.edges)) == (9, 12)
    times = []
    for _ in range(5):
        started = time.process_time()
        plan = batch(Costing(graph))
        times.append(time.process_time() - started)
    started = time.process_time()
    every = batch(Costing(graph), enumerated)
    enumeration = time.process_time() - started
    assert plan.seconds == pytest.approx(every.seconds, rel=1e-6)
    assert min(times) < 0.06
    assert enumeration > 40 * min(times)


def test_a_star_has_no_grouping_path_and_says_so() -> None:
    nodes = tuple(Node(n, 100, 2, 5) for n in "abcd")
    star = ViewGraph(nodes, undirected([("a", "b"), ("a", "c"), ("a", "d")]))
    decision = choose(star)
    assert NO_PATH in decision.notes
    assert decision.plan.strategy != "grouping"
    with pytest.raises(BelvedereError, match="no path goes through"):
        choose(star, allowed=["grouping"])


def test_a_star_of_twenty_is_planned_all_the_same() -> None:
    nodes = tuple(Node(f"n{i}", 100, 2, 5 if i == 0 else 0) for i in range(20))
    star = ViewGraph(nodes, undirected([("n0", f"n{i}") for i in range(1, 20)], factor=1.5))
    assert len(batch(Costing(star)).orders[0]) == 20


def test_high_join_factors_make_batch_win() -> None:
    """The paper's Fig 14 against Fig 15: every path has an edge with factor 4; a batch query combines it with another."""
    cost = CostFunction(0.05, 0.001, 2e-5)
    nodes = tuple(Node(str(i), 100_000, 2, 2000 if i < 2 else 10, f"s{i}") for i in range(4))
    low = undirected([("0", "1"), ("0", "2"), ("1", "2"), ("2", "3")], cost=cost)
    # rows that fit one condition of the triangle mostly fit the other
    both = {(frozenset({"0", "1", "2"} - {to}), to): Direction(1.0, cost) for to in "012"}
    assert choose(ViewGraph(nodes, low, "tuples", both)).plan.strategy == "grouping"
    high = tuple(replace(e, forward=Direction(4.0, cost)) if e.right == "2" else e for e in low)
    decision = choose(ViewGraph(nodes, high, "tuples", both, {"s2": 1e-4, "s3": 1e-4}))
    assert decision.plan.strategy == "batch"
    assert decision.others[0].seconds > decision.plan.seconds


@pytest.mark.parametrize(
    ("nodes", "pairs", "message"),
    [
        ("ab", [("a", "c")], "does not join two nodes"),
        ("ab", [("a", "a")], "does not join two nodes"),
        ("abc", [("a", "b")], "no join condition leads from a to c"),
        ("ab", [("a", "b"), ("b", "a")], "two edges between"),
        ("aa", [], "different names"),
    ],
)
def test_a_bad_graph_is_refused(nodes: str, pairs: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(BelvedereError, match=message):
        ViewGraph(tuple(Node(n, 1, 1) for n in nodes), undirected(pairs))
    with pytest.raises(BelvedereError, match="unknown strategy nested"):
        choose(figure2(), allowed=["nested"])
