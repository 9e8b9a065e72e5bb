"""Closures as paths make them: seeds are bindings found in the edges, steps are edges joined with the moves of an automaton."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.closure.graphs import fixpoint, unproved
from tests.closure.language import closures, text
from tests.closure.test_views import stored

import belvedere as bv
from belvedere.maintenance.reach import Row, Step

Edge = tuple[str, str, str]
Move = tuple[int, str, int]

SEEDS = "select distinct target src, cast(0 as int) state, target node from edges where source = 'n0' and label = 'x'"
STEPS = "select m.s1, e.source, m.s2, e.target from edges e join moves m on e.label = m.label where m.s1 < 9"


def meaning(edges: set[Edge], moves: set[Move]) -> tuple[set[Row], set[Step]]:
    seeds = {(t, 0, t) for s, label, t in edges if (s, label) == ("n0", "x")}
    return seeds, {(s1, s, s2, t) for s, label, t in edges for s1, by, s2 in moves if by == label}


@pytest.mark.parametrize("number", range(4))
def test_random_changes(tmp_path: Path, number: int) -> None:
    random = Random(number)
    nodes = [f"n{i}" for i in range(random.randint(3, 7))]

    def edge() -> Edge:
        return random.choice(nodes), random.choice("xyz"), random.choice(nodes)

    edges = {edge() for _ in range(10)}
    moves: set[Move] = {(0, "x", 0), (0, "y", 1), (1, "y", 1)}
    with closures(), bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("edges", "source string, label string, target string", key=("source", "label", "target"))
        wh.create_table("moves", "s1 int, label string, s2 int")
        with wh.transaction() as tx:
            tx.insert("edges", [dict(zip(("source", "label", "target"), e, strict=True)) for e in sorted(edges)])
            tx.insert("moves", [dict(zip(("s1", "label", "s2"), m, strict=True)) for m in sorted(moves)])
        wh.create_view("v", text("plain", SEEDS, STEPS), mode="immediate")
        place = next(i for i, s in enumerate(wh.registry.definition("v").plan.stages) if s.kind == "closure")
        for _ in range(10):
            seeds, steps = meaning(edges, moves)
            rows = stored(wh, "v", place)
            assert set(rows) == fixpoint(seeds, steps)
            assert unproved(rows, seeds, steps) == []
            gone = {e for e in sorted(edges) if random.random() < random.choice([0, 0.1, 0.4])}
            new = {edge() for _ in range(random.choice([0, 1, 3]))} - edges
            with wh.transaction() as tx:
                tx.delete("edges", key=sorted(gone))
                tx.insert("edges", [dict(zip(("source", "label", "target"), e, strict=True)) for e in sorted(new)])
                if random.random() < 0.3:
                    other = (0, "z", random.choice([0, 1]))
                    moves ^= {other}
                    if other in moves:
                        tx.insert("moves", [dict(zip(("s1", "label", "s2"), other, strict=True))])
                    else:
                        tx.delete("moves", where=f"s1 = 0 and label = 'z' and s2 = {other[2]}")
            edges = (edges - gone) | new
        assert wh.view("v").verify().ok
        assert {h["strategy"] for h in wh.view("v").history()} >= {"incremental"}
