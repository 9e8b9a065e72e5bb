"""What a Lorel view's refreshes took decides whether it is maintained: so what its first extent took must be known."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lorel.paper import EXAMPLE_2, opened

import belvedere as bv
from belvedere.planning.experience import KEPT, Experience


def test_a_first_extent_takes_time(tmp_path: Path) -> None:
    """With 0 s on record for it every view was computed anew from its fourth small change on."""
    with opened(tmp_path / "wh") as wh:
        view = wh.create_view("F", EXAMPLE_2, language="lorel")
        assert view.history()[0]["seconds"] > 0
        [first] = wh.core.experience("F").seen
        assert (first.strategy, first.seconds > 0) == ("recompute", True)


def test_a_view_does_not_learn_from_another_of_its_name(tmp_path: Path) -> None:
    with opened(tmp_path / "wh") as wh:
        view = wh.create_view("F", EXAMPLE_2, language="lorel")
        for _ in range(3):
            view.refresh(strategy="recompute")
        wh.drop_view("F")
        wh.create_view("F", EXAMPLE_2, language="lorel")
        assert len(wh.core.experience("F").seen) == 1


def test_an_edge_that_goes_is_judged_by_others_that_went(tmp_path: Path) -> None:
    """To take an edge away took three times what it takes to compute the view; to add one, or one that leads to hundreds of
    objects more, is none the worse for it."""
    with opened(tmp_path / "wh") as wh:
        view = wh.create_view("F", EXAMPLE_2, language="lorel")
        with wh.transaction() as tx:
            made = tx.add_object()
            tx.add_edge("&1", "Restaurant", made)
        followed = view.refresh(strategy="incremental")
        assert followed.estimated_fetches is not None
        for many in (0, 900):
            known = wh.core.experience("F")
            known.seen.clear()
            known.again.clear()
            for strategy, seconds in (("recompute", 1.0), *[("incremental", 3.0)] * 3):
                known.add(strategy, 1, seconds, fetches=followed.estimated_fetches + many, deleting=True)
            with wh.transaction() as tx:
                tx.remove_edge("&1", "Restaurant", made)
            gone = view.refresh()
            assert gone.strategy == ("incremental" if many else "recompute")
            assert many or "lately maintenance took 3.000 s" in gone.reason
            with wh.transaction() as tx:
                made = tx.add_object()
                tx.add_edge("&1", "Restaurant", made)
            assert view.refresh().strategy == "incremental"
            assert view.verify().ok


def test_what_a_refresh_was_to_fetch_is_known_when_the_warehouse_is_opened_again(tmp_path: Path) -> None:
    with opened(tmp_path / "wh") as wh:
        view = wh.create_view("F", EXAMPLE_2, language="lorel")
        with wh.transaction() as tx:
            made = tx.add_object()
            tx.add_edge("&1", "Restaurant", made)
        view.refresh(strategy="incremental")
        with wh.transaction() as tx:
            tx.remove_edge("&1", "Restaurant", made)
        view.refresh(strategy="incremental")
        seen = list(wh.core.experience("F").seen)[-2:]
        assert [s.deleting for s in seen] == [False, True]
        assert all(s.fetches for s in seen)
    with bv.open(tmp_path / "wh", engine="duckdb") as again:
        assert list(again.core.experience("F").seen)[-2:] == seen


def test_recomputation_is_tried_where_it_is_known_from_the_first_extent_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first extent also makes plans. With nothing else to compare with, a view was maintained for ever, if computing it anew
    took half of that. A view of a few objects is not worth trying."""
    with opened(tmp_path / "wh") as wh:
        view = wh.create_view("F", EXAMPLE_2, language="lorel")
        known = wh.core.experience("F")
        assert [s.first for s in known.again] == [True]
        seconds = known.again[0].seconds
        for few, strategy in ((2_000, "incremental"), (1, "recompute")):
            monkeypatch.setattr("belvedere.warehouse.refresh.FEW", few)
            for _ in range(4):
                known.add("incremental", 1, seconds / 2, fetches=5.0)
            with wh.transaction() as tx:
                tx.add_edge("&1", "Restaurant", tx.add_object())
            assert (report := view.refresh()).strategy == strategy
        assert "at first, which may take less the next time" in report.reason
        assert [s.first for s in known.again] == [True, False]
        assert view.verify().ok


def test_what_computing_a_view_takes_is_known_after_many_changes() -> None:
    """It went with the fortieth refresh after it, and so did all that could be said against maintenance."""
    e = Experience()
    e.add("recompute", 1, 0.02)
    for _ in range(2 * KEPT):
        e.add("incremental", 1, 0.05)
    assert e.against_maintenance(1) == "lately maintenance took 0.050 s and recomputation 0.020 s"
