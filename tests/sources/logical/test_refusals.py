"""Servers and roles that cannot decode, and ways that do not exist: refused before anything is left behind, with what to do."""

from __future__ import annotations

import psycopg
import pytest
from tests.servers.sites import LogicalSite
from tests.sources.conftest import MakeSite
from tests.sources.helpers import same, shop

import belvedere as bv


def clean(wh: bv.Warehouse) -> bool:
    return (wh.sources(), wh.tables()) == ([], [])


def test_a_server_that_does_not_decode(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("postgres")
    shop(site)
    with pytest.raises(bv.BelvedereError, match=r"'s'.*needs wal_level = logical.*has replica.*restart.*changes='triggers'"):
        wh.attach("s", site.url, changes="logical", mirror=True)
    assert clean(wh)
    assert site.objects() == []
    wh.attach("s", site.url, changes="triggers", mirror=True)
    same(wh, "s", site, "orders")


def test_rights(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("logical")
    assert isinstance(site, LogicalSite)
    shop(site)
    role = f"r_{site.place.rsplit('/', 1)[1]}"
    url = site.url.replace("belvedere@", f"{role}@")
    site.execute(f"create role {role} login", f"grant all on all tables in schema public to {role}")

    def refused(match: str) -> None:
        with pytest.raises(bv.BelvedereError, match=match):
            wh.attach("s", url, mirror=True)
        assert clean(wh)
        assert site.objects() == []

    refused(r"may make a publication \(grant create on database\).*permission denied for database.*changes='triggers'")
    database = site.place.rsplit("/", 1)[1]
    site.execute(f"grant create on database {database} to {role}")
    refused(r"needs a role that may replicate \(alter role … replication\).*changes='triggers'")
    site.execute(f"alter role {role} replication")
    refused(r"owns the tables.*must be owner of table")
    for table in ("orders", "customers"):
        site.execute(f"alter table {table} owner to {role}")
    wh.attach("s", url, mirror=True)
    site.execute("delete from orders where id = 1")
    assert wh.sync()[0].compared == {}
    same(wh, "s", site, "orders", "customers")
    wh.detach("s")
    assert site.objects() == []


def test_no_slot_is_left(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site = make_site("logical")
    assert isinstance(site, LogicalSite)
    shop(site)
    with psycopg.connect(site.place, autocommit=True) as c:
        [(free,)] = c.execute(
            "select current_setting('max_replication_slots')::int - (select count(*) from pg_replication_slots)"
        ).fetchall()
        names = [f"taken_{i}" for i in range(free)]
        for name in names:
            c.execute("select pg_create_physical_replication_slot(%s)", (name,))
        try:
            with pytest.raises(bv.BelvedereError, match=r"no replication slot left; raise max_replication_slots"):
                wh.attach("s", site.url, mirror=True)
        finally:
            for name in names:
                c.execute("select pg_drop_replication_slot(%s)", (name,))
    assert clean(wh)
    assert site.objects() == []


@pytest.mark.parametrize(("system", "changes", "match"), [
    ("sqlite", "logical", "changes=logical is for PostgreSQL only"), ("mariadb", "logical", "for PostgreSQL only"),
    ("duckdb", "logical", "for PostgreSQL only"), ("postgres", "wal", "changes=wal is no way.*write triggers or logical"),
    ("logical", "triggers", "its URL says changes=logical, and it is attached with changes='triggers'; say one"),
])  # fmt: skip
def test_ways_that_do_not_fit(wh: bv.Warehouse, make_site: MakeSite, system: str, changes: str, match: str) -> None:
    site = make_site(system)
    shop(site)
    with pytest.raises(bv.BelvedereError, match=match):
        wh.attach("s", site.url, changes=changes, mirror=True)
    assert clean(wh)


def test_both_may_say_the_same(wh: bv.Warehouse, make_site: MakeSite) -> None:
    site, file = make_site("logical"), make_site("sqlite")
    shop(site)
    shop(file)
    wh.attach("s", site.url, changes="logical", mirror=True)
    wh.attach("f", file.url, changes="triggers", mirror=True)
    assert {s.name: "changes=logical" in s.url for s in wh.sources()} == {"s": True, "f": False}
