"""Small runs are merged without an engine, to the same rows."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import belvedere as bv
from belvedere.engines.duckdb.engine import DuckDBEngine
from belvedere.store.few_rows import net_rows

KINDS = {
    "bigint": [None, 0, 1, -7], "string": [None, "", "a", "é"], "date": [None, date(1, 1, 1), date(2026, 2, 3)],
    "decimal(9,2)": [None, Decimal("0.00"), Decimal("-1.50")], "boolean": [None, True, False],
}  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_the_same_rows_as_the_engine_gives(tmp_path: Path, seed: int) -> None:
    r = random.Random(seed)
    kinds = r.sample(list(KINDS), r.randrange(1, 5))
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("t", ", ".join(f"x{i} {k}" for i, k in enumerate(kinds)))
        found = wh.registry.collection("t")
        runs = []
        for n in range(r.randrange(1, 9)):
            count = r.randrange(0, 9)
            types = [found.physical.field(i).type for i in range(len(kinds))]
            arrays = [pa.array([r.choice(KINDS[k]) for _ in range(count)], t) for k, t in zip(kinds, types, strict=True)]
            weights = pa.array([r.choice([1, 2, -1, -2]) for _ in range(count)], pa.int64())
            run = pa.Table.from_arrays([*arrays, weights], schema=found.physical)
            runs.append(run.drop_columns(["c1"]) if n == 0 and len(kinds) > 1 and seed % 3 == 0 else run)
        sums: dict[tuple[object, ...], int] = {}
        for run in runs:
            for row in run.to_pylist():
                key = tuple(row.get(n) for n in found.physical.names if n != "_w")
                sums[key] = sums.get(key, 0) + row["_w"]
        net = net_rows(found, runs)
        assert net is not None
        assert net.schema.equals(found.physical)
        mine = {tuple(row[n] for n in net.column_names if n != "_w"): row["_w"] for row in net.to_pylist()}
        assert mine == {k: w for k, w in sums.items() if w}
        assert len(mine) == net.num_rows


def test_floating_numbers_are_left_to_the_engine(tmp_path: Path) -> None:
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("t", "x double")
        assert net_rows(wh.registry.collection("t"), []) is None


def test_many_small_runs_become_one_without_a_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    merging: list[bool] = []
    one, net = DuckDBEngine._one, DuckDBEngine.net

    def noted(self: DuckDBEngine, *given: Any) -> Any:
        asked.extend(merging)
        return one(self, *given)

    def summed(self: DuckDBEngine, *given: Any) -> pa.Table | None:
        merging.append(True)
        rows = net(self, *given)
        merging.clear()
        return rows

    monkeypatch.setattr(DuckDBEngine, "_one", noted)
    monkeypatch.setattr(DuckDBEngine, "net", summed)
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("t", "id bigint, name string", key="id")
        wh.create_table("f", "id bigint, x double", key="id")
        for n in range(8):
            with wh.transaction() as tx:
                tx.insert("t", [{"id": n, "name": None if n % 2 else "x"}])
        (run,) = wh.core.store.runs(wh.registry.collection("t"), wh.core.store.epoch)
        assert wh.core.small_runs.read(run.path).num_rows == 8
        assert not asked
        for n in range(8):
            with wh.transaction() as tx:
                tx.insert("f", [{"id": n, "x": 0.5}])
        assert asked  # of floating numbers the engine says which are equal
