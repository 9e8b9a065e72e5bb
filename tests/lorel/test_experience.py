"""What a Lorel view's refreshes took decides whether it is maintained: so what its first extent took must be known."""

from __future__ import annotations

from pathlib import Path

from tests.lorel.paper import EXAMPLE_2, opened


def test_a_first_extent_takes_time(tmp_path: Path) -> None:
    """With 0 s on record for it every view was computed anew from its fourth small change on."""
    with opened(tmp_path / "wh") as wh:
        view = wh.create_view("F", EXAMPLE_2, language="lorel")
        assert view.history()[0]["seconds"] > 0
        [(strategy, _, seconds, _)] = wh.core.experience("F").seen
        assert (strategy, seconds > 0) == ("recompute", True)


def test_a_view_does_not_learn_from_another_of_its_name(tmp_path: Path) -> None:
    with opened(tmp_path / "wh") as wh:
        view = wh.create_view("F", EXAMPLE_2, language="lorel")
        for _ in range(3):
            view.refresh(strategy="recompute")
        wh.drop_view("F")
        wh.create_view("F", EXAMPLE_2, language="lorel")
        assert len(wh.core.experience("F").seen) == 1
