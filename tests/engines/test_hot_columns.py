"""Columns kept in memory: what they find is what reading the file would, and they are kept only where that pays."""

from __future__ import annotations

import datetime as dt
import random
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import belvedere as bv
from belvedere.store import hot_columns
from belvedere.store.ascending import InOrder
from belvedere.store.hot_columns import HotColumns, Together
from belvedere.store.parquet import sort_rows

DAY = dt.date(2026, 1, 1)


def stored(path: Path, table: pa.Table, order: tuple[int, ...] = (1,)) -> tuple[str, pq.FileMetaData, pa.Table]:
    made = sort_rows(table, order)
    name = str(path / f"{random.random()}.parquet")
    pq.write_table(made, name, row_group_size=8)
    return name, pq.read_metadata(name), made


def numbers(r: random.Random, count: int) -> pa.Table:
    keys = [r.choice([*range(-3, 9), None]) for _ in range(count)]
    days = [None if k is None else DAY + dt.timedelta(days=k) for k in keys]
    kinds = {"c1": pa.array(keys, r.choice([pa.int64(), pa.int32(), pa.int8()])), "c2": pa.array(days, pa.date32())}
    weights = r.choice([[1], [1, 2], [1, -1]])
    return pa.table({**kinds, "c3": [str(n) for n in range(count)], "_w": [r.choice(weights) for _ in range(count)]})


@pytest.mark.parametrize("seed", range(60))
def test_what_is_found_is_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    r = random.Random(seed)
    path, meta, rows = stored(tmp_path, numbers(r, r.randrange(1, 60)))
    name = r.choice(["c1", "c2"])
    wanted = [r.choice([*range(-5, 11), None]) for _ in range(r.randrange(5))]
    values = [DAY + dt.timedelta(days=v) if name == "c2" and v is not None else v for v in dict.fromkeys(wanted)]
    found = HotColumns().find(path, meta, [(name, pa.array(values, rows.schema.field(name).type))], ["c3", "_w", name])
    assert found is not None
    expected = [x for x in rows.select(["c3", "_w", name]).to_pylist() if x[name] in values]
    assert sorted(found.to_pylist(), key=str) == sorted(expected, key=str)


def test_rows_that_two_keys_find_are_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    path, meta, _ = stored(tmp_path, pa.table({"c1": [1, 1, 2, 3], "c2": [5, 6, 6, 7], "_w": [1, 1, 1, 1]}))
    keys = [("c1", pa.array([1])), ("c2", pa.array([6, 7]))]
    found = HotColumns().find(path, meta, keys, ["c1", "c2"])
    assert found is not None
    assert found.to_pylist() == [{"c1": 1, "c2": 5}, {"c1": 1, "c2": 6}, {"c1": 2, "c2": 6}, {"c1": 3, "c2": 7}]


def test_what_is_not_sorted_or_not_whole_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    table = pa.table({"c1": [1, 2, 3], "c2": [3, 1, 2], "c3": ["a", "b", "c"], "c4": [None, 1, None], "_w": [1, 1, 1]})
    table = table.append_column("c5", pa.array(["b", "a", "c"]))
    path, meta, _ = stored(tmp_path, table)
    hot = HotColumns()
    assert hot.find(path, meta, [("c2", pa.array([1]))], ["c1"]) is None
    assert hot.find(path, meta, [("c5", pa.array(["a"]))], ["c1"]) is None
    assert hot.find(path, meta, [("c3", pa.array(["a"]))], ["c1"]) is not None
    assert hot.find(path, meta, [("c4", pa.array([1]))], ["c1"]) is None
    assert hot.find(path, meta, [("c1", pa.array([1]))], ["c1"]) is not None


def test_a_file_is_kept_once_lookups_have_read_as_much_as_it_has(tmp_path: Path) -> None:
    path, meta, _ = stored(tmp_path, pa.table({"c1": range(100), "_w": [1] * 100}))
    hot, keys = HotColumns(), [("c1", pa.array([7, 8]))]
    hot.note(path, 99)
    assert hot.find(path, meta, keys, ["c1"]) is None
    hot.note(path, 1)
    assert hot.find(path, meta, keys, ["c1"]) is not None
    hot.drop(path)
    assert hot.find(path, meta, keys, ["c1"]) is None


def test_columns_leave_for_others_and_too_large_ones_do_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    hot = HotColumns(capacity=1000)
    files = [stored(tmp_path, pa.table({"c1": range(n * 100, n * 100 + 60), "_w": [1] * 60})) for n in range(4)]
    for _ in range(2):
        for n, (path, meta, _) in enumerate(files):
            found = hot.find(path, meta, [("c1", pa.array([n * 100 + 5]))], ["c1", "_w"])
            assert found is not None
            assert found.to_pylist() == [{"c1": n * 100 + 5, "_w": 1}]
            assert hot._bytes <= 1000
    path, meta, _ = stored(tmp_path, pa.table({"c1": range(200), "_w": [1] * 200}))
    assert hot.find(path, meta, [("c1", pa.array([5]))], ["c1"]) is None


def test_lookups_that_find_too_much_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    monkeypatch.setattr(hot_columns, "FOUND", 3)
    path, meta, _ = stored(tmp_path, pa.table({"c1": [1, 1, 1, 1, 2], "_w": [1] * 5}))
    assert HotColumns().find(path, meta, [("c1", pa.array([1]))], ["c1"]) is None
    assert HotColumns().find(path, meta, [("c1", pa.array([2]))], ["c1"]) is not None


#: of the larger table in `joined`
ROWS = 200_000


def joined(wh: bv.Warehouse) -> None:
    """A view that looks up the keys of one table in another."""
    wh.create_table("big", "k bigint, v bigint", key=["k"])
    wh.create_table("small", "k bigint")
    wh.load("big", pa.table({"k": range(ROWS), "v": [n % 97 for n in range(ROWS)]}))
    wh.create_view("joined", "select s.k, b.v from small s join big b on s.k = b.k")


def test_many_keys_read_only_what_they_find(tmp_path: Path) -> None:
    """2,000 keys scattered over 200,000 rows: every row group has some of them, and after a while none is read."""
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        joined(wh)
        read = []
        for turn in range(4):
            with wh.transaction() as tx:
                tx.insert("small", pa.table({"k": range(turn, ROWS, 100)}))
            read.append(wh.view("joined").refresh().rows_read)
            assert wh.view("joined").verify().ok
        assert read[-1] <= 3 * ROWS // 100, read


def test_a_column_that_cannot_be_searched_can_be_found_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    path, meta, _ = stored(tmp_path, pa.table({"c1": [1, 2, 3], "c2": [3, 1, 2], "_w": [1, 1, 1]}))
    hot = HotColumns()
    assert hot.find(path, meta, [("c2", pa.array([1]))], ["c1"]) is None
    found = hot.find(path, meta, [("c1", pa.array([2]))], ["c1", "c2"])
    assert found is not None
    assert found.to_pylist() == [{"c1": 2, "c2": 1}]


def test_keys_that_the_column_cannot_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    path, meta, _ = stored(tmp_path, pa.table({"c1": pa.array([-128, 0, 127], pa.int8()), "_w": [1, 1, 1]}))
    found = HotColumns().find(path, meta, [("c1", pa.array([-129, -128, 127, 128, 255, 2**40]))], ["c1"])
    assert found is not None
    assert found.column("c1").to_pylist() == [-128, 127]


def test_columns_that_do_not_fit_together_are_not_read_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    hot, read = HotColumns(capacity=1000), []
    whole = hot_columns._whole_column
    monkeypatch.setattr(hot_columns, "_whole_column", lambda *a: read.append(a[1]) or whole(*a))
    path, meta, _ = stored(tmp_path, pa.table({"c1": range(60), "c2": range(60), "c3": range(60), "_w": [1] * 60}))
    for _ in range(3):
        assert hot.find(path, meta, [("c1", pa.array([5]))], ["c1", "c2", "c3"]) is None
    assert sorted(read) == ["c1", "c2", "c3"]
    assert hot.find(path, meta, [("c1", pa.array([5]))], ["c1", "c2"]) is not None


def test_large_files_are_read_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    monkeypatch.setattr(hot_columns, "AT_ONCE", 10)
    path, meta, _ = stored(tmp_path, pa.table({"c1": range(60), "c2": range(60), "_w": [1] * 60}))
    gone, also, _ = stored(tmp_path, pa.table({"c1": range(60), "_w": [1] * 60}))
    hot, keys = HotColumns(), [("c1", pa.array([5]))]
    Path(gone).unlink()
    assert hot.find(path, meta, keys, ["c1", "c2"]) is None
    assert hot.find(gone, also, keys, ["c1"]) is None
    hot.settle()
    assert hot.find(path, meta, keys, ["c1", "c2"]) is None  # the other column is asked for once the first is there
    hot.settle()
    found = hot.find(path, meta, keys, ["c1", "c2"])
    assert found is not None
    assert found.to_pylist() == [{"c1": 5, "c2": 5}]
    assert hot.find(gone, also, keys, ["c1"]) is None
    hot.close()
    assert hot._bytes == 0


def test_what_lookups_will_ask_for_is_read_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "AT_ONCE", 10)
    path, meta, _ = stored(tmp_path, pa.table({"c1": range(60), "c2": range(60), "_w": [1] * 60}))
    hot = HotColumns()
    hot.note(path, 59)
    hot.expect(path, meta, ["c1", "c2", "_w"])
    hot.settle()
    assert hot._bytes == 0, "it has not been read through yet"
    hot.note(path, 1)
    hot.expect(path, meta, ["c1", "c2", "_w"])
    hot.settle()
    found = hot.find(path, meta, [("c1", pa.array([5]))], ["c1", "c2", "_w"])
    assert found is not None
    assert found.to_pylist() == [{"c1": 5, "c2": 5, "_w": 1}]


def test_columns_of_few_rows_are_read_before_those_of_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "READ", 0)
    monkeypatch.setattr(hot_columns, "AT_ONCE", 10)
    whole, begun, free, read = hot_columns._whole_column, threading.Event(), threading.Event(), []

    def slowly(path: str, name: str, most: int) -> pa.Array | None:
        read.append((path, name))
        begun.set()
        assert free.wait(60)
        return whole(path, name, most)

    monkeypatch.setattr(hot_columns, "_whole_column", slowly)
    large, of_large, _ = stored(tmp_path, pa.table({"c1": range(90), "c2": range(90), "_w": [1] * 90}))
    small, of_small, _ = stored(tmp_path, pa.table({"c1": range(20), "_w": [1] * 20}))
    hot = HotColumns()
    hot.expect(large, of_large, ["c1", "c2"])
    assert begun.wait(60)
    hot.expect(small, of_small, ["c1"])
    hot.expect(large, of_large, ["c1", "c2"])  # what is read just now is not asked for again
    free.set()
    hot.settle()
    assert read == [(large, "c1"), (small, "c1"), (large, "c2")]
    hot.close()


def test_many_keys_are_found_in_memory_by_the_second_refresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_columns, "AT_ONCE", 10_000)
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        joined(wh)
        for first in range(2):
            with wh.transaction() as tx:
                tx.insert("small", pa.table({"k": range(first, ROWS, 100)}))
            report = wh.view("joined").refresh()
            wh.core.duckdb._narrow.hot.settle()
        assert report.rows_read <= 3 * ROWS // 100
        assert wh.view("joined").verify().ok


@pytest.mark.parametrize("seed", range(60))
def test_several_columns_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Text, numbers and days, NULL among them: what is wanted is found, and nothing else where the file is sorted by all."""
    monkeypatch.setattr(hot_columns, "READ", 0)
    r = random.Random(seed)
    texts, whole = ["", "a", "b", "é", "\U0001f600", None], [-(2**40), -1, 0, 3, None]
    days = [DAY, DAY + dt.timedelta(days=400), None]

    def row() -> tuple[str | None, int | None, dt.date | None]:
        return r.choice(texts), r.choice(whole), r.choice(days)

    there = [row() for _ in range(r.randrange(1, 80))]
    kinds = {"c1": pa.string(), "c2": pa.int64(), "c3": pa.date32()}
    table = pa.table({n: pa.array([x[i] for x in there], t) for i, (n, t) in enumerate(kinds.items())})
    table = table.append_column("_w", pa.array([1] * len(there), pa.int64()))
    order = r.choice([(1, 2, 3), (3, 1, 2), (2, 3, 1)])
    path, meta, rows = stored(tmp_path, table, order)
    names = list(kinds)[: r.choice([1, 2, 3])] if order == (1, 2, 3) else list(kinds)
    r.shuffle(names)
    wanted = [row() for _ in range(r.randrange(6))] + [(texts[1], 77, days[0])]
    asked = pa.table({n: pa.array([x[int(n[1]) - 1] for x in wanted], kinds[n]) for n in names})
    found = HotColumns().find(path, meta, [("", Together(asked))], ["c1", "c2", "c3"])
    assert found is not None
    keys = {tuple(x[n] for n in names) for x in asked.to_pylist()}
    expected = [x for x in rows.select(["c1", "c2", "c3"]).to_pylist() if tuple(x[n] for n in names) in keys]
    mine = [x for x in found.to_pylist() if tuple(x[n] for n in names) in keys]
    assert sorted(mine, key=str) == sorted(expected, key=str)
    assert found.num_rows <= max(len(expected), hot_columns.ENOUGH * asked.num_rows)


@pytest.mark.parametrize("seed", range(20))
def test_rows_in_memory_are_bisected(seed: int) -> None:
    r = random.Random(seed)
    table = sort_rows(numbers(r, r.randrange(1, 60)), (1,))
    values = pa.array(list(dict.fromkeys(r.choice([*range(-5, 11), None]) for _ in range(4))), table.schema.field("c1").type)
    known = InOrder(capacity=r.choice([0, 1 << 20]))
    for _ in range(2):  # also by what is remembered
        found = known.find("f", 0, table, table.column_names, "c1", values)
        assert found is not None
        expected = (x for x in table.to_pylist() if x["c1"] in values.to_pylist())
        assert sorted(found.to_pylist(), key=str) == sorted(expected, key=str)
        assert known.find("f", 0, table, table.column_names, "c3", pa.array(["1"])) is None
    mixed = table.take(pa.array([*range(1, table.num_rows), 0]))
    rows = mixed.column("c1").to_pylist()
    in_order = sorted(rows, key=lambda v: (v is not None, v or 0)) == rows
    assert (known.find("f", 1, mixed, ["c1"], "c1", values) is None) is not in_order, "another part is another column"
    known.drop({"f"})
    assert not known._known
    assert known._bytes == 0
