"""The same closures on Spark: evaluated, followed, read as a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.closure.graphs import Chance, fixpoint, unproved
from tests.closure.language import closures, text
from tests.closure.test_views import change, make, stored

import belvedere as bv

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("number", [3, 8])
def test_a_view_follows(tmp_path: Path, spark: Any, number: int) -> None:
    chance = Chance(number)
    with closures(), bv.open(tmp_path / "w", engine="spark", spark=spark) as wh:
        make(wh)
        facts = chance.facts()
        change(wh, (frozenset(), frozenset()), facts)
        wh.create_view("v", text("plain"))
        for _ in range(2):
            after = chance.changed(facts)
            change(wh, facts, after)
            report = wh.view("v").refresh(strategy="incremental")
            facts = after
            rows = stored(wh, "v")
            assert report.engine in ("spark", "none")
            assert set(rows) == fixpoint(*facts)
            assert unproved(rows, *facts) == []
        assert wh.view("v").verify().ok
        frame = wh.core.spark.dataframe(wh.registry.definition("v").node, _now(wh), ("src", "state", "node"))
        assert {tuple(r) for r in frame.collect()} == set(rows)


def _now(wh: Any) -> Any:
    from belvedere.warehouse.resolve import Resolver

    return Resolver(wh.core.store, until=wh.core.store.epoch)
