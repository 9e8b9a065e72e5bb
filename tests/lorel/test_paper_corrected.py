"""Where the paper's printed rules give a wrong view, and where it leaves things out: ours is the view recomputed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import belvedere as bv


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """A view over a graph: made(text of the graph, text of the view) → warehouse, view."""
    opened: list[bv.Warehouse] = []

    def make(graph: str, text: str) -> tuple[bv.Warehouse, Any]:
        opened.append(bv.open(tmp_path / "wh", engine="duckdb"))
        opened[0].load_oem("Guide", graph)
        return opened[0], opened[0].create_view("V", text, language="lorel")

    yield make
    for wh in opened:
        wh.close()


def after(wh: bv.Warehouse, view: Any, change: Callable[[Any], object]) -> Any:
    with wh.transaction() as tx:
        change(tx)
    view.refresh(strategy="incremental")
    assert view.verify().ok
    return view.graph()


TWICE = 'select n from Guide.Restaurant r, r.Name n where exists x in r.Name: x = "B"'


def test_a_deleted_edge_at_every_occurrence(made: Any) -> None:
    """The printed GenDelPrim puts the edge back at one place only, and finds nothing to delete."""
    wh, view = made('&1 {Restaurant: &2 {Name: &3 "B"}}', TWICE)
    assert view.graph().primary == {"&3"}
    assert after(wh, view, lambda tx: tx.remove_edge("&2", "Name", "&3")).primary == set()


def test_a_changed_value_at_every_occurrence(made: Any) -> None:
    wh, view = made('&1 {Restaurant: &2 {Name: &3 "B", Name: &4 "C"}}', TWICE)
    assert view.graph().primary == {"&3", "&4"}
    assert after(wh, view, lambda tx: tx.set_value("&3", "D")).primary == set()


def test_a_deleted_object_does_not_support_itself(made: Any) -> None:
    """GenDelAdj must ask the primary objects that stay."""
    graph = "&1 {a: &2 {keep: &9 1, b: &4 {c: &5 1}}, a: &3 {keep: &9, b: &4}}"
    wh, view = made(graph, "select r from Guide.a r where r.keep with r.b.c")
    found = after(wh, view, lambda tx: (tx.remove_edge("&2", "keep", "&9"), tx.remove_edge("&3", "keep", "&9")))
    assert (found.primary, found.edges) == (set(), set())


def test_an_inserted_edge_is_adjunct_only_in_the_view(made: Any) -> None:
    """GenAddAdj must see whether the object it starts at is in the view, and follow every branch."""
    graph = "&1 {a: &2 {x: &7 1}, a: &3 {}, d: &4 {b: &5 {c: &6 1, c: &7, e: &8 2}}}"
    wh, view = made(graph, "select r from Guide.a r where r.x with r.b w, w.c, w.e")
    assert after(wh, view, lambda tx: tx.add_edge("&3", "b", "&5")).edges == set()
    found = after(wh, view, lambda tx: tx.add_edge("&2", "b", "&5"))
    assert found.edges == {("&2", "b", "&5"), ("&5", "c", "&6"), ("&5", "c", "&7"), ("&5", "e", "&8")}


def test_a_set_of_updates_at_once(made: Any) -> None:
    """One edge goes and another comes that both matter to one object: it stays, and one at a time would not see it."""
    wh, view = made('&1 {a: &2 {b: &3 "x"}, z: &4 {b: &5 "x"}}', 'select r from Guide.a r where r.b = "x" with r.b')
    found = after(wh, view, lambda tx: (tx.remove_edge("&2", "b", "&3"), tx.add_edge("&2", "b", "&5")))
    assert (found.primary, found.edges) == ({"&2"}, {("&2", "b", "&5")})


def test_wild_cards_on_a_cycle(made: Any) -> None:
    """The paper leaves out regular paths: an edge with another way round it changes nothing."""
    graph = '&1 {a: &2 {n: &3 {n: &2, n: &4 {Name: &5 "x"}}}, b: &4}'
    wh, view = made(graph, 'select r from Guide.# r where r.Name = "x" with r.Name')
    assert view.graph().primary == {"&4"}
    assert after(wh, view, lambda tx: tx.remove_edge("&3", "n", "&4")).primary == {"&4"}
    assert after(wh, view, lambda tx: tx.add_edge("&4", "n", "&2")).primary == {"&4"}
    assert after(wh, view, lambda tx: tx.remove_edge("&1", "a", "&2")).primary == {"&4"}


def test_negation_and_for_all(made: Any) -> None:
    graph = "&1 {a: &2 {p: &3 1}, a: &4 {p: &5 7, q: &6 1}}"
    wh, view = made(graph, "select r from Guide.a r where not r.q and for all x in r.p: x < 5")
    assert view.graph().primary == {"&2"}
    assert after(wh, view, lambda tx: tx.add_edge("&2", "p", "&5")).primary == set()
    assert after(wh, view, lambda tx: tx.set_value("&5", "4")).primary == {"&2"}
    assert after(wh, view, lambda tx: tx.remove_edge("&4", "q", "&6")).primary == {"&2", "&4"}


def test_primary_and_adjunct_at_once(made: Any) -> None:
    """An object that ceases to be primary may stay as an adjunct one, and the other way round."""
    wh, view = made("&1 {a: &2 {k: &9 1, n: &3 {k: &8 1}}, a: &3}", "select r from Guide.a r where r.k with r.n")
    assert view.graph().primary == {"&2", "&3"}
    found = after(wh, view, lambda tx: tx.remove_edge("&3", "k", "&8"))
    assert (found.primary, found.edges) == ({"&2"}, {("&2", "n", "&3")})
    found = after(wh, view, lambda tx: (tx.add_edge("&3", "k", "&9"), tx.remove_edge("&2", "k", "&9")))
    assert (found.primary, found.edges) == ({"&3"}, set())
