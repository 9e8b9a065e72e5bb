"""Which part of a definition is asked of other databases, and which conditions may go with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import belvedere as bv
from belvedere.algebra.rewrite import rewrite
from belvedere.algebra.steady import compared, steady
from belvedere.languages.sql import bind_predicate
from belvedere.maintenance.remote import RemoteJoin, cut


@pytest.fixture(scope="module")
def wh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bv.Warehouse]:
    with bv.open(Path(tmp_path_factory.mktemp("cut")) / "wh", engine="duckdb") as opened:
        for name in ("s.a", "s.b", "t.c"):
            opened.create_table(name, "id bigint, k int, name string, d decimal(10,2), x double", key="id")
        opened.create_table("here", "id bigint, k bigint", key="id")
        yield opened


def parts(wh: bv.Warehouse, text: str) -> list[RemoteJoin]:
    """Tables of s and t are elsewhere."""
    node = rewrite(wh.bound(text).node)
    whole, found = cut("v", node, lambda n: n.startswith(("s.", "t.")))
    assert whole.schema == node.schema
    assert not any(n.startswith(("Get s.", "Get t.")) for n in (x.label for x in whole.walk()))
    return list(found)


def shown(joins: list[RemoteJoin]) -> list[tuple[list[str], int, tuple[str, ...]]]:
    return [([leaf.name for leaf in j.leaves], len(j.conditions), j.columns) for j in joins]


def test_what_comparisons_connect_is_one_join(wh: bv.Warehouse) -> None:
    text = "select a.name, c.x from s.a a, here h, s.b b, t.c c where a.k = b.k and h.id = a.id and b.id = c.k and a.k > 3"
    [join] = parts(wh, text)
    assert [leaf.name for leaf in join.leaves] == ["s.a", "s.b", "t.c"]
    assert [str(c) for c in join.conditions] == ["`k` > 3", "`k` = `k_2`", "`id_3` = CAST(`k_3` AS BIGINT)"]
    assert join.columns == ("id", "name", "x")


def test_what_nothing_connects_is_apart(wh: bv.Warehouse) -> None:
    assert shown(parts(wh, "select a.id, b.name from s.a a cross join s.b b")) == [(["s.a"], 0, ("id",)), (["s.b"], 0, ("name",))]
    assert len(parts(wh, "select a.id from s.a a join s.b b on a.k + 1 = b.k")) == 2
    assert len(parts(wh, "select a.id from s.a a join s.b b on a.k <> b.k")) == 2


def test_operators_above_stay_here(wh: bv.Warehouse) -> None:
    assert shown(parts(wh, "select name, count(*) n from s.a group by name")) == [(["s.a"], 0, ("name",))]
    assert len(parts(wh, "select a.id, b.id i from s.a a left join s.b b on a.k = b.k")) == 2
    assert len(parts(wh, "select id from s.a a where exists (select 1 from t.c c where c.k = a.k)")) == 2
    assert len(parts(wh, "select id from s.a union all select id from t.c")) == 2


def test_what_is_asked_for_twice_is_kept_once(wh: bv.Warehouse) -> None:
    assert len(parts(wh, "select id from s.a where k = 1 union all select id from s.a where k = 1")) == 1


def test_conditions_that_can_fail_stay_here(wh: bv.Warehouse) -> None:
    [join] = parts(wh, "select a.id from s.a a join t.c c on a.k = c.k where 10 / a.k > 1 and upper(c.name) = 'X' and a.id > 2")
    assert [str(c) for c in join.conditions] == ["`id` > CAST(2 AS BIGINT)", "`k` = `k_2`"]
    assert set(join.columns) == {"id", "k", "name"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("k = id", True), ("k < 3", True), ("d >= 1.5", True), ("d = k", True), ("name = 'x' or k is null", True),
        ("k in (1, 2)", True), ("id between 1 and 5", True), ("not (x <=> 1.0)", True), ("x = d", False), ("k + 1 = id", False),
        ("cast(d as int) = 1", False), ("cast(name as int) = 1", False), ("cast(id as int) = k", False), ("1 / k = 1", False),
        ("name like 'a%'", False), ("try_cast(id as int) = 1", False),
    ],
)  # fmt: skip
def test_steady(wh: bv.Warehouse, condition: str, expected: bool) -> None:
    assert steady(bind_predicate(condition, wh.table_schema("s.a"))) is expected


def test_compared(wh: bv.Warehouse) -> None:
    def of(text: str) -> tuple[str, str] | None:
        return compared(bind_predicate(text, wh.table_schema("s.a")))

    assert [of("k = id"), of("d >= k"), of("k <> id"), of("k = 3"), of("cast(d as int) = k")] == [
        ("k", "id"), ("d", "k"), None, None, None,
    ]  # fmt: skip
