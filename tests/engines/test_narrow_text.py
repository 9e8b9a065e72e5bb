"""Lookups by text open the row groups that can hold the keys, however far apart these are, and so do the steps of a plan."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import belvedere as bv
from belvedere.algebra.types import Double, String
from belvedere.engines.duckdb.narrow import _Keys
from belvedere.store.row_groups import RowGroups

#: rows in a row group
GROUP = 8192


def written(path: Path, texts: list[str | None]) -> str:
    pq.write_table(pa.table({"c1": pa.array(texts, pa.string())}), path / "x.parquet", row_group_size=4)
    return str(path / "x.parquet")


def test_bounds_of_text(tmp_path: Path) -> None:
    bounds = RowGroups().bounds(written(tmp_path, [None, "", "\x00", "a", "b", "é", "ﬀ", "\U0001f600", "\U0001f600b"]), "c1")
    assert bounds is not None
    assert [sorted(bounds.holding([t], null=False)) for t in ("", "a", "aa", "c", "￿", "\U0001f600", "\U0001f600c")] == [
        [0], [0], [], [1], [1], [1], []
    ]  # fmt: skip
    assert bounds.holding([], null=True) == {0}
    assert bounds.holding([5], null=False) == {0, 1, 2}  # the column was of another type once


def test_a_long_text_may_be_cut_off_in_the_footer(tmp_path: Path) -> None:
    bounds = RowGroups().bounds(written(tmp_path, ["a", "b", "c", "d" * 65]), "c1")
    assert bounds is not None
    assert bounds.holding(["x"], null=False) == {0}


def test_values_without_bounds_may_be_anywhere() -> None:
    assert _Keys("c1", Double(), pa.array([1.5])).bounded is None
    assert _Keys("c1", String(), pa.array(["x", None])).bounded == ["x"]


@pytest.fixture
def view(tmp_path: Path) -> object:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("few", "k string, v bigint")
        wh.create_table("many", "k string, v bigint")
        wh.load("many", [{"k": f"k{n:06}", "v": n} for n in range(10 * GROUP)])
        yield wh, wh.create_view("joined", "select few.v a, many.v b from few join many on few.k = many.k")


def test_keys_far_apart_read_a_few_row_groups(view: tuple[bv.Warehouse, bv.View]) -> None:
    wh, joined = view
    for _ in range(2):
        with wh.transaction() as tx:
            tx.insert("few", [{"k": "k000001", "v": 1}, {"k": f"k{10 * GROUP - 2:06}", "v": 2}])
        report = joined.refresh(strategy="incremental")
        assert report.rows_read <= 2 * GROUP + 10
    assert len(joined.rows()) == 4
