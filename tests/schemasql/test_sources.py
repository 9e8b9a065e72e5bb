"""Branches, permanent ids instead of names, and the algebra in the paper's notation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.schemasql.support import UNIVERSITIES, bound, fragments, opened
from tests.schemasql.texts import AIRLINE, QUERIES

from belvedere.algebra.ops import Get
from belvedere.languages.schemasql import SchemaBound, algebra_text

_SAL_C = "univ-C-> R, univ-C::R T"


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder: Path = tmp_path_factory.mktemp("changing")
    with opened(folder / "wh", UNIVERSITIES) as wh:
        yield wh


@pytest.mark.parametrize("text", QUERIES.values(), ids=[str(n) for n in QUERIES])
def test_the_fragments_can_be_put_together_again(universities: Any, airlines: Any, text: str) -> None:
    b = bound(airlines if "AIRLINE" in text else universities, text)
    assert b.assemble(b.sources) == b.node


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        (QUERIES[2], ["R"]),
        (QUERIES[6], ["dept"]),
        (QUERIES[10], ["R"]),
        (f"create view R(c, n) as select T.category, count(*) from {_SAL_C}", ["R"]),
        (f"select R, R as S, T.category from {_SAL_C} where R like 'c%'", ["R", "S"]),
        (f"select distinct R from {_SAL_C}", ["R"]),
        # looked at by more than the output
        (f"select R, upper(R) u from {_SAL_C}", []),
        (f"select R from {_SAL_C} where T.category = R", []),
        (f"select R from {_SAL_C} where md5(R) <> 'x'", []),
        (f"select R, count(*) n from {_SAL_C} group by R having R <> 'x'", []),
        (f"select max(R) m from {_SAL_C}", []),
        (f"select T.category, count(*) n from {_SAL_C} group by T.category, R", []),
        (f"create view x(c, R) as select T.category, R from {_SAL_C}", []),
        # a row of one relation depends on the rows of others
        (f"select R, row_number() over (order by T.salFloor) n from {_SAL_C}", []),
        # joined by name
        (f"select R, U.category from {_SAL_C}, univ-C::R U", []),
        # names of more than one range
        ("select R from -> D, D-> R, D::R T", []),
        ("select A, T.A v from univ-C-> R, univ-C::R T, univ-C::R-> A where A = 'category'", []),
        # values
        (QUERIES[7], []),
        (QUERIES[8], []),
    ],
)
def test_where_ids_stand_for_names(universities: Any, text: str, encoded: list[str]) -> None:
    b = bound(universities, text)
    assert sorted(b.dictionaries) == encoded
    for column in b.dictionaries:
        assert str(b.node.schema[column].type) == "bigint"


def test_what_has_no_id_is_kept_by_name(universities: Any) -> None:
    assert bound(universities, QUERIES[2], idless=frozenset({"univ-C.cs"})).dictionaries == {}
    assert list(bound(universities, QUERIES[2], idless=frozenset({"univ-A.salInfo"})).dictionaries) == ["R"]


def test_a_dictionary_knows_what_conditions_on_names_leave(universities: Any) -> None:
    b = bound(universities, f"select R from {_SAL_C} where R <> 'cs'")
    assert [name for _, name in b.dictionaries["R"]] == ["math"]


def test_a_pivot_is_kept_by_id_where_only_the_header_names_it(airlines: Any) -> None:
    b = bound(airlines, AIRLINE)
    assert [name for _, name in b.dictionaries[b.layout.pivot or ""]] == ["BA", "LH"]
    assert (b.layout.relation, b.layout.pivot_at, b.layout.fixed) == ("CITY", 1, (("Type", "Type"),))


def test_a_headless_select_shows_columns_as_sql_does(universities: Any) -> None:
    ranges = "univ-B::salInfo-> D, univ-B::salInfo T, T.cs V"
    b = bound(universities, f"select T.category, avg(T.D), D as x, V, D from {ranges} where D <> 'category'")
    assert b.columns == ("category", "avg(T.D)", "x", "V", "D")
    assert [name for _, name in b.layout.fixed] == list(b.columns)


def test_a_branch_reads_only_what_it_needs(universities: Any) -> None:
    (source,) = bound(universities, QUERIES[6]).sources
    leaves = [n for b in source.branches for n in b.node.walk() if isinstance(n, Get)]
    assert [leaf.columns for leaf in leaves] == [("category", "cs"), ("category", "math")]
    assert len({b.key for b in source.branches}) == 2


def test_one_branch_less_gives_its_rows_less(universities: Any) -> None:
    b = bound(universities, QUERIES[2])
    (source,) = b.sources
    node = b.assemble((replace(source, branches=source.branches[1:]),))
    assert fragments(universities, replace(b, node=node)) == []
    nothing = b.assemble((replace(source, branches=()),))
    assert nothing.schema.names == b.node.schema.names
    assert [c.type for c in nothing.schema] == [c.type for c in b.node.schema]


def _plain(b: SchemaBound) -> list[Any]:
    """The branches without what their leaves are called."""
    return [
        (x.key, x.node.items, [n.schema for n in x.node.walk() if isinstance(n, Get)])  # type: ignore[attr-defined]
        for s in b.sources for x in s.branches
    ]  # fmt: skip


def test_a_rename_is_another_dictionary_and_nothing_else(changing: Any) -> None:
    before = bound(changing, QUERIES[2])
    with changing.transaction() as tx:
        tx.rename_relation("univ-C.math", "univ-C.algebra")
        tx.add_attribute("univ-C.cs", "extra", "int")
    after = bound(changing, QUERIES[2])
    assert sorted(_plain(before), key=repr) == sorted(_plain(after), key=repr)
    assert [n for _, n in sorted(after.dictionaries["R"])] == ["cs", "algebra"]
    assert dict(before.dictionaries["R"]).keys() == dict(after.dictionaries["R"]).keys()


def test_the_algebra_in_the_papers_notation(universities: Any, airlines: Any) -> None:
    assert algebra_text(bound(airlines, AIRLINE)) == (
        "SPLIT_{CITY}(UNFOLD_{AIRLINE, FLIGHT.PRICETYPE}(π_{PRICETYPE, FLIGHT.PRICETYPE, AIRLINE, FLIGHT.Destination}("
        "σ_{PRICETYPE <> 'Destination' ∧ AIRLINE LIKE '%' ∧ FLIGHT.PRICETYPE <= '1101'}("
        "FOLD_{PRICETYPE, FLIGHT.PRICETYPE, {Business, Economy}}(UNITE_{AIRLINE}(BA, LH))))))"
    )
    assert algebra_text(bound(universities, QUERIES[1])) == (
        "π_{A.dept}(σ_{D <> 'category' ∧ A.dept = D ∧ A.category = B.category ∧ A.salFloor > B.D}("
        "univ-A::salInfo × FOLD_{D, B.D, {cs, math}}(univ-B::salInfo)))"
    )
    assert algebra_text(bound(universities, "select V from univ-A::salInfo.dept V")) == "π_{V.dept}(δ(π_{dept}(univ-A::salInfo)))"
    assert algebra_text(bound(universities, "select R from univ-C-> R")) == "π_{R}(names of R)"
