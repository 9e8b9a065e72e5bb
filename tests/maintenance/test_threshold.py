"""Rows compared with one value of all of them: they change where they lie between the old value and the new one, only there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.maintenance.statements import change

import belvedere as bv

OPERATORS = (">", ">=", "<", "<=", "<>")
COLUMNS = {
    "n": ("bigint", ["0", "1", "2", "3", "4", "null"]),
    "d": ("decimal(9,2)", ["0", "1.5", "1.51", "2", "-3", "null"]),
    "f": ("double", ["0", "-0.0D", "1.5", "double('nan')", "double('-infinity')", "null"]),
    "s": ("string", ["''", "'a'", "'b'", "'B'", "'ab'", "null"]),
    "t": ("date", ["date'2024-01-01'", "date'2024-01-02'", "date'2023-12-31'", "null"]),
}
OF_ALL = {"n": "avg", "d": "avg", "f": "max", "s": "min", "t": "max"}


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        columns = ", ".join(f"{c} {kind}" for c, (kind, _) in COLUMNS.items())
        wh.create_table("rows", f"id bigint, {columns}", key="id")
        wh.create_table("other", f"k bigint, {columns}")
        yield wh


def changed(wh: bv.Warehouse, rng: random.Random) -> None:
    """One to three statements."""
    values = {c: vs for c, (_, vs) in COLUMNS.items()}
    for _ in range(rng.randint(1, 3)):
        place = str(rng.randrange(8))
        if rng.random() < 0.5:
            change(wh, rng, "rows", values, f"id = {place}", key=place)
        else:
            change(wh, rng, "other", {"k": [place], **values}, f"k = {place}")


def views(operator: str) -> dict[str, str]:
    made = {}
    for c, fn in OF_ALL.items():
        value = f"(select {fn}({c}) from rows)"
        made[f"mine_{c}"] = f"select id, {c} from rows where {c} {operator} {value}"
        made[f"turned_{c}"] = f"select {c} from rows where (select {fn}({c}) from other) {operator} {c}"
        made[f"kept_{c}"] = f"select {c}, {value} one from rows where {c} {operator} {value}"
    value = "(select avg(n) from rows where n > 0)"
    made["absent"] = (
        f"select n, count(*) c from rows r where n {operator} {value} "
        "and not exists (select 1 from other o where o.k = r.id) group by n"
    )
    made["having"] = f"select d, sum(n) s from rows group by d having sum(n) {operator} (select sum(n) * 0.3 from rows)"
    made["pairs"] = f"select rows.id from rows join other on rows.n {operator} other.n"
    made["joined"] = f"select r.id from rows r join other o on r.id = o.k where r.n + o.n {operator} (select avg(n) from other)"
    made["twice"] = f"select id from rows where n {operator} (select avg(n) from rows) and n < (select max(k) from other)"
    return made


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("seed", range(3))
def test_equals_recomputation(wh: bv.Warehouse, operator: str, seed: int) -> None:
    rng = random.Random(f"{operator}{seed}")
    for name, text in views(operator).items():
        wh.create_view(name, text)
    for turn in range(12):
        changed(wh, rng)
        for view in wh.views():
            view.refresh(strategy="incremental")
            found = view.verify()
            assert found.ok, f"{view.name} after change {turn} of seed {operator}{seed}: {found}"


def test_only_what_lies_between_is_looked_up_further(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("person", "id bigint, wealth bigint", key="id")
        wh.create_table("visit", "person bigint, day bigint")
        with wh.transaction() as tx:
            tx.insert("person", [{"id": i, "wealth": i} for i in range(40_000)])
            tx.insert("visit", [{"person": i % 20_000 * 2, "day": i} for i in range(60_000)])
        away = "not exists (select 1 from visit where person = id)"
        wh.create_view("rich", f"select id, wealth from person where wealth > (select avg(wealth) from person) and {away}")
        for turn in range(2):
            wh.execute(f"update person set wealth = wealth + 1 where id = {turn}")
            report = wh.view("rich").refresh(strategy="incremental")
            assert wh.view("rich").verify().ok
        read = {s.name: s.rows_read for s in report.steps}
        assert read["rich$2"] < 80_000, "the persons, to see which of them lie between, and the visits of those only"
