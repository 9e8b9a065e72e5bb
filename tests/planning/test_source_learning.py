"""What is learned of sources: the regression, join factors, the network; and when a plan is searched again."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from xml.etree import ElementTree

import pytest
from tests.planning.graphs import figure2

from belvedere.planning.sources import explain
from belvedere.planning.sources.choice import choose
from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.drawing import svg
from belvedere.planning.sources.experience import Experience
from belvedere.planning.sources.graph import Direction, Node, ViewGraph, first_factor, undirected
from belvedere.planning.sources.regression import FIRST, CostFunction, Fit

PAPER = CostFunction(755.37, 16.04, 0.108)


@dataclass(frozen=True)
class Asked:
    origins: tuple[str, ...]
    to: str
    rows: int
    attributes: int
    rows_out: int
    seconds: float
    moved: float | None = None
    source: str = "s"
    attributes_out: int = 2


def fitted(function: CostFunction, noise: float = 0.0) -> tuple[Fit, CostFunction]:
    r, fit = random.Random(7), Fit()
    for card in range(100, 1001, 100):
        for attr in (2, 4, 6):
            fit.add(card, attr, function.seconds(card, attr) * r.uniform(1 - noise, 1 + noise))
    return fit, fit.function(None)


def test_the_papers_parameters_come_back() -> None:
    fit, found = fitted(PAPER)
    assert (found.start, found.per_attribute, found.per_value) == pytest.approx((755.37, 16.04, 0.108), rel=1e-6)
    assert fit.explained(found) == pytest.approx(1.0)


def test_noise_is_not_explained() -> None:
    fit, found = fitted(PAPER, 0.05)
    assert 0.8 < fit.explained(found) < 0.999


def test_three_queries_by_hand() -> None:
    """2 + 3·Attr + 0·Card·Attr through (1 attr: 5), (2 attr: 8) with no rows; then a row that costs 1 per value."""
    fit = Fit()
    for card, attr, seconds in [(0, 1, 5.0), (0, 2, 8.0), (1, 1, 6.0)]:
        fit.add(card, attr, seconds)
    found = fit.function(None)
    assert (found.start, found.per_attribute, found.per_value) == pytest.approx((2, 3, 1))


def test_no_coefficient_is_negative_and_the_fit_is_the_best_such() -> None:
    """Falling costs: the best line that may not fall is flat, at the mean."""
    fit = Fit()
    for card, seconds in [(10, 5.0), (20, 4.0), (30, 3.0)]:
        fit.add(card, 1, seconds)
    found = fit.function(None)
    assert min(found.start, found.per_attribute, found.per_value) >= 0
    assert found.seconds(17, 1) == pytest.approx(4.0)


def test_one_width_only_leaves_the_guess_to_settle_the_rest() -> None:
    fit = Fit()
    for card in (10, 100, 1000):
        fit.add(card, 2, 0.01 + 1e-5 * card * 2)
    found = fit.function()
    assert found.seconds(500, 2) == pytest.approx(0.02, rel=0.02)
    assert Fit().function() == FIRST


def test_old_queries_fade() -> None:
    fit = Fit(0.5)
    for seconds in [9.0] * 5 + [1.0] * 20:
        fit.add(10, 1, seconds)
    assert fit.function(None).seconds(10, 1) == pytest.approx(1.0, rel=1e-3)
    assert Fit.from_dict(json.loads(json.dumps(fit.to_dict()))).function(None) == fit.function(None)


def test_experience_replaces_guesses() -> None:
    known = Experience(keep=1.0)
    for card in (10, 100, 1000):
        for attr in (1, 2, 3):
            real = 0.02 + 0.001 * attr + 1e-5 * card * attr
            known.observe(Asked(("a",), "b", card, attr, card * 3, real))
            known.observe(Asked(("a", "c"), "b", card, attr, card // 10, 0.5 + real))
    nodes = tuple(Node(n, 1000, 2, 10, "s") for n in "abc")
    graph = known.applied_to(ViewGraph(nodes, undirected([("a", "b"), ("b", "c"), ("a", "c")])))
    learned = graph.directions()["a", "b"]
    assert learned.factor == pytest.approx(3)
    assert learned.cost.seconds(300, 2) == pytest.approx(0.028, rel=0.02)
    assert graph.directions()["b", "a"] == Direction(1.0)
    both = Costing(graph).hop(("a", "c"), "b")
    assert both.factor == pytest.approx(0.1)
    assert both.cost.seconds(300, 2) == pytest.approx(0.528, rel=0.02)
    again = Experience.from_dict(json.loads(json.dumps(known.to_dict())))
    assert again.applied_to(graph) == known.applied_to(graph)


def test_what_moving_rows_costs_is_learned_apart() -> None:
    known = Experience(keep=1.0)
    for card in (10, 100, 1000):
        values = card * 2 + card * 2
        known.observe(Asked(("a",), "b", card, 2, card, 0.01 + values * 1e-3, moved=values * 1e-3))
    nodes = tuple(Node(n, 1000, 1, 10, "s") for n in "ab")
    graph = known.applied_to(ViewGraph(nodes, undirected([("a", "b")])))
    assert graph.network == {"s": pytest.approx(1e-3)}
    assert graph.directions()["a", "b"].cost.seconds(500, 2) == pytest.approx(0.01, rel=0.05)
    # 500 rows of a row number and a key go, 500 rows of a row number and one attribute come back
    assert Costing(graph).sequence_cost((0, 1), 500) == pytest.approx(0.01 + 2.0, rel=0.05)


def test_queries_that_sent_nothing_teach_nothing() -> None:
    known = Experience()
    known.observe(Asked(("a",), "b", 0, 2, 0, 1.0))
    known.observe(Asked((), "b", 5, 2, 0, 1.0))
    assert known.fits == {}


def test_first_factors() -> None:
    orders, customers = Node("o", 1000, 3), Node("c", 100, 2)
    assert first_factor(customers, True, orders, False) == 1.0
    assert first_factor(orders, False, customers, True) == 10.0
    assert first_factor(orders, False, customers, False) == 8.0


def changed(graph: ViewGraph, ratio: float, cost: float = 1.0) -> ViewGraph:
    """The same graph with the first edge's forward factor, and all costs, multiplied."""
    def slower(d: Direction) -> Direction:
        return replace(d, cost=CostFunction(d.cost.start * cost, d.cost.per_attribute * cost, d.cost.per_value * cost))

    edges = [replace(e, forward=slower(e.forward), backward=slower(e.backward)) for e in graph.edges]
    edges[0] = replace(edges[0], forward=replace(edges[0].forward, factor=edges[0].forward.factor * ratio))
    return replace(graph, edges=tuple(edges))


def test_a_plan_is_kept_while_little_changes() -> None:
    graph = figure2(d1=10, d2=20, d3=10, d4=10)
    first = choose(graph)
    assert "first plan" in first.reason
    assert "as last time" in choose(changed(graph, 1.2), first.memory).reason
    assert "as last time" in choose(graph.with_deltas({"1": 15, "2": 20, "3": 10, "4": 8}), first.memory).reason
    kept = choose(changed(graph, 1.2), first.memory)
    assert kept.plan.orders == first.plan.orders


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (changed(figure2(d1=10, d2=20), 1.3), "the join factor 1 → 2 went from 2 to 2.6"),
        (changed(figure2(d1=10, d2=20), 1.0, 1.5), "8 of 8 cost functions changed"),
        (figure2(d1=10), "2 has 0 changed rows, 20 when"),
        (figure2(d1=100, d2=20), "1 has 100 changed rows, 10 when"),
    ],
)
def test_a_plan_is_searched_again_beyond_the_thresholds(graph: ViewGraph, reason: str) -> None:
    assert reason in choose(graph, choose(figure2(d1=10, d2=20)).memory).reason


def test_a_plan_is_searched_again_when_greedy_does_better() -> None:
    graph = figure2(d1=10, d2=20, d4=10)
    worst = choose(graph, allowed=["sequential"]).memory
    assert "the greedy plan is estimated" in choose(graph, worst).reason


def test_explain_shows_graph_plan_runners_up_and_measures() -> None:
    decision = choose(figure2(d1=10, d2=20))
    asked = [Asked(("1",), "2", 10, 2, 20, 0.5)]
    text = explain.text(decision, asked)
    for part in ["1 in s1: 100 rows, 2 attributes, 10 changed", "2 → 1: join factor 3", "plan: ", "runners-up:", "mirror",
                 "measured: 1 queries, 0.5000 s", "2: 10 rows of 2 from 1 → 20 rows"]:  # fmt: skip
        assert part in text
    facts = explain.facts(decision, asked)
    assert json.loads(json.dumps(facts))["graph"]["nodes"][0]["name"] == "1"
    assert len(facts["graph"]["edges"]) == 8
    assert facts["plan"]["seconds"] == pytest.approx(decision.plan.seconds)


def test_the_drawing_is_well_formed_whatever_the_names() -> None:
    nodes = tuple(Node(n, 10, 1, 1) for n in ('<&">', "b" * 300))
    decision = choose(ViewGraph(nodes, undirected([(nodes[0].name, nodes[1].name)])))
    drawn = ElementTree.fromstring(svg(decision))
    assert len(drawn.findall("{http://www.w3.org/2000/svg}circle")) == 2
