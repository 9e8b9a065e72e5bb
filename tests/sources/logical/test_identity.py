"""Attaching makes the replica identity of tables whole; detaching puts back what there was, once nobody follows them any more."""

from __future__ import annotations

from pathlib import Path

from tests.servers.sites import Site
from tests.sources.conftest import MakeSite
from tests.sources.helpers import same

import belvedere as bv

IDENTITIES = """select relname, relreplident::text, (select i.indexrelid::regclass::text from pg_index i where i.indrelid = c.oid
                and i.indisreplident) from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1"""


def identities(site: Site) -> list[tuple[object, ...]]:
    return site.fetch(IDENTITIES)


def test_what_there_was_comes_back(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("logical")
    for name in ("by_default", "by_index", "by_lost_index", "by_nothing", "by_all", "\"It's\""):
        site.execute(f"create table {name} (id integer primary key, k integer not null)")
    site.execute(
        'create unique index "My ""k""" on by_index (k)', 'alter table by_index replica identity using index "My ""k"""',
        "create unique index lost on by_lost_index (k)", "alter table by_lost_index replica identity using index lost",
        "alter table by_nothing replica identity nothing", "alter table by_all replica identity full",
    )  # fmt: skip
    before = identities(site)
    wh.attach("s", site.url, mirror=True)
    assert {kind for _, kind, _ in identities(site)} == {"f"}
    site.execute("insert into by_nothing values (1, 1)", "update by_nothing set k = 2", "insert into by_index values (1, 1)")
    assert wh.sync()[0].total == 2
    site.execute("drop index lost")
    wh.detach("s")
    assert identities(site) == [("by_lost_index", "d", None) if r[0] == "by_lost_index" else r for r in before]
    assert site.objects() == ["identity of by_all"]


def test_the_last_one_puts_it_back(wh: bv.Warehouse, make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site("logical")
    site.execute("create table t (id integer primary key, n integer)", "create table gone (id integer primary key)")
    before = [r for r in identities(site) if r[0] == "t"]
    with bv.open(tmp_path / "other", engine="duckdb") as other:
        wh.attach("s", site.url, mirror=True)
        other.attach("x", site.url, mirror=True)
        site.execute("insert into t values (1, 1)", "drop table gone")
        wh.detach("s")
        assert site.fetch("select relreplident::text from pg_class where relname = 't'") == [("f",)]
        site.execute("update t set n = 2")
        [done] = other.sync()
        assert done.compared == {}
        same(other, "x", site, "t")
        wh.attach("s", site.url, mirror=True)
        other.detach("x")
        site.execute("update t set n = 3")
        assert wh.sync()[0].compared == {}
        same(wh, "s", site, "t")
        wh.detach("s")
        assert (identities(site), site.objects()) == (before, [])


def test_a_new_table_is_followed(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("logical")
    site.execute("create table t (id integer primary key)")
    wh.attach("s", site.url, mirror=True)
    slot = [n for n in site.objects() if n.count("_") == 3]
    site.execute("create table u (id integer primary key, n integer)", "insert into u values (1, 1)", "insert into t values (1)")
    assert wh.sync()[0].reshaped == ("u",)
    site.execute("update u set n = 2", "insert into t values (2)")
    [done] = wh.sync()
    assert (done.compared, done.rows) == ({}, {"t": 1, "u": 2})
    same(wh, "s", site, "t", "u")
    assert [n for n in site.objects() if n.count("_") == 3] == slot, "the log of the others goes on"
