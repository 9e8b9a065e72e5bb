"""Two processes that refresh one warehouse: what one has read and let be forgotten is no lost log to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.servers.sites import LogicalSite
from tests.sources.conftest import MakeSite

import belvedere as bv
from belvedere.sources.postgres.logical import snapshot as module


@pytest.fixture
def site(make_site: MakeSite) -> LogicalSite:
    found = make_site("logical")
    assert isinstance(found, LogicalSite)
    found.execute("create table t (id integer primary key, n integer)", "insert into t values (1, 1), (2, NULL)")
    return found


@contextmanager
def in_between(act: Callable[[], None]) -> Iterator[None]:
    """Do something once, after the next snapshot was taken and before its slot is read."""
    original, done = module.flushed, False

    def flushed(connection: object) -> int:
        nonlocal done
        if not done:
            done = True
            act()
        return original(connection)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "flushed", flushed)
        yield
    assert done


@pytest.mark.parametrize("mirror", [True, False])
def test_the_slower_one_starts_again(wh: bv.Warehouse, site: LogicalSite, tmp_path: Path, mirror: bool) -> None:
    wh.attach("s", site.url, mirror=mirror)
    view = wh.create_view("v", "select count(*) n, sum(t.n) s from s.t t join s.t u on t.id = u.id")
    [slot] = site.fetch("select slot_name from pg_replication_slots where database = current_database()")
    site.execute("insert into t values (3, 3)")
    with bv.open(tmp_path / "wh", engine="duckdb") as other:

        def faster() -> None:
            site.execute("insert into t values (4, 4)")
            other.refresh()

        with in_between(faster), pytest.raises(bv.Conflict, match="run it again"):
            wh.refresh()
        assert site.fetch("select slot_name from pg_replication_slots where database = current_database()") == [slot]
        site.execute("delete from t where id = 1")
        [report] = wh.refresh()
        assert "slot" not in report.reason, "no log was lost"
        assert view.rows() == [{"n": 3, "s": 7}]
        assert view.verify().ok
        assert [s.compared for s in wh.sync()] == [{}]
        assert other.view("v").rows() == view.rows()
