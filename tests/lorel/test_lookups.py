"""An edge of a large graph is followed by lookups in memory and in row groups: hardly a statement is made over files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.graph_views import guide

import belvedere as bv
from belvedere.engines.duckdb import DuckDBEngine


def test_an_edge_asks_for_hardly_a_statement_over_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over_files: list[str] = []
    measured = DuckDBEngine._measured

    def counted(self: DuckDBEngine, text: str, *rest: Any) -> Any:
        if "read_parquet" in text and not text.startswith("COPY"):
            over_files.append(text)
        return measured(self, text, *rest)

    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        guide.loaded(wh, tmp_path / "in", 20, 100)
        view = wh.create_view("F", guide.FAVORITES, language="lorel")
        mushroom = guide.target(wh, "&spare", "Ingredient")
        monkeypatch.setattr(DuckDBEngine, "_measured", counted)
        for change in ("add_edge", "remove_edge"):
            with wh.transaction() as tx:
                getattr(tx, change)("&r0e1", "Ingredient", mushroom)
            report = view.refresh(strategy="incremental")
            assert view.graph().primary >= {"&r0e0"}
        assert len(over_files) <= 2  # the view itself is not large enough for more
        again = view.refresh(strategy="recompute")
        assert report.fetches is not None
        assert again.fetches is not None
        assert report.fetches * 30 < again.fetches
        assert view.verify().ok
