"""The ten queries of the language's definition, each under the nine kinds of change of what it reads, and back again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.schemafuzz import text
from tests.schemafuzz.changes import (
    KINDS,
    AddAttribute,
    AddRelation,
    Change,
    DropAttribute,
    DropRelation,
    Insert,
    RenameAttribute,
    RenameRelation,
    Update,
)
from tests.schemafuzz.interpret import Reference
from tests.schemafuzz.layout import Content
from tests.schemafuzz.session import Session
from tests.schemafuzz.ten import QUERIES, universities
from tests.schemasql.against import agree, delete

WORLD = universities()
A, B, CS, MATH = "univ-A.salInfo", "univ-B.salInfo", "univ-C.cs", "univ-C.math"
C_COLUMNS = (("category", "string"), ("salFloor", "int"))

CHANGES: dict[str, tuple[tuple[Change, ...], ...]] = {
    "A": (
        (Insert(A, ((("dept", "ee"), ("category", "Prof"), ("salFloor", 50)),)),),
        (delete(WORLD, A, ("math", "Tech", 30)),),
        (Update(A, (("salFloor", 90),), ("dept", "cs")),),
        (AddRelation("univ-A.extra", C_COLUMNS),),
        (DropRelation(A),),
        (RenameRelation(A, "univ-A.pay"),),
        (AddAttribute(A, "bonus", "int"),),
        (DropAttribute(A, "salFloor"),),
        (RenameAttribute(A, "dept", "unit"),),
    ),
    "B": (
        (Insert(B, ((("category", "Assoc"), ("cs", 50), ("math", 51)),)),),
        (delete(WORLD, B, ("Tech", 40, None)),),
        (Update(B, (("cs", 99),), ("category", "Prof")),),
        (AddRelation("univ-B.extra", C_COLUMNS),),
        (DropRelation(B),),
        (RenameRelation(B, "univ-B.pay"),),
        (AddAttribute(B, "ee", "int"), Update(B, (("ee", 44),), ("category", "Prof"))),
        (DropAttribute(B, "math"),),
        (RenameAttribute(B, "math", "maths"),),
    ),
    "C": (
        (Insert(MATH, ((("category", "Tech"), ("salFloor", 80)),)),),
        (delete(WORLD, CS, ("Tech", 48)),),
        (Update(CS, (("salFloor", 20),), ("category", "Prof")),),
        (AddRelation("univ-C.ee", C_COLUMNS), Insert("univ-C.ee", ((("category", "Prof"), ("salFloor", 61)),))),
        (DropRelation(MATH),),
        (RenameRelation(CS, "univ-C.informatics"),),
        (AddAttribute(CS, "bonus", "int"),),
        (DropAttribute(CS, "salFloor"),),
        (RenameAttribute(CS, "salFloor", "floor"),),
    ),
}
READS = {1: "AB", 2: "C", 3: "B", 4: "B", 5: "C", 6: "B", 7: "A", 8: "A", 9: "B", 10: "C"}
EXPECTED: dict[int, dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]]] = {
    1: {"q1": (("dept",), [("cs",), ("cs",)])},
    2: {"q2": (("R",), [("cs",), ("math",)])},
    3: {"q3": (("category", "mean"), [("Prof", 63.5), ("Tech", 40.0)])},
    4: {"q4": (("category", "mean"), [("Prof", 63.5), ("Tech", 40.0)])},
    5: {"q5": (("category", "mean"), [("Assoc", None), ("Prof", 63.5), ("Tech", 48.0)])},
    6: {
        "salInfo": (
            ("category", "dept", "salFloor"),
            [("Prof", "cs", 65), ("Prof", "math", 62), ("Tech", "cs", 40), ("Tech", "math", None)],
        )
    },
    7: {"salInfo": (("category", "cs", "math"), [("Prof", 70, 60), ("Tech", 45, 30)])},
    8: {
        "cs": (("category", "salFloor"), [("Prof", 70), ("Tech", 45)]),
        "math": (("category", "salFloor"), [("Prof", 60), ("Tech", 30)]),
    },
    9: {"salInfo": (("dept", "Prof", "Tech"), [("cs", 65, 40), ("math", 62, None)])},
    10: {"salInfo": (("category", "cs", "math"), [("Assoc", None, None), ("Prof", 72.0, 55.0), ("Tech", 48.0, None)])},
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as made:
        yield made


@pytest.mark.parametrize("number", QUERIES)
def test_the_reference_gives_what_a_person_computes(number: int) -> None:
    state = Reference(QUERIES[number], f"q{number}").state(WORLD)
    assert isinstance(state, dict)
    found: Content = state
    assert {n: (r.columns, sorted(r.rows.elements(), key=str)) for n, r in found.items()} == EXPECTED[number]


def test_the_texts_are_those_of_the_definition() -> None:
    header, select, items = (
        "create view AtoC::D(category, salFloor) as",
        "select T.category, T.salFloor",
        "from univ-A::salInfo T, T.dept D",
    )
    assert text.query(QUERIES[8]) == f"{header}\n{select}\n{items}"


@pytest.mark.parametrize("kind", range(9), ids=KINDS)
@pytest.mark.parametrize(("number", "source"), [(n, s) for n, sources in READS.items() for s in sources])
def test_a_query_under_a_change(number: int, source: str, kind: int, session: Session) -> None:
    changes = CHANGES[source][kind]
    assert changes[0].kind == KINDS[kind]
    agree(session, WORLD, QUERIES[number], changes, f"q{number}")
