"""kill -9 at every named point of attach, sync, refresh and detach, and at random ones: every change counts exactly once."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from tests.servers.sites import Site
from tests.sources import crash
from tests.sources.conftest import MakeSite
from tests.sources.helpers import same, shop

import belvedere as bv
from belvedere.store.faults import SOURCES

#: how often a process is killed at random; `BELVEDERE_KILLS=100` for a longer look
KILLS = int(os.environ.get("BELVEDERE_KILLS", "6"))
VIEW = "select customer, count(*) n, sum(amount) s from s.orders group by customer"
AROUND = ("commit.marker", "commit.file", "commit.staged", "commit.sql", "commit.published", "commit.finished")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "killed"


def attached(path: Path, site: Site) -> None:
    shop(site)
    with bv.open(path, engine="duckdb") as wh:
        wh.attach("s", site.url, mirror=True)
        wh.create_view("v", VIEW)
    site.execute("insert into orders values (5, 'ann', 1), (6, 'eve', 2)", "delete from orders where id = 1")


def check(path: Path, site: Site) -> None:
    """One more sync brings what is missing, and only that; then it goes on as ever."""
    with bv.open(path, engine="duckdb") as wh:
        for _ in range(2):
            wh.refresh()
            same(wh, "s", site, "orders", "customers")
            assert wh.view("v").verify().ok
            assert wh.sync()[0].total == 0
            site.execute("update orders set amount = 50 where id = 5", "delete from orders where id = 2")


def test_all_points_of_sources_are_here() -> None:
    assert set(SOURCES) == {
        "attach.recorded", "attach.watched", "attach.loaded", "sync.read", "sync.watched", "sync.published", "sync.pruned",
        "detach.unwatched",
    }  # fmt: skip


@pytest.mark.parametrize("what", ["sync", "refresh"])
@pytest.mark.parametrize("point", [*AROUND, "sync.read", "sync.published", "sync.pruned"])
def test_killed_in_a_sync(path: Path, make_site: MakeSite, what: str, point: str) -> None:
    site = make_site("sqlite")
    attached(path, site)
    in_files = point in ("commit.marker", "commit.file", "commit.finished")  # otherwise the catalog holds what is written
    assert crash.in_process(path, site.url, what, point, in_files=in_files), f"{what} never passes {point}"
    check(path, site)


@pytest.mark.parametrize("point", ["sync.read", "commit.sql", "sync.published"])
@pytest.mark.parametrize("system", ["postgres", "mariadb", "logical"])
def test_killed_in_a_sync_with_a_server(path: Path, make_site: MakeSite, system: str, point: str) -> None:
    site = make_site(system)
    attached(path, site)
    late = site.begin()
    late.execute("insert into orders values (70, 'late', 1)")
    site.execute("insert into orders values (80, 'early', 1)")
    assert crash.in_process(path, site.url, "refresh", point)
    late.commit()
    late.close()
    check(path, site)


@pytest.mark.parametrize("point", ["sync.watched", "commit.sql", "sync.published"])
def test_killed_while_a_lost_log_is_made_again(path: Path, make_site: MakeSite, point: str) -> None:
    site = make_site("sqlite")
    attached(path, site)
    for name in site.objects():
        if name.endswith("_ai"):
            site.execute(f"drop trigger {name}")
    assert crash.in_process(path, site.url, "sync", point)
    site.execute("insert into orders values (90, 'after', 1)")
    check(path, site)


@pytest.mark.parametrize("point", ["attach.recorded", "attach.watched", "attach.loaded", "commit.sql:2", "commit.published:2"])
def test_killed_while_attaching(path: Path, make_site: MakeSite, point: str) -> None:
    site = make_site("sqlite")
    shop(site)
    assert crash.in_process(path, site.url, "attach", point)
    site.execute("insert into orders values (5, 'ann', 1)")
    with bv.open(path, engine="duckdb") as wh:
        [info] = wh.sources()
        if point != "commit.published:2":
            assert (info.state, wh.tables(), wh.sync()) == ("attaching", [], [])
            with pytest.raises(bv.BelvedereError, match="interrupted; detach it and attach it again"):
                wh.attach("s", site.url)
            wh.detach("s")
            assert (site.objects(), wh.sources()) == ([], [])
            wh.attach("s", site.url, mirror=True)
        wh.create_view("v", VIEW)
    check(path, site)


@pytest.mark.parametrize("point", ["detach.unwatched", "commit.sql:2"])
def test_killed_while_detaching(path: Path, make_site: MakeSite, point: str) -> None:
    site = make_site("sqlite")
    attached(path, site)
    assert crash.in_process(path, site.url, "detach", point)
    with bv.open(path, engine="duckdb") as wh:
        wh.sync()
        same(wh, "s", site, "orders")
        wh.detach("s")
        assert (site.objects(), wh.sources(), wh.tables()) == ([], [], [])


@pytest.mark.parametrize("system", ["sqlite", "postgres", "mariadb", "logical"])
def test_killed_at_any_time(path: Path, make_site: MakeSite, system: str) -> None:
    site, rng = make_site(system), random.Random(5)
    attached(path, site)
    number = 100
    for _ in range(KILLS):
        process = crash.start(path, site.url, "on and on")
        until = time.monotonic() + 0.3 + rng.random()
        while time.monotonic() < until:
            number += 1
            site.execute(
                f"insert into orders values ({number}, 'c{number % 3}', {number})",
                f"delete from orders where id = {rng.randrange(number)}",
            )
        process.kill()
        process.join()
        assert process.exitcode == -9, "it ended by itself"
        with bv.open(path, engine="duckdb") as wh:
            wh.refresh()
            same(wh, "s", site, "orders")
    check(path, site)
