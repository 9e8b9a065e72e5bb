"""The paper's tables of propagation, Figs 5-8 and 11-14, row by row in the corrected reading, and its example, Figs 1 and 10.

Each operator stands alone in a view. A row makes its change in the tables behind the view, which must then be what the reference
interpreter computes anew. The row also says what happens to the schema of the view: the columns of each relation, or why the
view is invalid. So a row that no longer shows what it is there for is noticed too.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.schemafuzz.session import Session
from tests.schemafuzz.tree import Query
from tests.schemafuzz.world import World
from tests.schemasql.against import after, agree
from tests.schemasql.paper import Row
from tests.schemasql.paper_columns import FOLD, FOLD_OVER, FOLD_ROWS, UNFOLD, UNFOLD_OVER, UNFOLD_ROWS
from tests.schemasql.paper_relations import (
    AIRLINE_ROWS,
    AIRLINES_OVER,
    PER_CITY,
    PER_TYPE,
    SPLIT,
    SPLIT_OVER,
    SPLIT_ROWS,
    UNITE,
    UNITE_OVER,
    UNITE_ROWS,
)

OPERATORS: dict[str, tuple[Query, World, list[Row]]] = {
    "UNFOLD": (UNFOLD, UNFOLD_OVER, UNFOLD_ROWS),
    "FOLD": (FOLD, FOLD_OVER, FOLD_ROWS),
    "SPLIT": (SPLIT, SPLIT_OVER, SPLIT_ROWS),
    "UNITE": (UNITE, UNITE_OVER, UNITE_ROWS),
    "airlines": (PER_CITY, AIRLINES_OVER, AIRLINE_ROWS),
}
EVERY = [pytest.param(o, n, id=f"{o}: {row[0]}") for o, (_, _, rows) in OPERATORS.items() for n, row in enumerate(rows)]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as made:
        yield made


@pytest.mark.parametrize(("operator", "number"), EVERY)
def test_the_reference_reads_the_row_as_the_corrected_paper_does(operator: str, number: int) -> None:
    query, world, rows = OPERATORS[operator]
    assert after(world, query, rows[number][1]) == rows[number][2]


@pytest.mark.parametrize(("operator", "number"), EVERY)
def test_a_row_of_the_tables(operator: str, number: int, session: Session) -> None:
    query, world, rows = OPERATORS[operator]
    agree(session, world, query, rows[number][1])


@pytest.mark.parametrize("number", range(len(AIRLINE_ROWS)), ids=[r[0] for r in AIRLINE_ROWS])
def test_relations_for_classes_of_travel(number: int, session: Session) -> None:
    agree(session, AIRLINES_OVER, PER_TYPE, AIRLINE_ROWS[number][1])
