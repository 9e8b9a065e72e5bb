"""The cost model of the paper's section 4 in reports, and in the choice between following a change and computing anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import belvedere as bv
from belvedere.warehouse.graph_views.relevance import EDGES
from belvedere.warehouse.graph_views.sharing import edges_into
from belvedere.warehouse.resolve import Resolver

VIEW = """
    select e from Guide.Restaurant r, r.Entree e where r.Name = "Baghdad Cafe" and e.Ingredient = "Mushroom"
    with e.Name, e.Ingredient
"""


def entree(name: str, shared: bool) -> dict[str, Any]:
    return {"&id": f"&{name}", "Name": name, "Ingredient": [{"$ref": "&shared"} if shared else "Mushroom", "Beef"]}


@pytest.fixture(scope="module")
def wh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bv.Warehouse]:
    """A mushroom that every entree shares, but for one that has its own, and one that half a dozen do."""
    with bv.open(tmp_path_factory.mktemp("wh"), engine="duckdb") as made:
        made.load_oem("Kept", {"&id": "&kept", "m": {"&id": "&shared", "$value": "Mushroom"}})
        rows = [
            {"&id": f"&r{n}", "Name": "Baghdad Cafe", "Entree": [entree(f"e{n}_{m}", shared=(n, m) != (0, 0)) for m in range(20)]}
            for n in range(60)
        ]
        made.load_oem("Guide", rows, label="Restaurant")
        made.create_view("V", VIEW, language="lorel")
        yield made


def test_a_value_that_all_share_is_not_followed_one_by_one(wh: bv.Warehouse) -> None:
    """Followed, such a change fetches as many objects as recomputation and takes several times as long."""
    view = wh.view("V")
    for value in ("Beef", "Mushroom"):
        with wh.transaction() as tx:
            tx.set_value("&shared", value)
        report = view.refresh()
        assert report.strategy == "recompute"
        assert "what changed is shared" in report.reason
        assert report.estimated_fetches is not None
        assert report.estimated_fetches > 2_000
        assert view.verify().ok


def test_a_value_of_its_own_is_followed(wh: bv.Warehouse) -> None:
    view = wh.view("V")
    [own] = [
        r["target"] for r in wh.query("select target from oem.edges join oem.values on oid = target "
                                      "where source = '&e0_0' and label = 'Ingredient' and text = 'Mushroom'").rows()
    ]  # fmt: skip
    with wh.transaction() as tx:
        tx.set_value(own, "Nut")
    report = view.refresh()
    assert report.strategy == "incremental"
    assert "&e0_0" not in view.graph().primary


def test_the_report_says_what_was_expected_and_what_was_fetched(wh: bv.Warehouse) -> None:
    view = wh.view("V")
    with wh.transaction() as tx:
        tx.add_edge("&e1_1", "Ingredient", tx.add_object(value="Mushroom"))
    followed = view.refresh(strategy="incremental")
    again = view.refresh(strategy="recompute")
    assert followed.estimated_fetches is not None
    assert followed.fetches is not None
    assert again.fetches is not None
    assert 2 <= followed.estimated_fetches < 20
    assert 0 < followed.fetches <= followed.rows_read
    assert followed.fetches < again.fetches <= again.rows_read
    assert f"{followed.fetches:,} objects fetched (about {followed.estimated_fetches:,.0f} expected)" in str(followed)
    assert view.history()[-2]["fetches"] == followed.fetches


def test_edges_into_an_object(wh: bv.Warehouse) -> None:
    edges = wh.registry.collection(EDGES)
    found = edges_into(wh.core, edges, {"&shared", "&r0", "&nowhere"}, Resolver(wh.core.store, until=wh.epoch))
    assert found == {"&shared": 60 * 20, "&r0": 1}
