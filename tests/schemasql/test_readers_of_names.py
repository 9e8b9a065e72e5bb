"""SQL views over a SchemaSQL view in which names change: what they must do again is what the names stand for, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import belvedere as bv

FLIGHTS = "create view CITY(Type, A) as select P, F.P from air-> A, air::A F, air::A-> P, F.city CITY where P <> 'city'"
LINES = "create view all::x(line, v) as select A, F.business from air-> A, air::A F"
#: a column that is named by a relation; whole rows; names as values, and without them
READERS = {
    "one": "select Type, BA from cities.paris",
    "count": "select Type, count(*) n, sum(LH) s from cities.paris group by Type",
    "names": "select line, v from all.x where v > 0",
    "nameless": "select v, count(*) n from all.x group by v",
    "joined": "select x.line, p.BA from all.x x join cities.paris p on p.BA = x.v",
}
SCHEMA = "city string, business int, economy int"


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[Any]:
    with bv.open(tmp_path / "wh", engine="duckdb") as warehouse:
        for line in ("BA", "LH"):
            warehouse.create_table(f"air.{line}", SCHEMA)
            with warehouse.transaction() as tx:
                tx.insert(f"air.{line}", [{"city": c, "business": 100, "economy": 50} for c in ("paris", "rome")])
        warehouse.create_view("cities", FLIGHTS, language="schemasql")
        warehouse.create_view("lines", LINES, language="schemasql")
        for name, text in READERS.items():
            warehouse.create_view(name, text)
        yield warehouse


def new(tx: Any) -> None:
    tx.add_relation("air.AF", SCHEMA)
    tx.insert("air.AF", [{"city": "paris", "business": 100, "economy": 7}, {"city": "oslo", "business": 8, "economy": 9}])


CHANGES: dict[str, Callable[[Any], None]] = {
    "a relation more": new,
    "a relation renamed": lambda tx: tx.rename_relation("air.AF", "air.KL"),
    "renamed, with rows": lambda tx: (tx.rename_relation("air.KL", "air.AF"),
                                      tx.insert("air.AF", {"city": "bonn", "business": 1, "economy": None})),
    "names change hands": lambda tx: (tx.rename_relation("air.LH", "air.tmp"), tx.rename_relation("air.AF", "air.LH"),
                                      tx.rename_relation("air.tmp", "air.AF")),
    "a relation less": lambda tx: tx.drop_relation("air.AF"),
}  # fmt: skip


def test_readers_follow_names_incrementally(wh: Any) -> None:
    for words, change in CHANGES.items():
        with wh.transaction() as tx:
            change(tx)
        wh.refresh("cities", "lines")
        for name in READERS:
            done = wh.view(name).refresh(strategy="incremental")
            assert done.strategy == "incremental", f"{words}: {name}"
            assert (wh.view(name).status, wh.view(name).verify().ok) == ("fresh", True), f"{words}: {name}"
    assert sorted(r["line"] for r in wh.view("names").rows()) == ["BA", "BA", "LH", "LH", "LH"]


def test_names_that_no_row_of_the_reader_has_cost_nothing_like_its_rows(wh: Any) -> None:
    rows = [{"city": f"city {n}", "business": n, "economy": n} for n in range(20_000)]
    with wh.transaction() as tx:
        tx.insert("air.BA", rows)
    wh.refresh()
    with wh.transaction() as tx:
        tx.add_relation("air.AF", SCHEMA)
        tx.insert("air.AF", {"city": "paris", "business": 100, "economy": 7})
    wh.refresh("lines")
    assert "incremental" in wh.view("names").explain()
    done = wh.view("names").refresh()
    assert (done.strategy, done.reason) == ("incremental", "the SchemaSQL view that it reads has other names in it now")
    assert done.rows_written == 1
    assert wh.view("names").verify().ok


def test_a_renamed_name_that_every_row_has_may_be_computed_anew(wh: Any) -> None:
    with wh.transaction() as tx:
        tx.rename_relation("air.BA", "air.BAW")
    wh.refresh()
    assert sorted({r["line"] for r in wh.view("names").rows()}) == ["BAW", "LH"]
    assert wh.view("names").verify().ok
    assert wh.view("one").status == "invalid"
    assert "BA" in wh.view("one").reason
