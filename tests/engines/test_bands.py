"""Rows between the ends of a band, looked up before the statement: the same as without, whatever the ends are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date
from decimal import ROUND_DOWN, Context, Decimal, Inexact, localcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.support import run_of, with_ids
from tests.engines.test_narrow import result

import belvedere as bv
from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Get, Join, Project, keep
from belvedere.algebra.scalar import cols
from belvedere.algebra.types import Schema, parse_schema
from belvedere.algebra.typing import scalar
from belvedere.engines.bands import band, least_and_most
from belvedere.engines.duckdb import DuckDBEngine, narrow
from belvedere.engines.scan import Scan
from belvedere.store import hot_columns
from belvedere.store.parquet import sort_rows

#: type of the rows' column, what it is compared as, type of the ends
KINDS = [
    ("int", "x", "int"),
    ("tinyint", "x", "tinyint"),
    ("bigint", "cast(x as decimal(22,2))", "decimal(22,2)"),
    ("int", "cast(x as bigint)", "bigint"),
    ("decimal(5,2)", "cast(x as decimal(9,4))", "decimal(9,4)"),
    ("decimal(5,2)", "x", "decimal(5,2)"),
    ("date", "x", "date"),
]


#: types in which the values of these tests have a place
TIGHTER = {"bigint": "tinyint", "int": "decimal(4,1)", "decimal(5,2)": "decimal(4,2)"}


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    made = DuckDBEngine(threads=1)
    yield made
    made.close()


def value(r: random.Random, kind: str) -> Any:
    if r.random() < 0.15:
        return None
    if kind == "date":
        return date(2026, 1, r.randrange(1, 9))
    if not kind.startswith("decimal"):
        return r.randrange(-4, 5)
    scale = int(kind.rstrip(")").split(",")[1])
    return (Decimal(r.randrange(-400, 401)) / 100).quantize(Decimal(1).scaleb(-scale)) + Decimal(r.randrange(3)).scaleb(-scale)


def case(r: random.Random, directory: Path) -> tuple[Node, dict[str, Scan]]:
    kind, x, end = r.choice(KINDS)
    stored = with_ids(parse_schema(f"x {kind}, y int"))
    held = with_ids(parse_schema(f"low {end}, high {end}, sum bigint"))
    rows = run_of(stored, [(value(r, kind), r.randrange(3), r.choice([1, 1, 2, -1])) for _ in range(40)])
    path = str(directory / f"{r.random()}.parquet")
    pq.write_table(sort_rows(rows, r.choice([(1,), (2,)])), path, row_group_size=8)
    more = run_of(stored, [(value(r, kind), 1, 1) for _ in range(2)])
    ends = run_of(held, [(value(r, end), value(r, end), r.choice([0, 0, 0, 1]), 1) for _ in range(r.choice([0, 1, 1, 1, 1, 2]))])
    left: Node = Get("rows", stored, stored.names)
    if r.random() < 0.5:
        left = Filter(left, scalar("y <> 1", left.schema))
    if r.random() < 0.5:
        # NULL, or the same value as one of another type
        tighter = [f"cast(x as {TIGHTER[kind]})"] if kind in TIGHTER else []
        text = r.choice(["x", "case when y = 0 then null else x end", *tighter])
        left = Project(left, tuple((n, scalar(text, left.schema) if n == "x" else s) for n, s in cols(left.schema)))
        x = x if left.schema["x"].type == stored["x"].type else f"cast(x as {end})" if end != TIGHTER[kind] else "x"
    right = Get("ends", held, held.names, "delta")
    both = Schema((*left.schema.columns, *right.schema.columns))
    on = scalar(f"({x} >= low and {x} <= high) or sum <> 0", both)
    pair = (left, right) if r.random() < 0.7 else (right, left)
    return keep(Join(*pair, on), left.schema.names), {
        "rows": Scan(stored, files=(path,), tables=(more,), rows=42),
        "ends": Scan(held, tables=(ends,), rows=ends.num_rows),
    }


@pytest.mark.parametrize("seed", range(40))
def test_the_same_rows_as_without(engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    r = random.Random(seed)
    for _ in range(4):
        node, found = case(r, tmp_path)
        plain = result(engine, node, found)
        with monkeypatch.context() as m:
            m.setattr(narrow, "NEAR", 0)
            m.setattr(narrow, "WHOLE", 10)
            assert result(engine, node, found) == plain, str(node)
            m.setattr(hot_columns, "READ", 0)
            assert result(engine, node, found) == plain, str(node)


def test_rows_outside_are_not_read(engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrow, "NEAR", 0)
    monkeypatch.setattr(narrow, "WHOLE", 10)
    monkeypatch.setattr(hot_columns, "READ", 0)
    left = 0
    r = random.Random(7)
    for _ in range(60):
        node, found = case(r, tmp_path)
        near, _ = engine.narrowed(node, lambda get, found=found: found[get.name])  # type: ignore[misc]
        rows = next(g for g in node.walk() if isinstance(g, Get) and g.name == "rows")
        left += near(rows).rows < 42
    assert left > 30


@pytest.mark.parametrize("context", [Context(prec=6, rounding=ROUND_DOWN), Context(prec=28, traps=[Inexact])])
def test_ends_do_not_depend_on_the_context_of_the_caller(context: Context) -> None:
    wide, narrow_ = (parse_schema(f"x {k}")["x"].type for k in ("decimal(38,2)", "decimal(12,2)"))
    with localcontext(context):
        assert least_and_most(narrow_, 0, Decimal("9999999999.50")) == (0, Decimal("9999999999.50"))
        assert least_and_most(wide, 1, 2) == (1, 2)


def test_days_that_python_does_not_have(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("s", "id bigint, d date")
        wh.load("t", pa.table({"id": range(20_000), "d": [date(2026, 1, 1 + n % 28) for n in range(20_000)]}))
        wh.execute("insert into s values (1, date '2026-01-05')")
        wh.create_view("v", "select id, d from t where d < (select date_add(max(d), 3000000) from s)")
        wh.execute("insert into s values (2, date '2026-01-07')")
        assert wh.view("v").refresh(strategy="incremental").strategy == "incremental"
        assert wh.view("v").verify().ok


@pytest.mark.parametrize(
    ("columns", "condition"),
    [
        ("x double", "(x >= low and x <= high) or sum <> 0"),  # two zeros, and NaN
        ("x decimal(9,4)", "(cast(x as decimal(5,2)) >= low and cast(x as decimal(5,2)) <= high) or sum <> 0"),  # it is rounded
        ("x decimal(5,2), z decimal(5,2)", "(x >= low and z <= high) or sum <> 0"),
        ("x decimal(5,2)", "(x >= low and x <= high) or sum <> 1"),
        ("x decimal(5,2)", "(x >= low and x <= high) or low <> 0 or sum <> 0"),
        ("x decimal(5,2)", "x >= low and x <= high"),
        ("x decimal(5,2)", "(x > low and x <= high) or sum <> 0"),
        ("x decimal(5,2)", "(abs(x) >= low and abs(x) <= high) or sum <> 0"),
    ],
)
def test_what_is_no_band(columns: str, condition: str) -> None:
    kind = "double" if "double" in columns else "decimal(5,2)"
    ends = f"low {kind}, high {kind}, sum bigint"
    rows = parse_schema(columns)
    assert band(scalar(condition, parse_schema(f"{columns}, {ends}")), rows, parse_schema(ends)) is None


@pytest.mark.parametrize(
    ("kind", "low", "high", "expected"),
    [
        ("int", Decimal("-1.5"), Decimal("1.5"), (-2, 2)),
        ("tinyint", -1000, 1000, (-128, 127)),
        ("decimal(4,1)", Decimal("-1.26"), Decimal("1.26"), (Decimal("-1.3"), Decimal("1.3"))),
        ("decimal(3,1)", -(Decimal(10) ** 30), Decimal(10) ** 30, (Decimal("-99.9"), Decimal("99.9"))),
        ("date", date(2026, 1, 1), date(2026, 1, 2), (date(2026, 1, 1), date(2026, 1, 2))),
    ],
)
def test_ends_that_the_column_cannot_have(kind: str, low: Any, high: Any, expected: tuple[Any, Any]) -> None:
    assert least_and_most(parse_schema(f"x {kind}")["x"].type, low, high) == expected


def test_groups_that_a_moving_total_does_not_reach_are_not_read(tmp_path: Path) -> None:
    """What a group shows is made of its stored partial values: NULL or the sum, as a narrower type."""
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        rows = 20_000
        wh.create_table("t", "id bigint, g bigint, v decimal(9,2)", key="id")
        wh.load("t", pa.table({"id": range(rows), "g": range(rows), "v": [Decimal(n % 997) for n in range(rows)]}))
        share = "select g, sum(v) s from t group by g having sum(v) > (select sum(v) * 0.00005 from t)"
        view = wh.create_view("v", share)
        read = []
        for turn in range(4):
            wh.execute(f"update t set v = v + 400 where id = {turn}")
            report = view.refresh(strategy="incremental")
            read.append(report.rows_read)
            assert view.verify().ok
        assert read[-1] < 500
