"""What a view knows of objects, in memory: it is asked before every refresh, and so costs no statement, however it came to be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import belvedere as bv
from belvedere.algebra.node import Node
from belvedere.engines.duckdb import DuckDBEngine
from belvedere.warehouse.graph_views.image import Image
from belvedere.warehouse.graph_views.relevance import images
from belvedere.warehouse.resolve import Resolver

VIEW = 'select e from Guide.Restaurant r, r.Entree e where r.Name = "Baghdad Cafe" with e.Name'


def entree(oid: str) -> dict[str, Any]:
    return {"&id": oid, "Name": {"&id": f"{oid}n", "$value": "Stew"}}


def opened(place: Path) -> bv.Warehouse:
    wh = bv.open(place, engine="duckdb")
    rows = [
        {"&id": f"&r{n}", "Name": "Baghdad Cafe", "Phone": {"&id": f"&p{n}", "$value": "555"},
         "Entree": [entree(f"&e{n}_{m}") for m in range(10)]}
        for n in range(20)
    ]  # fmt: skip
    wh.load_oem("Guide", rows, label="Restaurant")
    wh.create_view("V", VIEW, language="lorel")
    return wh


def known(wh: bv.Warehouse) -> tuple[Image, Image]:
    d = wh.registry.definition("V")
    assert d.graph is not None
    touched, shown = images(wh.core, d.graph, wh.registry.all_collections(), wh.epoch)
    assert touched is not None
    assert shown is not None
    return touched, shown


def right(wh: bv.Warehouse) -> bool:
    """Both images tell what a query tells of the stages."""
    d = wh.registry.definition("V")
    assert d.graph is not None
    touched, shown = known(wh)
    met = wh.core.small().run(d.graph.touched.get(), Resolver(wh.core.store, until=wh.epoch), measured=False)[0].to_pylist()
    long = wh.core.small().run(d.graph.long.get(), Resolver(wh.core.store, until=wh.epoch), measured=False)[0].to_pylist()
    net = {k: w for k, w in _weights(met, "node", "state").items() if w}
    values = {k: w for k, w in _weights([r for r in long if r["kind"] == "value"], "oid").items() if w}
    objects = {f"&{x}" for x in ("r0", "r1", "e0_0", "e1_1", "e0_0n", "p0", "nowhere")}
    sizes = Counter[int]()
    for (_, state), weight in net.items():
        sizes[state] += weight
    return (
        all(touched.holds(o, s) == ((o, s) in net) for o in objects for s in range(9))
        and all(shown.holds(o) == ((o,) in values) for o in objects)
        and {s: n for s, n in touched.sizes.items() if n} == dict(sizes)
    )


def _weights(rows: list[dict[str, Any]], *columns: str) -> Counter[tuple[Any, ...]]:
    found = Counter[tuple[Any, ...]]()
    for r in rows:
        found[tuple(r[c] for c in columns)] += r["_w"]
    return found


def test_what_is_known_follows_the_view(tmp_path: Path) -> None:
    """Read at first, brought up by changes, read again after the view was computed anew, and from runs in which rows went."""
    with opened(tmp_path / "wh") as wh:
        view = wh.view("V")
        assert right(wh)
        with wh.transaction() as tx:
            made = tx.add_object()
            tx.add_edge("&r0", "Entree", made)
            tx.remove_edge("&r1", "Entree", "&e1_1")
        for strategy in ("incremental", "recompute"):
            view.refresh(strategy=strategy)
            assert right(wh)
        with wh.transaction() as tx:
            tx.remove_edge("&r0", "Entree", "&e0_0")
            tx.set_value("&e0_1n", "Soup")
        view.refresh(strategy="incremental")
        wh.core._images = None
        assert right(wh)


def test_what_was_computed_anew_is_known_without_a_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update that cannot matter asks nothing, also if it is the first after the view was computed anew; and one that matters
    does not pay for a statement over all that the view knows."""
    with opened(tmp_path / "wh") as wh:
        view = wh.view("V")
        view.refresh(strategy="recompute")
        with wh.transaction() as tx:
            tx.set_value("&p0", "556")
        asked: list[Node] = []
        run = DuckDBEngine.run

        def counted(self: DuckDBEngine, node: Node, *rest: Any, **more: Any) -> Any:
            asked.append(node)
            return run(self, node, *rest, **more)

        monkeypatch.setattr(DuckDBEngine, "run", counted)
        assert view.refresh().strategy == "none"
        assert not asked
