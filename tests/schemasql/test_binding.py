"""What SchemaSQL texts mean, over small tables."""

from __future__ import annotations

from typing import Any

import pytest
from tests.schemasql.support import relations, rows
from tests.schemasql.texts import AIRLINE, BY_PRICETYPE, QUERIES

_B_FOLDED = [("Assoc", "cs", 50), ("Assoc", "math", None), ("Prof", "cs", 55), ("Prof", "math", 66)]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, [("cs",), ("cs",)]),
        (2, [("cs",), ("cs",)]),
        (3, [("Assoc", 50.0), ("Prof", 60.5)]),
        (4, [("Assoc", 50.0), ("Prof", 60.5)]),
        (5, [("Assoc", 62.0), ("Prof", 59.0), ("Tech", 22.0)]),
        (6, _B_FOLDED),
    ],
)
def test_queries_without_a_pivot(universities: Any, number: int, expected: list[tuple[Any, ...]]) -> None:
    assert rows(universities, QUERIES[number]) == expected


def test_query_7_makes_columns_of_values(universities: Any) -> None:
    assert relations(universities, QUERIES[7]) == {
        "salInfo": [
            {"category": "Assoc", "bio": None, "cs": 60, "math": None},
            {"category": "Prof", "bio": None, "cs": 70, "math": 65},
            {"category": "Tech", "bio": 30, "cs": None, "math": None},
        ]
    }


def test_query_8_makes_relations_of_values(universities: Any) -> None:
    assert relations(universities, QUERIES[8]) == {
        "bio": [{"category": "Tech", "salFloor": 30}],
        "cs": [{"category": "Assoc", "salFloor": 60}, {"category": "Prof", "salFloor": 70}],
        "math": [{"category": "Prof", "salFloor": 65}],
    }


def test_query_9_transposes(universities: Any) -> None:
    assert relations(universities, QUERIES[9]) == {
        "salInfo": [{"dept": "cs", "Assoc": 50, "Prof": 55}, {"dept": "math", "Assoc": None, "Prof": 66}]
    }


def test_query_10_aggregates_into_a_pivot(universities: Any) -> None:
    assert relations(universities, QUERIES[10]) == {
        "salInfo": [
            {"category": "Assoc", "cs": 62.0, "math": None},
            {"category": "Prof", "cs": 74.0, "math": 44.0},
            {"category": "Tech", "cs": None, "math": 22.0},
        ]
    }


def test_the_airline_view(airlines: Any) -> None:
    assert relations(airlines, AIRLINE) == {
        "LONDON": [{"Type": "Business", "BA": 1100, "LH": 1050}, {"Type": "Economy", "BA": 475, "LH": 500}],
        "PARIS": [{"Type": "Economy", "BA": 600, "LH": 700}],
    }


def test_the_airline_view_as_its_text_describes_it(airlines: Any) -> None:
    assert relations(airlines, BY_PRICETYPE) == {
        "Business": [{"Destination": "LONDON", "BA": 1100, "LH": 1050}],
        "Economy": [{"Destination": "LONDON", "BA": 475, "LH": 500}, {"Destination": "PARIS", "BA": 600, "LH": 700}],
    }


_ACROSS = "where D like 'univ%'"
_SAL_C = "univ-C-> R, univ-C::R T"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # databases
        (f"select D, R, count(*) n from -> D, D-> R, D::R T {_ACROSS} and R <> 'salInfo'",
         [("univ-C", "cs", 2), ("univ-C", "math", 2)]),
        (f"select D, count(*) n from -> D, D::salInfo T {_ACROSS}", [("univ-A", 4), ("univ-B", 2), ("univ-D", 1)]),
        ("select D, T.category from -> D, D::salInfo T where D in ('univ-B', 'univ-C')",
         [("univ-B", "Assoc"), ("univ-B", "Prof")]),
        # names alone
        ("select R from univ-C-> R", [("cs",), ("math",)]),
        ("select R, A from univ-C-> R, univ-C::R-> A",
         [("cs", "category"), ("cs", "salFloor"), ("math", "category"), ("math", "salFloor")]),
        ("select R1, R2 from univ-C-> R1, univ-C-> R2 where R1 < R2", [("cs", "math")]),
        ("select A from `univ-B`::salInfo-> A where not (A = 'cs' or A like '%at_gory')", [("math",)]),
        ("select R from UNIV-c-> r, univ-C::R T where T.SALFLOOR > 70", [("cs",)]),
        # fold and unite together
        (f"select R, A, T.A v from {_SAL_C}, univ-C::R-> A where A = 'category'",
         [("cs", "category", "Assoc"), ("cs", "category", "Prof"), ("math", "category", "Prof"), ("math", "category", "Tech")]),
        # an attribute variable over another relation: what it names and is not there gives nothing
        ("select D, T.D v from univ-B::salInfo-> D, univ-A::salInfo T where T.dept = 'bio'", [("category", "Tech")]),
        ("select D, T.D v from univ-B::salInfo-> D, univ-D::salInfo T", []),
        # a relation variable over another database
        ("select T.category from univ-C-> R, univ-B::R T", []),
        # domain variables
        ("select V from univ-A::salInfo.dept V", [("bio",), ("cs",), ("math",)]),
        ("select V from odd::a.v V", [(None,)]),
        ("select R, V from univ-C-> R, R.category V where R like 'c%'", [("cs", "Assoc"), ("cs", "Prof")]),
        ("select A, V from univ-B::salInfo-> A, univ-B::salInfo.A V where A <> 'category'",
         [("cs", 50), ("cs", 55), ("math", 66), ("math", None)]),
        ("select V from odd::a T, T.v V", [(None,), (None,)]),
        ("select V from univ-B::salInfo T, univ-B::salInfo-> A, T.A V where A = 'cs'", [(50,), (55,)]),
        ("select V.x from odd::b T, T.s V", [(7,)]),
        ("select T.s.x from odd::b T", [(7,)]),
        # common types
        ("select R, T.k from odd-> R, odd::R T", [("a b", 3), ("a", 1), ("a", 1), ("b", 2)]),
        ("select A, T.A v from odd::`a b`-> A, odd::`a b` T where A <> 'k'", [("x y", 4), ("x-y", 5)]),
        # what a tuple variable ranges over does not depend on what else is read of it
        ("select T.k, T.A v from odd::a-> A, odd-> R, odd::R T where A = 'v' and R in ('a', 'b')", [(1, None), (1, None)]),
        ("select R, U from odd-> R, univ-C-> U, odd::R T where R <> U and R = 'b'", [("b", "cs"), ("b", "math")]),
        # nothing to range over
        ("select count(*) n from nowhere-> R, nowhere::R T", [(0,)]),
        ("select R, sum(T.x) s from nowhere-> R, nowhere::R T", []),
        ("select R, T.x from nowhere-> R, nowhere::R T where T.x > 5", []),
        # grouping
        (f"select count(*) n from {_SAL_C}", [(4,)]),
        (f"select count(distinct T.category) n from {_SAL_C}", [(3,)]),
        ("select T.category c, count(*) n from univ-A::salInfo T group by c having n > 1", [("Prof", 2)]),
        ("select T.salFloor + 1 x, count(*) n from univ-A::salInfo T where T.dept = 'cs' group by x having x * 2 > 130",
         [(71, 1)]),
        ("select T.salFloor + 1 x, x * 2 y from univ-A::salInfo T where T.dept = 'bio'", [(31, 62)]),
        (f"select R as S, count(*) n from {_SAL_C} group by S", [("cs", 2), ("math", 2)]),
        (f"select R, count(*) n from {_SAL_C} group by 1", [("cs", 2), ("math", 2)]),
        (f"select R, count(*) n from {_SAL_C} group by all", [("cs", 2), ("math", 2)]),
        (f"select R, T.category c, count(*) n from {_SAL_C} where R = 'cs' group by rollup(R, T.category)",
         [("cs", "Assoc", 1), ("cs", "Prof", 1), ("cs", None, 2), (None, None, 2)]),
        ("select 'x' k, count(*) n from univ-A::salInfo T where T.salFloor > 1000", []),
        ("select 1 k, count(*) n from univ-A::salInfo T", [(1, 4)]),
        ("select max(T.D) m from univ-B::salInfo-> D, univ-B::salInfo T where D in ('cs','math')", [(66,)]),
        (f"select distinct R from {_SAL_C}", [("cs",), ("math",)]),
        # joins
        (f"select R, T.category, U.salFloor from {_SAL_C}, univ-C::R U where T.category = U.category and T.salFloor > 50",
         [("cs", "Assoc", 62), ("cs", "Prof", 74)]),
        ("select T.category t, t.dept u from univ-B::salInfo T, univ-D::salInfo t where T.cs = 55", [("Prof", "cs")]),
        # conditions on names that SQL decides
        (f"select distinct upper(R) u from {_SAL_C} where md5(R) <> 'x'", [("CS",), ("MATH",)]),
        (f"select R, row_number() over (order by T.salFloor) n from {_SAL_C}", [("cs", 3), ("cs", 4), ("math", 1), ("math", 2)]),
    ],
)  # fmt: skip
def test_meaning(universities: Any, text: str, expected: list[tuple[Any, ...]]) -> None:
    assert rows(universities, text) == expected
    # the same by name where it was by id
    assert rows(universities, text, idless=frozenset(universities.registry.tables())) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("create view x(category, D) as select T.category, sum(T.salFloor) from univ-A::salInfo T, T.dept D where D <> 'bio'",
         {"x": [{"category": "Assoc", "cs": 60, "math": None}, {"category": "Prof", "cs": 70, "math": 65}]}),
        (f"create view R(n) as select count(*) from {_SAL_C}", {"cs": [{"n": 2}], "math": [{"n": 2}]}),
        (f"create view R as select T.category from {_SAL_C} where T.salFloor > 60",
         {"cs": [{"category": "Assoc"}, {"category": "Prof"}]}),
        ("create view x(S, c) as select T.category, T.dept from univ-A::salInfo T, T.salFloor S where T.salFloor > 60",
         {"x": [{"65": "Prof", "70": None, "c": "math"}, {"65": None, "70": "Prof", "c": "cs"}]}),
        ("create view D(D) as select T.salFloor from univ-A::salInfo T, T.dept D where T.category = 'Prof'",
         {"cs": [{"cs": 70, "math": None}], "math": [{"cs": None, "math": 65}]}),
        ("create view T(c) as select T.category from univ-B::salInfo T", {"T": [{"c": "Assoc"}, {"c": "Prof"}]}),
        ("create view x(k, V) as select T.k, 1 from odd::a T, T.v V", {"x": [{"k": 1}]}),
    ],
)  # fmt: skip
def test_headers(universities: Any, text: str, expected: dict[str, list[dict[str, Any]]]) -> None:
    assert relations(universities, text) == expected
    assert relations(universities, text, idless=frozenset(universities.registry.tables())) == expected
