"""Views that differ in constants and in what they keep, refreshed together: fewer statements, the same rows, the same errors."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.warehouse.helpers import bag

import belvedere as bv
from belvedere.engines.duckdb import alike
from belvedere.engines.duckdb.kept import Kept
from belvedere.warehouse.bundles import unexpected as as_users_have_it

#: {n} differs from view to view
KINDS = {
    "chosen": "select i.id, i.price, o.day from items i join orders o on i.order_id = o.id where i.price > {n}",
    "by_day": "select o.day, count(*) n, sum(i.price) s from items i join orders o on i.order_id = o.id"
    " where i.price < {n} group by o.day",
    "most": "select o.day div 2 d, max(i.price) m, count(distinct i.note) c from items i join orders o on i.order_id = o.id"
    " where o.day >= {n} group by o.day div 2",
    "kept": "select i.*, o.day from items i left join orders o on i.order_id = o.id and o.day = {n}",
    "none": "select id from orders where not exists (select 1 from items where order_id = orders.id and price > {n})",
    "note": "select note, sum(case when price > {n} then 1 else 0 end) s from items group by note",
    "ranked": "select id, rank() over (partition by order_id order by price) r from items where price <> {n}",
    "one": "select count(*) n, sum(price) s from items where price > {n}",
    "top": "select id, price from items where price > {n} order by price desc limit 3",
    "text": "select id, note from items where note >= 'n{n}' or note is null",
}
MEMBERS = 3


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "w", engine="duckdb") as made:
        made.create_table("orders", "id bigint, day bigint", key="id")
        made.create_table("items", "id bigint, order_id bigint, price bigint, note string", key="id")
        yield made


def fill(wh: bv.Warehouse, rng: random.Random) -> None:
    with wh.transaction() as tx:
        tx.insert("orders", [{"id": n, "day": rng.choice([0, 1, 2, 3, None])} for n in range(8)])
        tx.insert("items", [item(rng, n) for n in range(30)])


def item(rng: random.Random, number: int) -> dict[str, object]:
    note = rng.choice(["n0", "n1", "n2", "", None])
    return {"id": number, "order_id": rng.choice([*range(9), None]), "price": rng.choice([0, 1, 2, 3, None]), "note": note}


def change(wh: bv.Warehouse, rng: random.Random, turn: int) -> None:
    with wh.transaction() as tx:
        tx.insert("items", [item(rng, 100 * turn + n) for n in range(rng.randrange(4))])
        tx.delete("items", where=f"id % 5 = {rng.randrange(5)} and price = {rng.randrange(4)}")
        tx.update("items", {"price": "(price + 1) % 4"}, where=f"id % 7 = {rng.randrange(7)}")
        if rng.random() < 0.4:
            tx.update("orders", {"day": "day + 1"}, where=f"id = {rng.randrange(8)}")


def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The prepared statements that are run from now on."""
    seen: list[str] = []
    run = Kept.run

    def counted(self: Kept, *args: object, **more: object) -> object:
        found = run(self, *args, **more)  # type: ignore[arg-type]
        seen.append(found[1].sql)
        return found

    monkeypatch.setattr(Kept, "run", counted)
    return seen


@pytest.mark.parametrize("seed", range(6))
def test_equal_recomputation(wh: bv.Warehouse, seed: int) -> None:
    rng = random.Random(seed)
    fill(wh, rng)
    for kind, text in KINDS.items():
        for n in range(MEMBERS):
            wh.create_view(f"{kind}_{n}", text.format(n=rng.randrange(4)))
    for turn in range(1, 6):
        change(wh, rng, turn)
        names = [v.name for v in wh.views()]
        some = rng.sample(names, rng.randrange(2, len(names))) if rng.random() < 0.5 else names
        reports = wh.refresh(*some)
        assert [r.view for r in reports] == some, "in the order that was asked for"
        for name in some:
            checked = wh.view(name).verify()
            assert checked.ok, f"seed {seed}, turn {turn}: {name}: missing {checked.missing}, extra {checked.extra}"


def test_one_statement_for_a_family(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are, and whichever take part; also for the first time, when their stages have lost no rows yet."""
    rng = random.Random(0)
    fill(wh, rng)
    names = [f"by_day_{n}" for n in range(8)]
    for n, name in enumerate(names):
        wh.create_view(name, KINDS["by_day"].format(n=n % 4 + 1))
    seen = statements(monkeypatch)
    found = set()
    for _ in range(2):
        with wh.transaction() as tx:
            tx.update("items", {"price": "(price + 1) % 4"})
        for some in (names[:5], names[5:]):
            seen.clear()  # of the transaction, too
            wh.refresh(*some)
            assert len(seen) == 1
            found.update(seen)
    assert len(found) == 1
    assert all(wh.view(n).verify().ok for n in names)


def test_what_a_family_reads_is_told_once(wh: bv.Warehouse) -> None:
    rng = random.Random(1)
    fill(wh, rng)
    names = [f"chosen_{n}" for n in range(3)]
    for n, name in enumerate(names):
        wh.create_view(name, KINDS["chosen"].format(n=n))
    with wh.transaction() as tx:
        tx.update("items", {"price": "(price + 1) % 4"})
    together = wh.refresh(*names)
    with wh.transaction() as tx:
        tx.update("items", {"price": "(price + 1) % 4"})
    alone = [wh.view(n).refresh() for n in names]
    assert all(r.strategy == "incremental" for r in (*together, *alone))
    assert sum(r.rows_read for r in together) < sum(r.rows_read for r in alone)
    assert all(r.seconds > 0 for r in together)


def test_views_that_are_the_same(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    fill(wh, rng)
    for n in range(3):
        wh.create_view(f"v{n}", KINDS["chosen"].format(n=1))
    with wh.transaction() as tx:
        tx.update("items", {"price": "(price + 1) % 4"})
    seen = statements(monkeypatch)
    reports = wh.refresh()
    assert len(seen) == 1
    assert len({r.rows_out for r in reports}) == 1
    assert all(v.verify().ok for v in wh.views())


def test_many_rows_are_no_family(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no longer the statements that cost."""
    monkeypatch.setattr(alike, "ROWS", 10)
    rng = random.Random(2)
    fill(wh, rng)
    for n in range(3):
        wh.create_view(f"v{n}", KINDS["chosen"].format(n=n))
    with wh.transaction() as tx:
        tx.update("items", {"price": "(price + 1) % 4"})
    seen = statements(monkeypatch)
    wh.refresh()
    assert len(seen) == 3
    assert all(v.verify().ok for v in wh.views())


def test_one_that_fails(wh: bv.Warehouse) -> None:
    """The others of its family are refreshed all the same, and it is told what is wrong with it."""
    wh.create_table("t", "k bigint, x bigint", key="k")
    with wh.transaction() as tx:
        tx.insert("t", [{"k": 1, "x": 1}, {"k": 2, "x": 2}])
    for n in (1, 2, 50):
        wh.create_view(f"v{n}", f"select x, sum(100 div x) s from t where k >= {n} group by x")
    with wh.transaction() as tx:
        tx.insert("t", [{"k": 40, "x": 0}, {"k": 60, "x": 4}])
    with pytest.raises(bv.RefreshFailed, match="view 'v1'"):
        wh.refresh()
    assert wh.view("v50").verify().ok
    assert bag(wh.view("v50").rows()) == bag([{"x": 4, "s": 25}])
    assert wh.view("v1").status == "stale"
    with wh.transaction() as tx:
        tx.delete("t", key=40)
    wh.refresh()
    assert all(wh.view(n).verify().ok for n in ("v1", "v2", "v50"))


@pytest.mark.usefixtures("in_files")
def test_a_file_that_cannot_be_read(wh: bv.Warehouse) -> None:
    """It is the matter of one view, and the others go on."""
    lost(wh, lambda run: Path(run).unlink())


def test_rows_that_the_catalog_has_no_more(wh: bv.Warehouse) -> None:
    def forget(run: str) -> None:
        with closing(sqlite3.connect(Path(wh.path) / "catalog.db")) as db, db:
            assert db.execute("DELETE FROM bv_rows WHERE path = ?", [str(Path(run).relative_to(wh.path))]).rowcount == 1

    lost(wh, forget)


def lost(wh: bv.Warehouse, lose: Callable[[str], None]) -> None:
    """One view's rows, of several that are refreshed together."""
    path = Path(wh.path)
    rng = random.Random(4)
    fill(wh, rng)
    for n in range(3):
        wh.create_view(f"v{n}", KINDS["by_day"].format(n=n + 1))
    with wh.transaction() as tx:
        tx.update("items", {"price": "(price + 1) % 4"})
    gone = wh.core.store.collection("v0$1")
    assert gone is not None
    files = [r.path for r in wh.core.store.snapshot(gone)]
    wh.close()
    for file in files:
        lose(file)
    with bv.open(path, engine="duckdb") as again:
        with pytest.raises(bv.RefreshFailed, match=r"view 'v0' cannot be refreshed: a file of the warehouse cannot be read"):
            again.refresh()
        assert all(again.view(n).verify().ok for n in ("v1", "v2"))


def test_readers_of_a_family(wh: bv.Warehouse) -> None:
    """Views over views: each generation is a family of its own."""
    rng = random.Random(3)
    fill(wh, rng)
    for n in range(3):
        wh.create_view(f"low_{n}", KINDS["by_day"].format(n=n + 1))
        wh.create_view(f"high_{n}", f"select day % 2 p, max(s) m from low_{n} where n > {n - 1} group by day % 2")
    for turn in range(1, 5):
        change(wh, rng, turn)
        wh.refresh()
        assert all(v.verify().ok for v in wh.views())


def test_a_mistake_of_ours_is_told_and_each_view_does_its_own(
    wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wh.create_table("t", "id bigint, k bigint", key="id")
    wh.load("t", [{"id": n, "k": n % 7} for n in range(100)])
    for n in range(3):
        wh.create_view(f"v{n}", f"select k, count(*) n from t where id > {n} group by k")

    def wrong(*_: object) -> None:
        raise KeyError("no such leaf")

    monkeypatch.setattr("belvedere.engines.duckdb.alike.Alike.begin", wrong)
    wh.load("t", [{"id": 100, "k": 3}])
    with pytest.raises(KeyError):  # in tests it is an error
        wh.refresh()
    monkeypatch.setattr("belvedere.warehouse.bundles.unexpected", as_users_have_it)
    assert [r.strategy for r in wh.refresh()] == ["incremental"] * 3
    assert "no such leaf" in caplog.text
    assert "please report this" in caplog.text
    assert all(wh.view(f"v{n}").verify().ok for n in range(3))


def test_views_over_views_are_worked_out_once(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a level before is evaluated, or made ready, with what comes later."""
    from belvedere.engines.duckdb.engine import DuckDBEngine
    from belvedere.warehouse import ahead

    wh.create_table("t", "id bigint, g bigint, x bigint", key="id")
    wh.load("t", [{"id": n, "g": n % 5, "x": n} for n in range(50)])
    for n in range(4):
        wh.create_view(f"a{n}", f"select id, g, x + {n + 1} x from {f'a{n - 1}' if n else 't'} where x > {n}")
        wh.create_view(f"b{n}", f"select g, sum(x) x from {f'b{n - 1}' if n else 't'} where g < {n + 7} group by g")
        wh.create_view(f"c{n}", f"select g, sum(x) x from {f'b{n - 1}' if n else 't'} where g < {n + 8} group by g")
    together: list[int] = []
    ready: list[str] = []
    alike, make_ready = DuckDBEngine.alike, ahead.make_ready

    def counted(self: DuckDBEngine, nodes: Any, resolves: Any) -> Any:
        together.append(len(nodes))
        return alike(self, nodes, resolves)

    def noted(commit: Any, targets: Any, gained: Any) -> Any:
        ready.extend(c.name for c in targets)
        return make_ready(commit, targets, gained)

    monkeypatch.setattr(DuckDBEngine, "alike", counted)
    monkeypatch.setattr(ahead, "make_ready", noted)
    for turn in range(3):
        with wh.transaction() as tx:
            tx.update("t", {"x": "x + 1"}, where=f"id % 10 = {turn}")
        together.clear(), ready.clear()
        wh.refresh()
        # b0 came before, by itself, so c0 is by itself, too
        assert together == [4]
        assert sorted(ready) == ["b3$1", "c1$1", "c2$1", "c3$1"]
        assert all(v.verify().ok for v in wh.views())
