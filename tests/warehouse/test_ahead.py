"""Work that is begun before its turn: all at once, taken up if it is still what is asked for, told if it failed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, UnionAll, gets
from belvedere.algebra.types import Column, Schema, Void
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.errors import EngineError
from belvedere.warehouse.ahead import Ahead

T = Schema.of(a="bigint")
#: read whole, and large: each has a statement of its own
ONE, TWO = Get("one", T, T.names), Get("two", T, T.names)
#: small ones, which become one statement
FEW, SOME = Get("few", T, T.names), Get("some", T, T.names)


class Slow:
    """An engine that works on two plans at a time, or not at all."""

    name = "slow"

    def __init__(self) -> None:
        self.both = threading.Barrier(2, timeout=30)
        self.runs: list[Node] = []
        self.threads: set[int] = set()

    def run(self, node: Node, resolve: Callable[[Get], Scan], *, measured: bool = True) -> tuple[pa.Table, Metrics]:
        self.runs.append(node)
        self.threads.add(threading.get_ident())
        assert isinstance(node, Get)
        resolve(node)
        self.both.wait()
        if node.name == "bad":
            raise EngineError("it cannot be done")
        return pa.table({"a": [len(node.name)]}), Metrics(seconds=5.0)


class OneByOne:
    """An engine that has a row for each leaf of a plan, and fails where one of them is bad."""

    name = "one by one"

    def __init__(self) -> None:
        self.runs: list[Node] = []

    def run(self, node: Node, resolve: Callable[[Get], Scan], *, measured: bool = True) -> tuple[pa.Table, Metrics]:
        self.runs.append(node)
        if any(g.name == "bad" for g in gets(node)):
            raise EngineError("it cannot be done")
        if isinstance(node, Get):
            return pa.table({"a": [len(node.name)], "_w": [1]}), Metrics(seconds=1.0, jobs=1)
        assert isinstance(node, UnionAll)
        lengths = [len(gets(p)[0].name) for p in node.parts]
        table = pa.table({"plan": list(range(len(lengths))), "c0": lengths, "_w": [1] * len(lengths)})
        return table, Metrics(seconds=len(lengths) * 1.0, jobs=1, rows_read=7)


@pytest.fixture
def ahead() -> Iterator[Ahead]:
    made = Ahead()
    yield made
    made.end()


def scan(get: Get) -> Scan:
    return Scan(get.schema, rows=1_000_000 if get.name in ("one", "two", "bad") else 3)


def small(get: Get) -> Scan:
    return Scan(get.schema, rows=3)


def test_several_at_once(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", ONE, engine, scan)
    ahead.begin("w", TWO, engine, scan)
    ahead.start()
    assert ahead.run("v", ONE, engine, scan)[0].num_rows == 1
    assert ahead.run("w", TWO, engine, scan)[0].num_rows == 1
    assert len(engine.runs) == 2
    assert threading.get_ident() not in engine.threads
    assert ahead.spared > 5, "nobody waited for most of those ten seconds"


def test_what_is_asked_for_is_another_plan_by_now(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", ONE, engine, scan)
    ahead.start()
    assert ahead.run("v", TWO, engine, scan)[0].num_rows == 1
    assert engine.runs == [ONE, TWO]
    assert threading.get_ident() in engine.threads


def test_what_its_leaves_hold_is_other_by_now(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", ONE, engine, scan)
    ahead.start()
    more = Scan(T, tables=(pa.table({"c1": [1], "_w": [1]}),))
    assert ahead.run("v", ONE, engine, lambda _: more)[0].num_rows == 1
    assert threading.get_ident() in engine.threads, "done again"


def test_what_fails_is_told_at_its_turn(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", Get("bad", T, T.names), engine, scan)
    ahead.begin("w", TWO, engine, scan)
    ahead.start()
    assert ahead.run("w", TWO, engine, scan)[0].num_rows == 1
    with pytest.raises(EngineError, match="cannot be done"):
        ahead.run("v", Get("bad", T, T.names), engine, scan)


def test_small_ones_are_one_statement(ahead: Ahead) -> None:
    engine: Any = OneByOne()
    ahead.begin("v", FEW, engine, scan)
    ahead.begin("w", SOME, engine, scan)
    ahead.start()
    table, first = ahead.run("v", FEW, engine, scan)
    assert ahead.together
    assert table.to_pydict() == {"a": [3], "_w": [1]}
    table, second = ahead.run("w", SOME, engine, scan)
    assert table.to_pydict() == {"a": [4], "_w": [1]}
    assert len(engine.runs) == 1
    assert [(m.jobs, m.rows_read, m.seconds) for m in (first, second)] == [(1, 7, 1.0), (0, 0, 1.0)], "counted once"


@pytest.mark.parametrize("order", ["vwx", "wvx", "vxw"])
def test_a_large_one_is_not_among_them(ahead: Ahead, order: str) -> None:
    engine: Any = OneByOne()
    plans = {"v": FEW, "w": ONE, "x": SOME}
    for target in order:
        ahead.begin(target, plans[target], engine, scan)
    ahead.start()
    for target in order:
        ahead.run(target, plans[target], engine, scan)
    assert sorted(type(n).__name__ for n in engine.runs) == ["Get", "UnionAll"]


def test_leaves_that_hold_something_else_for_another_view_are_apart(ahead: Ahead) -> None:
    engine: Any = OneByOne()
    ahead.begin("v", FEW, engine, small)
    ahead.begin("w", FEW, engine, lambda g: Scan(g.schema, rows=2))
    ahead.start()
    ahead.run("v", FEW, engine, small)
    assert not ahead.together
    ahead.run("w", FEW, engine, lambda g: Scan(g.schema, rows=2))
    assert engine.runs == [FEW, FEW]


def test_if_one_of_several_fails_each_does_its_own(ahead: Ahead) -> None:
    engine: Any = OneByOne()
    bad = Get("bad", T, T.names)
    ahead.begin("v", bad, engine, small)
    ahead.begin("w", SOME, engine, small)
    ahead.start()
    assert ahead.run("w", SOME, engine, small)[0].to_pydict() == {"a": [4], "_w": [1]}
    assert not ahead.together
    with pytest.raises(EngineError, match="cannot be done"):
        ahead.run("v", bad, engine, small)
    assert len(engine.runs) == 3


def test_a_plan_with_a_column_of_no_type_is_not_among_them(ahead: Ahead) -> None:
    engine: Any = OneByOne()
    nothing = Schema((Column("a", Void()),))
    for target, node in (("v", FEW), ("w", Get("none", nothing, nothing.names)), ("x", SOME)):
        ahead.begin(target, node, engine, small)
    ahead.start()
    ahead.run("w", Get("none", nothing, nothing.names), engine, small)
    assert not ahead.together
    ahead.run("v", FEW, engine, small)
    assert ahead.together
