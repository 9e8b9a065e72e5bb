"""kill -9 at every named point of the creation and the refresh of views that join databases, and at random ones: every change of
every database counts exactly once, whichever of the views was killed before the others had read it."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from tests.servers.sites import Site
from tests.sources import crash
from tests.sources.conftest import MakeSite
from tests.sources.remote.shops import JOIN, TOTALS, attach, entries, joined, rows

import belvedere as bv

#: how often a process is killed at random; `BELVEDERE_KILLS=100` for a longer look
KILLS = int(os.environ.get("BELVEDERE_KILLS", "6"))
AROUND = ("commit.marker", "commit.file", "commit.staged", "commit.sql", "commit.published", "commit.finished")
SYNC = ("sync.read", "sync.read:2", "sync.published", "sync.pruned")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "killed"


def begun(path: Path, sales: Site, crm: Site) -> None:
    """Two views over the same tables, and changes that neither has read."""
    with bv.open(path, engine="duckdb") as wh:
        attach(wh, sales, crm)
        wh.create_view("v", JOIN)
        wh.create_view("totals", TOTALS)
    change(sales, crm, 6)


def change(sales: Site, crm: Site, number: int) -> None:
    new = f"({number}, 'ann', 1), ({number + 1}, 'c{number}', 2)"
    sales.execute(f"insert into orders values {new}", "delete from orders where id = 1")
    crm.execute(f"insert into customers values ('c{number}', 'Ulm')", "update customers set city = 'Rom' where name = 'bob'")


def check(path: Path, sales: Site, crm: Site) -> None:
    """One more refresh brings what is missing, and only that; then it goes on as ever."""
    with bv.open(path, engine="duckdb") as wh:
        for round in range(2):
            for name in ("totals", "v"):
                wh.view(name).refresh(strategy="incremental")
            found = joined(sales, crm)
            assert rows(wh.view("v")) == found
            assert sum(r["total"] or 0 for r in wh.view("totals").rows()) == sum(r[2] or 0 for r in found)
            assert wh.view("v").verify().ok
            assert wh.view("totals").verify().ok
            assert all(s.total == 0 for s in wh.sync())
            assert (entries(sales), entries(crm)) == (0, 0)
            change(sales, crm, 1_000_000 + 10 * round)


@pytest.mark.parametrize(
    ("what", "point"), [*(("refresh", p) for p in (*AROUND, *SYNC)), *(("sync", p) for p in (*SYNC, "commit.sql"))]
)
def test_killed_in_a_refresh(path: Path, make_site: MakeSite, what: str, point: str) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    begun(path, sales, crm)
    in_files = point in ("commit.marker", "commit.file", "commit.finished")  # otherwise the catalog holds what is written
    assert crash.in_process(path, "", what, point, in_files=in_files), f"{what} never passes {point}"
    change(sales, crm, 50)
    check(path, sales, crm)


@pytest.mark.parametrize("point", ["sync.read:2", "commit.sql", "sync.published"])
@pytest.mark.parametrize("systems", [("postgres", "mariadb"), ("mariadb", "postgres"), ("logical", "sqlite")])
def test_killed_with_servers(path: Path, make_site: MakeSite, systems: tuple[str, str], point: str) -> None:
    sales, crm = map(make_site, systems)
    begun(path, sales, crm)
    late = sales.begin()
    late.execute("insert into orders values (70, 'bob', 1)")
    sales.execute("insert into orders values (80, 'bob', 1)")
    assert crash.in_process(path, "", "refresh", point)
    late.commit()
    late.close()
    check(path, sales, crm)


@pytest.mark.parametrize("point", [*AROUND, "sync.read:2"])
def test_killed_while_a_view_is_made(path: Path, make_site: MakeSite, point: str) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    with bv.open(path, engine="duckdb") as wh:
        attach(wh, sales, crm)
        wh.create_view("totals", TOTALS)
    in_files = point in ("commit.marker", "commit.file", "commit.finished")
    assert crash.in_process(path, JOIN, "create", point, in_files=in_files)
    change(sales, crm, 50)
    with bv.open(path, engine="duckdb") as wh:
        if point not in ("commit.published", "commit.finished"):
            assert [v.name for v in wh.views()] == ["totals"]
            wh.create_view("v", JOIN)
    check(path, sales, crm)


@pytest.mark.parametrize("point", ["sync.watched", "commit.sql", "sync.published"])
def test_killed_while_a_lost_log_is_made_again(path: Path, make_site: MakeSite, point: str) -> None:
    sales, crm = make_site("sqlite"), make_site("sqlite")
    begun(path, sales, crm)
    for name in sales.objects():
        if name.endswith("_ai"):
            sales.execute(f"drop trigger {name}")
    sales.execute("insert into orders values (90, 'bob', 1)")
    assert crash.in_process(path, "", "refresh", point)
    sales.execute("insert into orders values (91, 'bob', 1)")
    with bv.open(path, engine="duckdb") as wh:
        wh.refresh()
    check(path, sales, crm)


@pytest.mark.parametrize("systems", [("sqlite", "sqlite"), ("postgres", "mariadb"), ("logical", "logical")])
def test_killed_at_any_time(path: Path, make_site: MakeSite, systems: tuple[str, str]) -> None:
    sales, crm = map(make_site, systems)
    rng, number = random.Random(5), 100
    begun(path, sales, crm)
    for _ in range(KILLS):
        process = crash.start(path, "", "on and on")
        until = time.monotonic() + 0.3 + rng.random()
        while time.monotonic() < until:
            number += 10
            change(sales, crm, number)
            sales.execute(f"delete from orders where id = {rng.randrange(number)}")
        process.kill()
        process.join()
        assert process.exitcode == -9, "it ended by itself"
        with bv.open(path, engine="duckdb") as wh:
            wh.refresh("v")
            assert rows(wh.view("v")) == joined(sales, crm)
    check(path, sales, crm)
