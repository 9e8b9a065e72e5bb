"""attach, sync, sources and detach from a shell."""

from __future__ import annotations

import os
import sqlite3

from tests.cli.conftest import Shell


def test_a_source_from_a_shell(shell: Shell) -> None:
    with sqlite3.connect("site.db") as db:
        db.execute("create table orders (id integer primary key, amount int)")
        db.execute("insert into orders values (1, 10), (2, 20)")
    shell.run("init", "shop")
    assert "no sources" in shell.run("sources")
    assert "1 table, 2 rows" in shell.run("attach", "s", "sqlite:///site.db?retries=0", "--table", "orders", "--mirror")
    [source] = shell.json("sources")
    assert (source["source"], source["state"], source["tables"]) == ("s", "attached", "orders")
    shell.run("view", "create", "total", "select sum(amount) total from s.orders")
    with sqlite3.connect("site.db") as db:
        db.execute("insert into orders values (3, 5)")
    [synced] = shell.json("sync")
    assert (synced["source"], synced["rows"]) == ("s", 1)
    with sqlite3.connect("site.db") as db:
        db.execute("delete from orders where id = 1")
    db.close()
    assert shell.json("refresh")[0]["view"] == "total"
    assert shell.rows("total") == [{"total": 25}]

    os.rename("site.db", "away.db")
    assert "total was not refreshed: source 's'" in shell.run("refresh", code=1)
    assert "did not answer" in shell.run("sync", code=1)
    os.rename("away.db", "site.db")
    assert "read by total" in shell.run("detach", "s", code=1)
    shell.run("view", "drop", "total")
    assert "s is detached" in shell.run("detach", "s")
    assert shell.json("sources") == []


def test_a_join_without_a_mirror(shell: Shell) -> None:
    for name, rows in (("a", "(1, 10), (2, 20)"), ("b", "(1, 7), (3, 9)")):
        with sqlite3.connect(f"{name}.db") as db:
            db.execute("create table t (id integer primary key, n int)")
            db.execute(f"insert into t values {rows}")
    shell.run("init", "shop")
    assert "1 table" in shell.run("attach", "a", "sqlite:///a.db")
    shell.run("attach", "b", "sqlite:///b.db")
    shell.run("view", "create", "both", "select a.id, a.n x, b.n y from a.t a join b.t b on a.id = b.id")
    with sqlite3.connect("a.db") as db:
        db.execute("insert into t values (3, 30)")
    db.close()
    [done] = shell.json("refresh", "both", "--strategy", "batch")
    assert done["asked"] == "batch (b 1)"
    assert shell.rows("both") == [{"id": 1, "x": 10, "y": 7}, {"id": 3, "x": 30, "y": 9}]
    assert "measured: 1 queries" in shell.run("explain", "both")
    assert shell.run("explain", "both", "--format", "svg").startswith("<svg")
    assert shell.json("verify")[0]["ok"]
    assert "not kept here" in shell.run("query", "select * from a.t", code=1)


def test_how_changes_come_out(shell: Shell) -> None:
    with sqlite3.connect("site.db") as db:
        db.execute("create table orders (id integer primary key)")
    db.close()
    shell.run("init", "shop")
    assert "for PostgreSQL only" in shell.run("attach", "s", "sqlite:///site.db", "--changes", "logical", code=1)
    assert "1 table" in shell.run("attach", "s", "sqlite:///site.db", "--changes", "triggers")
