"""Small files as rows that go with a statement: the same rows, with the signs and columns that they have in the collection."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from belvedere.algebra.ops import Get
from belvedere.algebra.types import Column, Schema, parse_type
from belvedere.engines.scan import Scan
from belvedere.engines.spark import nearby as module
from belvedere.engines.spark.nearby import nearby
from belvedere.store.small_runs import SmallRuns

SCHEMA = Schema((Column("a", parse_type("bigint"), 1), Column("b", parse_type("string"), 2)))
LEAF = Get("t", SCHEMA, SCHEMA.names)


def written(path: Path, **columns: list[object]) -> str:
    pq.write_table(pa.table(columns), path)
    return str(path)


def rows(scan: Scan) -> list[dict[str, object]]:
    return [r for t in scan.tables for r in t.to_pylist()]


def test_rows_signs_and_columns(tmp_path: Path) -> None:
    full = written(tmp_path / "full.parquet", c1=[1, 2], c2=["x", None], c9=[0, 0], _w=[1, 2])
    gone = written(tmp_path / "gone.parquet", c1=[3], c2=["y"], _w=[1])
    before = written(tmp_path / "before.parquet", c1=pa.array([4], pa.int32()), _w=[1])  # type: ignore[arg-type]
    held = pa.table({"c1": [5], "c2": ["z"], "_w": [1]})
    whole = Scan(SCHEMA, files=(full, before), negative=(gone,), tables=(held,), rows=5)
    ask, spent = nearby(lambda _: whole, SmallRuns())
    found = ask(LEAF)
    assert (found.files, found.negative, found.rows, spent.files) == ((), (), 5, 3)
    assert rows(found) == [
        {"c1": 1, "c2": "x", "_w": 1}, {"c1": 2, "c2": None, "_w": 2}, {"c1": 3, "c2": "y", "_w": -1}, {"c1": 4, "_w": 1},
        {"c1": 5, "c2": "z", "_w": 1},
    ]  # fmt: skip
    assert all(t.schema.field("c1").type == pa.int64() for t in found.tables)
    assert ask(LEAF) is found, "read once"


@pytest.mark.parametrize("case", ["rows", "bytes", "missing", "broken"])
def test_what_stays_in_files(tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "run.parquet", c1=[1], c2=["x"], _w=[1])
    many = module.ROWS + 1 if case == "rows" else 1
    if case == "bytes":
        monkeypatch.setattr(module, "BYTES", 10)
    if case == "missing":
        Path(path).unlink()
    if case == "broken":
        Path(path).write_bytes(b"PAR1 and no more")
    whole = Scan(SCHEMA, files=(path,), rows=many)
    ask, spent = nearby(lambda _: whole, SmallRuns())
    assert ask(LEAF) is whole
    assert spent.files == 0
