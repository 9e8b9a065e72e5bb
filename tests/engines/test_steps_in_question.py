"""What is large and hangs on a change that there is not makes no steps of a plan."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from tests.engines.support import bag

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, Join, Keys, SemiJoin, UnionAll
from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.algebra.typing import scalar
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.engines.duckdb.steps import LARGE, in_question, worth_steps
from belvedere.engines.scan import Scan

STORED = Schema((Column("a", BigInt(), 1),))


def leaf(name: str, version: str, column: str, by: tuple[str, ...] = ()) -> Get:
    return Get(name, Schema((Column(column, BigInt()),)), ("a",), version, by)


def rows(*values: int) -> Scan:
    table = pa.table({"c1": pa.array(values, pa.int64()), "_w": pa.array([1] * len(values), pa.int64())})
    return Scan(STORED, tables=(table,) if values else (), rows=len(values))


KEY = Column("k", BigInt())
CHANGE, OTHER = leaf("t", "delta", "x"), leaf("u", "delta", "y")
WHOLE = leaf("t", "new", "x")
FEW = leaf("v", "new", "z")


def plan() -> Node:
    """The change joined with a few rows; and all that there is, if there is another change."""
    joined = Join(CHANGE, FEW, scalar("x = z", Schema((*CHANGE.schema.columns, *FEW.schema.columns))))
    asked = SemiJoin(WHOLE, OTHER, scalar("true", WHOLE.schema))
    keys = Keys(joined, (("k", scalar("z", joined.schema)),))
    return UnionAll((SemiJoin(CHANGE, keys, scalar("x <=> k", Schema((*CHANGE.schema.columns, KEY)))), asked))


def test_without_the_other_change_nothing_large_is_left() -> None:
    scans = {CHANGE: rows(1, 2), OTHER: rows(), WHOLE: rows(*range(LARGE + 1)), FEW: rows(2, 3)}
    node = plan()
    left = in_question(node, scans.__getitem__)
    assert worth_steps(node, scans.__getitem__)
    assert not worth_steps(left, scans.__getitem__)
    assert in_question(node, scans.__getitem__) is left  # so its statement is known by itself
    with_other = {**scans, OTHER: rows(7)}
    assert in_question(node, with_other.__getitem__) is node
    few = {**scans, WHOLE: rows(1, 2, 3)}
    assert in_question(node, few.__getitem__) is node  # one statement for whatever has changed
    engine = DuckDBEngine(threads=1)
    assert bag(engine.run(node, scans.__getitem__)[0]) == bag(engine.run(replace(node), few.__getitem__)[0])
    assert engine.run(node, with_other.__getitem__)[0].num_rows == LARGE + 2
    engine.close()
