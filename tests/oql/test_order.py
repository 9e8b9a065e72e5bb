"""A list keeps its order, also where the order is not by what it shows."""

from __future__ import annotations

from pathlib import Path

import belvedere as bv


def test_an_order_by_what_is_not_shown_is_kept(tmp_path: Path) -> None:
    wh = bv.open(tmp_path / "wh", engine="duckdb")
    wh.create_table("t", "a int, b int", key="a")
    with wh.transaction() as tx:
        tx.insert("t", [{"a": a, "b": -a} for a in range(4)])
    v = wh.create_view("v", "select i.a from i in t order by i.b", language="oql")
    assert v.objects() == [3, 2, 1, 0]
    before = wh.epoch
    with wh.transaction() as tx:
        tx.update("t", {"b": 9}, where="a = 3")
        tx.insert("t", [{"a": 7, "b": -7}])
    v.refresh(strategy="incremental")
    assert v.objects() == [7, 2, 1, 0, 3]
    assert v.columns == ("value",)
    assert v.changes(since=before) == [{"value": 7, "_w": 1}]
    assert v.verify().ok
    assert sorted(r["value"] for r in wh.query("select value from v").rows()) == [0, 1, 2, 3, 7]
    v.publish()
    w = wh.create_view("w", "select x + 1 from x in v where x > 1", language="oql")
    assert sorted(w.objects()) == [3, 4, 8]


def test_an_ordered_list_of_nothing_has_the_columns_of_its_members(tmp_path: Path) -> None:
    """The condition is decided before anything is read, and what is left is an empty list: still one of members."""
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.odl("class Person (extent People) { attribute string name; };")
        none = wh.create_view("none", "select who: p.name from p in People where false order by p.name", language="oql")
        assert (none.rows(), none.columns, none.objects()) == ([], ("who",), [])
        over = wh.create_view("over", "select n.who from n in none", language="oql")
        assert over.rows() == []


def test_what_a_name_in_order_by_means(tmp_path: Path) -> None:
    """Alone a label of the projection, inside of an expression an attribute before a label."""
    with bv.open(tmp_path / "wh", engine="duckdb") as wh:
        wh.create_table("t", "a int, b int", key="a")
        with wh.transaction() as tx:
            tx.insert("t", [{"a": a, "b": b} for a, b in ((1, 3), (2, 1), (3, 2))])

        def ordered(text: str) -> list[int]:
            return [r["k"] for r in wh.query(text, language="oql").rows()]

        assert ordered("select a: b, k: a from i in t order by a") == [2, 3, 1]
        assert ordered("select a: b, k: a from i in t order by -a") == [3, 2, 1]
        assert ordered("select s: b, k: a from i in t order by -s") == [1, 3, 2]
        assert ordered("select i: b, k: a from i in t order by i.a") == [1, 2, 3]
