"""A slot, a publication or an identity that somebody drops or alters: noticed, the table is compared once, and goes on."""

from __future__ import annotations

import threading

import pytest
from tests.servers.sites import LogicalSite
from tests.sources.conftest import MakeSite
from tests.sources.helpers import same

import belvedere as bv
from belvedere.sources import source
from belvedere.sources.postgres.logical import snapshot as module


@pytest.fixture
def site(wh: bv.Warehouse, make_site: MakeSite) -> LogicalSite:
    found = make_site("logical")
    assert isinstance(found, LogicalSite)
    found.execute("create table t (id integer primary key, n integer)", "create table u (id integer primary key)")
    found.execute("insert into t values (1, 1), (2, NULL)", "insert into u values (1)")
    wh.attach("s", found.url, mirror=True)
    wh.create_view("v", "select count(*) n from s.t")
    return found


def names(site: LogicalSite) -> tuple[str, str]:
    [(publication,)] = site.fetch("select pubname from pg_publication")
    [(slot,)] = site.fetch("select slot_name from pg_replication_slots where database = current_database()")
    return publication, slot


DONE = {
    "the slot is dropped": ("slot is gone", "select pg_drop_replication_slot('{slot}')"),
    "the slot is made again": (
        "publication or its replication slot",
        "select pg_drop_replication_slot('{slot}'), pg_create_logical_replication_slot('{publication}_7', 'pgoutput')",
    ),
    "another plugin": (
        "slot is gone", "select pg_drop_replication_slot('{slot}'), pg_create_logical_replication_slot('{slot}', 'test_decoding')"
    ),
    "somebody else reads it": (
        "read its replication slot",
        "select count(*) from pg_logical_slot_get_binary_changes('{slot}', NULL, NULL, 'proto_version', '1', "
        "'publication_names', '{publication}')",
    ),
    "somebody else advances it": ("advanced it", "select pg_replication_slot_advance('{slot}', pg_current_wal_lsn())"),
    "the publication is dropped": ("slot is gone", "drop publication {publication}"),
    "it publishes less for a while": (
        "altered its publication", "alter publication {publication} set (publish = 'insert')", "delete from t where id = 4",
        "alter publication {publication} set (publish = 'insert, update, delete, truncate')",
    ),
    "the table is taken out for a while": (
        "altered its publication", "alter publication {publication} drop table t", "delete from t where id = 4",
        "alter publication {publication} add table t",
    ),
    "another identity": ("replica identity", "alter table t replica identity default"),
    "another identity for a while": (
        "replica identity", "alter table t replica identity default", "delete from t where id = 4",
        "alter table t replica identity full",
    ),
    "another identity for an update": (
        "replica identity", "alter table t replica identity default", "update t set n = 7 where id = 4",
        "alter table t replica identity full",
    ),
    "columns with other names for a while": (
        "other names", "alter table t rename n to m", "update t set m = 5 where id = 4", "alter table t rename m to n"
    ),
    "truncated": ("altered, truncated", "truncate t"),
}  # fmt: skip


@pytest.mark.parametrize("what", DONE)
def test_it_is_noticed(wh: bv.Warehouse, site: LogicalSite, what: str) -> None:
    why, *statements = DONE[what]
    publication, slot = names(site)
    # on disk at once: only what is there can be read and advanced over, and otherwise nothing has happened
    site.execute("set local synchronous_commit = on", "insert into t values (3, 3), (4, 4)", "update t set n = 5 where id = 1")
    for s in statements:
        site.execute(s.format(publication=publication, slot=slot))
    site.execute("insert into t values (10, 5)", "delete from t where id = 2")
    [done] = wh.sync()
    assert done.error == ""
    assert why in done.compared["t"]
    same(wh, "s", site, "t", "u")
    site.execute("delete from t where id = 10", "insert into u values (20)")
    [done] = wh.sync()
    assert (done.compared, done.rows) == ({}, {"t": 1, "u": 1}), "there is a new log"
    same(wh, "s", site, "t", "u")
    wh.refresh()
    wh.drop_view("v")
    wh.detach("s")
    stays = ["identity of t", "identity of u"] if "publication is dropped" in what else []  # what there was is forgotten with it
    assert sorted(site.objects()) == stays


def test_another_session_uses_the_slot(wh: bv.Warehouse, site: LogicalSite) -> None:
    """Whoever comes second waits for a while, and then says what is the matter."""
    publication, slot = names(site)
    site.execute("insert into t values (3, 3)")
    reading = (
        f"select count(*), pg_sleep(1) from pg_logical_slot_peek_binary_changes('{slot}', NULL, NULL, 'proto_version', '1', "
        f"'publication_names', '{publication}')"
    )
    threads = [threading.Thread(target=site.fetch, args=(reading,)) for _ in range(2)]
    for t in threads:
        t.start()
    assert wh.sync()[0].error == ""
    for t in threads:
        t.join()
    same(wh, "s", site, "t")


def test_a_slot_is_advanced_though_nothing_changed(wh: bv.Warehouse, site: LogicalSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the server would keep its log for a source whose tables rest while others are written."""
    at = "select confirmed_flush_lsn from pg_replication_slots where database = current_database()"
    site.execute("create table busy (n integer)")
    site.execute("insert into t values (3, 3)")
    wh.sync("s")
    [before], epoch = site.fetch(at), wh.epoch
    site.execute("insert into busy select * from generate_series(1, 2000)")
    wh.sync("s")
    assert (site.fetch(at), wh.epoch) == ([before], epoch), "not for so little"
    monkeypatch.setattr(source, "KEPT_BYTES", 50_000)
    assert wh.sync("s")[0].total == 0
    assert site.fetch(at) > [before]
    site.execute("insert into t values (4, 4)")
    [done] = wh.sync("s")
    assert (done.compared, done.rows["t"]) == ({}, 1)


def test_a_slot_is_not_advanced_past_a_transaction_that_is_not_seen(wh: bv.Warehouse, site: LogicalSite) -> None:
    """Peeked after the snapshot was taken, it is committed, but not part of the snapshot."""
    original, number = module.flushed, 100

    def late(connection: object) -> int:
        nonlocal number
        number += 1
        site.execute(f"insert into t values ({number}, 0)", "delete from u", f"insert into u values ({number})")
        return original(connection)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "flushed", late)
        for _ in range(4):
            wh.refresh()
            assert wh.view("v").rows() == [{"n": number - 99}], "the one after the snapshot is not in it"
    [done] = wh.sync()
    assert (done.compared, done.rows["t"]) == ({}, 1)
    same(wh, "s", site, "t", "u")
