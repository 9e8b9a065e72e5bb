"""Work that is begun before its turn: all at once, taken up if it is still what is asked for, told if it failed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get
from belvedere.algebra.types import Schema
from belvedere.engines.result import Metrics
from belvedere.engines.scan import Scan
from belvedere.errors import EngineError
from belvedere.warehouse.ahead import Ahead

T = Schema.of(a="bigint")
ONE, TWO = Get("one", T, T.names), Get("two", T, T.names)


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


@pytest.fixture
def ahead() -> Iterator[Ahead]:
    made = Ahead()
    yield made
    made.end()


def scan(get: Get) -> Scan:
    return Scan(get.schema)


def test_several_at_once(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", ONE, engine, scan)
    ahead.begin("w", TWO, engine, scan)
    assert ahead.run("v", ONE, engine, scan)[0].num_rows == 1
    assert ahead.run("w", TWO, engine, scan)[0].num_rows == 1
    assert len(engine.runs) == 2
    assert threading.get_ident() not in engine.threads
    assert ahead.spared > 5, "nobody waited for most of those ten seconds"


def test_what_is_asked_for_is_another_plan_by_now(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", ONE, engine, scan)
    assert ahead.run("v", TWO, engine, scan)[0].num_rows == 1
    assert engine.runs == [ONE, TWO]
    assert threading.get_ident() in engine.threads


def test_what_its_leaves_hold_is_other_by_now(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", ONE, engine, scan)
    more = Scan(T, tables=(pa.table({"c1": [1], "_w": [1]}),))
    assert ahead.run("v", ONE, engine, lambda _: more)[0].num_rows == 1
    assert threading.get_ident() in engine.threads, "done again"


def test_what_fails_is_told_at_its_turn(ahead: Ahead) -> None:
    engine: Any = Slow()
    ahead.begin("v", Get("bad", T, T.names), engine, scan)
    ahead.begin("w", TWO, engine, scan)
    assert ahead.run("w", TWO, engine, scan)[0].num_rows == 1
    with pytest.raises(EngineError, match="cannot be done"):
        ahead.run("v", Get("bad", T, T.names), engine, scan)
