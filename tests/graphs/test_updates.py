"""Objects, edges, values and names in transactions."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.graphs.model import Graph, stored

import belvedere as bv


@pytest.fixture
def guide(wh: bv.Warehouse) -> dict[str, str]:
    """Guide -Restaurant-> r -Name-> n; r -Owner-> o -Owns-> r: a cycle; o is shared by r2."""
    with wh.transaction() as tx:
        made = {n: tx.add_object() for n in ("g", "r", "r2", "o")}
        made["n"] = tx.add_object("Baghdad Cafe")
        tx.set_name("Guide", made["g"])
        edges = (("g", "Restaurant", "r"), ("g", "Restaurant", "r2"), ("r", "Name", "n"), ("r", "Owner", "o"))
        for s, label, t in (*edges, ("r2", "Owner", "o"), ("o", "Owns", "r")):
            tx.add_edge(made[s], label, made[t])
    return made


def edges(wh: bv.Warehouse, made: dict[str, str]) -> set[str]:
    back = {o: n for n, o in made.items()}
    return {f"{back[s]} {label} {back[t]}" for s, label, t in stored(wh).edges}


def test_another_path_round_keeps_what_an_edge_led_to(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    with wh.transaction() as tx:
        tx.remove_edge(guide["g"], "Restaurant", guide["r"])
    assert edges(wh, guide) == {"g Restaurant r2", "r Name n", "r Owner o", "r2 Owner o", "o Owns r"}
    assert stored(wh).objects == set(guide.values())


def test_a_cycle_that_nothing_reaches_is_garbage(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    with wh.transaction() as tx:
        tx.remove_edge(guide["g"], "Restaurant", guide["r"])
        tx.remove_edge(guide["g"], "Restaurant", guide["r2"])
    assert stored(wh) == Graph({"Guide": guide["g"]}, set(), {}, {guide["g"]})


def test_a_self_loop_keeps_nothing_alive(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    with wh.transaction() as tx:
        tx.add_edge(guide["r2"], "Me", guide["r2"])
        tx.add_edge(guide["g"], "Me", guide["g"])
    with wh.transaction() as tx:
        tx.remove_edge(guide["g"], "Restaurant", guide["r2"])
    assert guide["r2"] not in stored(wh).objects
    assert "g Me g" in edges(wh, guide)


def test_several_updates_are_judged_together(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    """What lost its last edge can be linked again before the end; what was made and not linked never was."""
    with wh.transaction() as tx:
        tx.remove_edge(guide["r"], "Name", guide["n"])
        tx.add_object("never seen")
        new = tx.add_object()
        tx.add_edge(new, "Name", guide["n"])
        tx.add_edge(guide["g"], "Bar", new)
        tx.set_value(guide["n"], datetime.date(2024, 2, 29))
        tx.add_edge(guide["g"], "x", guide["o"])
        tx.remove_edge(guide["g"], "x", guide["o"])
    found = stored(wh)
    assert found.values == {guide["n"]: datetime.date(2024, 2, 29)}
    assert edges(wh, {**guide, "b": new}) == {
        "g Restaurant r", "g Restaurant r2", "r Owner o", "r2 Owner o", "o Owns r", "g Bar b", "b Name n",
    }  # fmt: skip


def test_names_move_and_go(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    with wh.transaction() as tx:
        tx.set_name("Place", guide["r"])
    with wh.transaction() as tx:
        tx.remove_name("Guide")
    assert edges(wh, guide) == {"r Name n", "r Owner o", "o Owns r"}
    with wh.transaction() as tx:
        tx.set_name("Place", guide["o"])
    assert edges(wh, guide) == {"r Name n", "r Owner o", "o Owns r"}
    with wh.transaction() as tx:
        tx.set_name("Place", guide["n"])
    assert stored(wh) == Graph({"Place": guide["n"]}, set(), {guide["n"]: "Baghdad Cafe"}, {guide["n"]})


def test_an_edge_that_is_there_changes_nothing(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    before = wh.epoch
    with wh.transaction() as tx:
        tx.add_edge(guide["g"], "Restaurant", guide["r"])
        tx.set_value(guide["n"], "Baghdad Cafe")
    assert wh.epoch == before


def test_rollback_and_restart(wh: bv.Warehouse, guide: dict[str, str], place: Path) -> None:
    before = stored(wh)
    tx = wh.transaction()
    tx.remove_name("Guide")
    tx.rollback()
    assert stored(wh) == before
    wh.close()
    with bv.open(place / "wh", engine="duckdb") as again:
        assert stored(again) == before
        with again.transaction() as tx:
            assert tx.add_object(1) not in before.objects


def test_the_transaction_sees_its_own_edges(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    with wh.transaction() as tx:
        tx.remove_edge(guide["r"], "Name", guide["n"])
        new = tx.add_object(7)
        tx.add_edge(guide["r"], "Name", new)
        assert tx.select("select target from oem.edges where label = 'Name'")["target"].to_pylist() == [new]
        tx.set_value(new, 8)
    assert stored(wh).values == {new: 8}


BAD: list[tuple[str, tuple[Any, ...], str]] = [
    ("add_edge", ("g", "x", "&404"), "there is no object &404"),
    ("add_edge", ("&404", "x", "g"), "there is no object &404"),
    ("add_edge", ("n", "x", "g"), "is atomic"),
    ("add_edge", ("g", "x", "12"), "'12' is no oid"),
    ("add_edge", ("g", 5, "r"), "the label of an edge is text"),
    ("remove_edge", ("g", "Nope", "r"), "the label between them is 'Restaurant'"),
    ("remove_edge", ("g", "Name", "n"), "there is no such edge"),
    ("set_value", ("g", 5), "is a complex object"),
    ("set_value", ("&404", 5), "there is no object &404"),
    ("set_value", ("n", float("nan")), "nan is no number"),
    ("set_value", ("n", 2**63), "64 bits"),
    ("set_value", ("n", None), "no atomic value"),
    ("set_value", ("n", "\ud800"), "surrogate"),
    ("add_object", ({"a": 1},), "no atomic value"),
    ("set_name", ("", "g"), "needs a name"),
    ("set_name", ("&1", "g"), "cannot be a name"),
    ("set_name", ("X", "&404"), "there is no object &404"),
    ("remove_name", ("Giude",), "did you mean 'Guide'"),
]


@pytest.mark.parametrize(("call", "arguments", "said"), BAD, ids=lambda x: None)
def test_what_cannot_be_is_refused(wh: bv.Warehouse, guide: dict[str, str], call: str, arguments: Any, said: str) -> None:
    before, epoch = stored(wh), wh.epoch

    def attempt() -> None:
        with wh.transaction() as tx:
            getattr(tx, call)(*(guide.get(a, a) if isinstance(a, str) else a for a in arguments))
            tx.add_edge(guide["g"], "after", guide["o"])

    with pytest.raises(bv.BelvedereError, match=said):
        attempt()
    assert (stored(wh), wh.epoch) == (before, epoch)


def test_a_refused_change_spoils_the_transaction(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    tx = wh.transaction()
    tx.remove_edge(guide["g"], "Nope", guide["r"])
    with pytest.raises(bv.UnknownName):
        tx.select("select * from oem.edges")
    with pytest.raises(bv.UnknownName):
        tx.publish()
    assert len(stored(wh).edges) == 6


@pytest.mark.parametrize(
    "statement",
    [
        "insert into oem.edges values ('a', 'b', 'c')",
        "update oem.objects set depth = 1",
        "delete from oem.names",
        "alter table oem.edges add column x int",
        "drop table `oem.values`",
    ],
)
def test_rows_of_a_graph_cannot_be_changed_directly(wh: bv.Warehouse, guide: dict[str, str], statement: str) -> None:
    with pytest.raises(bv.BelvedereError, match=r"tx\.add_edge"):
        wh.execute(statement)


def test_a_table_in_the_way(wh: bv.Warehouse) -> None:
    wh.create_table("oem.values", "x int")
    with pytest.raises(bv.BelvedereError, match=r"a table 'oem\.values' already"), wh.transaction() as tx:
        tx.add_object(1)


def test_two_writers_cannot_leave_an_edge_to_garbage(wh: bv.Warehouse, guide: dict[str, str]) -> None:
    slow = wh.transaction()
    slow.add_edge(guide["g"], "Owner", guide["n"])
    with wh.transaction() as tx:
        tx.remove_edge(guide["r"], "Name", guide["n"])
    with pytest.raises(bv.Conflict):
        slow.publish()
    assert guide["n"] not in stored(wh).objects
