"""What is kept in memory of files that went: not let go while views may still be asked what they were, then let go, twice."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

import belvedere as bv
from belvedere.store import small_runs
from belvedere.store.gone import LATE, SOON, WAITING, Gone


def told(gone: Gone, epoch: int, oldest: int | None = None) -> list[str]:
    return sorted(gone.tell(epoch, lambda: epoch if oldest is None else oldest))


def test_a_while_after_it_went_and_once_more() -> None:
    gone = Gone()
    gone.note(1, ["a", "b"], 10)
    gone.note(2, ["x"], 10)
    assert told(gone, 10 + LATE) == [], "they are there"
    gone.note(1, ["ab"], 11)
    assert told(gone, 11) == []
    assert told(gone, 10 + SOON) == []
    assert told(gone, 11 + SOON) == ["a", "b"]
    assert told(gone, 12 + SOON) == [], "told already"
    assert told(gone, 11 + LATE) == ["a", "b"], "somebody may have asked for it since"
    assert told(gone, 12 + LATE) == []


def test_it_waits_for_views_that_are_of_before_but_not_for_ever() -> None:
    gone = Gone()
    gone.note(1, ["a"], 10)
    gone.note(1, ["b"], 20)
    assert told(gone, 20 + SOON, 19) == [], "a view was not refreshed since"
    gone.note(1, ["c"], 30)
    assert told(gone, 30 + SOON, 20) == ["a"]
    assert told(gone, 29 + WAITING, 20) == []
    assert told(gone, 30 + WAITING, 20) == ["b"]


def test_a_collection_that_is_no_more() -> None:
    gone = Gone()
    gone.note(1, ["a"], 1)
    gone.note(2, ["x"], 1)
    gone.only([2], 2)
    assert told(gone, 2 + SOON) == ["a"]


def test_memory_holds_little_but_what_there_is(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id bigint, k bigint, x bigint", key="id")
        with wh.transaction() as tx:
            tx.insert("t", [{"id": i, "k": i % 50, "x": i} for i in range(20_000)])
        wh.create_view("v", "select k, sum(x) s from t group by k")
        wh.create_view("w", "select id, x from t where x % 2 = 0")
        kept = wh.core.small_runs._kept
        for turn in range(40):
            wh.execute(f"update t set x = x + 1 where id % 10 = {turn % 10}")
            wh.refresh()
        store = wh.core.store
        live = {r.path for c in store.collections() for r in store.reader.runs(c.id, None)}
        dead = [p for p in kept if p not in live]
        assert len(dead) <= 12, "only what went with the last changes"
        assert wh.view("v").verify().ok
        assert wh.view("w").verify().ok


def test_nothing_is_kept_of_rows_and_footers_that_went(tmp_path: Path) -> None:
    """Lookups keep row groups, footers and what they found; the log keeps runs that it has decoded."""
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id bigint, k bigint, x bigint", key="id")
        wh.create_table("u", "k bigint, y bigint", key="k")
        wh.load("t", [{"id": i, "k": i % 5_000, "x": i} for i in range(40_000)])
        wh.load("u", [{"k": i, "y": i} for i in range(5_000)])
        wh.create_view("v", "select t.k, sum(x) s, sum(y) r from t join u on t.k = u.k group by t.k")
        for turn in range(100):
            wh.execute(f"update u set y = y + 1 where k % 50 = {turn % 50}")
            wh.execute(f"update t set x = x + 1 where id between {turn * 100} and {turn * 100 + 300}")
            wh.view("v").refresh(strategy="incremental")
        store, engine = wh.core.store, wh.core.duckdb
        live = {r.path for c in store.collections() for r in store.reader.runs(c.id, None)}
        groups, finds = engine._narrow.groups, engine._narrow._finds
        kept = {
            "runs": [run.path for _, run in store.reader._runs.values()],
            "footers": list(engine._footers._known),
            "files": list(groups._files),
            "rows": [key[0] for key in groups._rows],
            "finds": [path for files, _, _ in finds for path in files],
        }
        assert len(store.reader._runs) > 0
        for what, paths in kept.items():
            dead = set(paths) - live
            assert len(dead) <= 30, f"{what}: only what went with the last changes"
        assert groups._bytes == sum(t.nbytes for t in groups._rows.values())
        assert engine._narrow._bytes == sum(f.bytes for f in finds.values())
        assert wh.view("v").verify().ok


def test_views_that_are_refreshed_one_by_one_find_what_went_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them takes an epoch, and the last ones ask what there was before the merge as the first did."""
    read: list[str] = []

    def opened(path: str) -> pq.ParquetFile:
        read.append(path)
        return pq.ParquetFile(path)

    monkeypatch.setattr(small_runs, "pq", SimpleNamespace(ParquetFile=opened))
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id bigint, k bigint, x bigint", key="id")
        wh.create_table("u", "k bigint, y bigint", key="k")
        for n in range(8):
            wh.create_view(f"v{n}", f"select t.id, x + {n} z, y from t join u on t.k = u.k")
        with wh.transaction() as tx:
            tx.insert("t", [{"id": i, "k": i % 50, "x": i} for i in range(3_000)])
            tx.insert("u", [{"k": i, "y": i} for i in range(50)])
        wh.refresh()
        before = {r.path for c in ("t", "u") for r in wh.core.store.runs(wh.registry.collection(c))}
        for turn in range(12):
            wh.execute(f"update t set x = x + 1 where id % 100 = {turn}")
            wh.execute(f"update u set y = y + 1 where k = {turn}")
            for n in range(8):
                wh.view(f"v{n}").refresh(strategy="incremental")
        assert before.isdisjoint(r.path for c in ("t", "u") for r in wh.core.store.runs(wh.registry.collection(c))), "merged"
        assert read == []
        assert wh.view("v7").verify().ok
