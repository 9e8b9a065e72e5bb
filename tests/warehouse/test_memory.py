"""The memory that work in this process may take."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest

import belvedere as bv
from belvedere.engines.duckdb import DuckDBEngine, engine
from belvedere.engines.spark import SparkEngine
from belvedere.errors import OutOfMemory

ROWS = 300_000


def limit(wh: bv.Warehouse) -> str:
    return str(wh.core.duckdb.query_text("select current_setting('memory_limit') m").to_pylist()[0]["m"])


def filled(wh: bv.Warehouse) -> None:
    """60 MB of text."""
    wh.create_table("t", "id int, s string", key="id")
    texts = [f"{i * 7919 % ROWS:0200d}" for i in range(ROWS)]
    wh.load("t", pa.table({"id": pa.array(range(ROWS), pa.int32()), "s": texts}))


@pytest.mark.filterwarnings("ignore:files are not merged for now")
def test_what_is_larger_goes_to_disk(tmp_path: Path) -> None:
    """Groups of 60 MB within as much, which takes twice that."""
    with bv.open(tmp_path / "wh", engine="duckdb", memory="64MB") as wh:
        assert limit(wh) == "61.0 MiB"
        filled(wh)
        v = wh.create_view("v", "select s, count(*) n, max(id) m from t group by s")
        assert wh.query("select count(*) n, sum(n) s from v").rows() == [{"n": ROWS, "s": ROWS}]
        wh.execute("update t set s = concat('x', s) where id < 1000")
        v.refresh(strategy="incremental")
        assert wh.query("select count(*) n, sum(n) s from v where s like 'x%'").rows() == [{"n": 1000, "s": 1000}]


def test_what_is_done_stays_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merging comes after publishing: that there is no memory for it is said, and is no reason to fail."""

    def fail(*_: object, **__: object) -> None:
        raise OutOfMemory("more than there is")

    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id int", key="id")
        monkeypatch.setattr(wh.core.store, "maintain", fail)
        with pytest.warns(UserWarning, match="files are not merged for now, so reading them takes longer: more than there is"):
            wh.load("t", [{"id": 1}])
        assert wh.query("select * from t").rows() == [{"id": 1}]


def test_too_little_is_told(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        filled(wh)  # that would take more at times, too
    with bv.open(tmp_path / "wh", engine="duckdb", memory="40MB") as wh:
        with pytest.raises(bv.BelvedereError, match=r"more memory than it may take.*memory=.*BELVEDERE_MEMORY.*Spark"):
            wh.query("select collect_list(s) l from t").arrow()
        assert wh.query("select count(*) n from t").rows() == [{"n": ROWS}]


def test_set_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_MEMORY", "1GiB")
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        assert limit(wh) == "1.0 GiB"
    with bv.open(tmp_path / "wh", engine="duckdb", memory="2 GiB") as wh:
        assert limit(wh) == "2.0 GiB"


@pytest.mark.parametrize("size", ["lots", "-1GB", "4", "1GB; drop table t"])
def test_no_size(tmp_path: Path, size: str) -> None:
    with pytest.raises(bv.BelvedereError, match="is no size; write a number and a unit"):
        bv.open(tmp_path / "wh", memory=size)
    assert not (tmp_path / "wh").exists()


def test_the_limit_holds_beside_spark(tmp_path: Path) -> None:
    """What is merged in this process for a warehouse on Spark has the same limit; Spark need not start for it."""
    with bv.open(tmp_path / "wh", engine="spark", memory="2 GiB") as wh:
        found = wh.core.spark._driver.query_text("select current_setting('memory_limit') m").to_pylist()
    assert found == [{"m": "2.0 GiB"}]


def out_of_memory(*_: object, **__: object) -> None:
    raise OutOfMemory("more than there is")


@pytest.mark.spark
def test_what_does_not_fit_moves_to_spark(tmp_path: Path, spark_engine: SparkEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the warehouse may use it; the report says so."""
    with bv.open(tmp_path / "wh", engine="auto", spark=spark_engine.session) as wh:
        wh.create_table("t", "id int, x int", key="id")
        wh.load("t", pa.table({"id": pa.array(range(9), pa.int32()), "x": pa.array([n % 3 for n in range(9)], pa.int32())}))
        v = wh.create_view("v", "select x, count(*) n from t group by x")

        def refreshed(**how: str) -> bv.Refresh:
            with monkeypatch.context() as m:
                m.setattr(wh.core.duckdb, "run", out_of_memory)  # Spark has one of its own for what is small
                return v.refresh(**how)

        wh.execute("delete from t where id = 4")
        report = refreshed()
        assert (report.strategy, report.engine) == ("incremental", "spark")
        assert "moved to Spark" in report.steps[0].rule
        wh.execute("delete from t where id = 5")
        again = refreshed(strategy="recompute")
        assert (again.engine, "moved to Spark" in again.steps[0].rule) == ("spark", True)
        wh.execute("delete from t where id = 6")
        with pytest.raises(bv.BelvedereError, match="more than there is"):
            refreshed(engine="duckdb")  # a wish is a wish
        v.refresh()
        assert wh.query("select x, n from v order by x").rows() == [{"x": 0, "n": 2}, {"x": 1, "n": 2}, {"x": 2, "n": 2}]


def test_without_spark_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id int", key="id")
        v = wh.create_view("v", "select count(*) n from t")
        wh.load("t", [{"id": 1}])
        with monkeypatch.context() as m:
            m.setattr(wh.core.duckdb, "run", out_of_memory)
            with pytest.raises(bv.BelvedereError, match="more than there is"):
                v.refresh()
        v.refresh()
        assert v.rows() == [{"n": 1}]


STATM = Path("/proc/self/statm")


@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is read from /proc")
def test_what_a_large_statement_took_is_given_back() -> None:
    """The thread that asks keeps what its part of a statement took, as none of DuckDB's own would."""

    def resident() -> int:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    duck = DuckDBEngine(threads=1)
    rows = "select i * 7919 % 999983 k, i v, 'text ' || i s from range(1000000) t(i)"
    text = f"select count(*) n from (select k, max(s) s, sum(v) v from ({rows}) group by k order by s)"
    assert duck.query_text(text).to_pylist() == [{"n": 999_983}]
    held = resident()
    duck.give_back()
    assert held - resident() > 20_000_000
    duck.close()
    duck.give_back()


def test_large_merges_give_back_and_limits_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    give_back = DuckDBEngine.give_back

    def noted(self: DuckDBEngine) -> None:
        give_back(self)
        given.append(str(self.query_text("select current_setting('memory_limit') m").to_pylist()[0]["m"]))

    monkeypatch.setattr(DuckDBEngine, "give_back", noted)
    for memory in (None, "1GB"):
        with bv.open(tmp_path / f"wh{memory}", engine="duckdb", memory=memory) as wh:
            before = limit(wh)
            wh.load("t", pa.table({"k": range(100_000), "x": range(100_000)}), key="k")
            wh.execute("update t set x = x + 1 where k < 100")
            wh.upkeep.settle()
            assert given == [], "a small change is not merged yet"
            wh.execute("update t set x = x + 1 where k < 60000")
            wh.upkeep.rest()
            assert given == [before]
            wh.upkeep.rest()
            assert given == [before], "there is nothing more to give back"
            given.clear()


def test_duckdb_begins_anew_when_it_knows_much_of_files_that_went(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "DEAD", 50)
    opened: list[object] = []
    connect = DuckDBEngine._connect

    def noted(self: DuckDBEngine, threads: int) -> object:
        opened.append(connect(self, threads))
        return opened[-1]

    monkeypatch.setattr(DuckDBEngine, "_connect", noted)
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.register_function("plus_one", lambda x: x + 1, ["bigint"], "bigint")
        wh.load("t", pa.table({"k": range(200_000), "x": range(200_000)}), key="k")
        v = wh.create_view("v", "select k, plus_one(x) y from t where k % 3 = 0")
        for turn in range(6):
            wh.execute(f"update t set x = x + {turn} where k % 2 = 0")
            v.refresh()
            wh.upkeep.settle()
        assert len(opened) > 2, "there are two at a time"
        assert len(wh.core.duckdb._databases) <= 2, "what was closed is not held on to"
        assert v.verify().ok
