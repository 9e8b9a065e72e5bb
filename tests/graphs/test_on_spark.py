"""Graphs in a warehouse that keeps everything on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.graphs.model import stored
from tests.warehouse.conftest import session

import belvedere as bv

__all__ = ["session"]

pytestmark = pytest.mark.spark


def test_load_update_collect(place: Path, session: Any) -> None:
    data = {"&id": "&g", "R": [{"&id": "&1", "N": "x", "p": 1.5}, {"&id": "&2", "N": [{"$ref": "&1"}, {"$date": "2024-02-29"}]}]}
    with bv.open(place / "wh", engine="spark", spark=session) as wh:
        wh.load_oem("G", data)
        assert wh.execute("update r.N += 5 from G.R r where r.p = 1.5") == 1
        with wh.transaction() as tx:
            tx.remove_edge("&g", "R", "&1")
        assert "&1" in stored(wh).objects
        with wh.transaction() as tx:
            tx.remove_edge("&g", "R", "&2")
        assert stored(wh).objects == {"&g"}
