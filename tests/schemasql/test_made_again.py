"""A relation that is dropped and made again under its name is another relation: nothing of the old one may be taken for its own,
though its columns are numbered from one again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.schemafuzz.case import Case, Transaction, ViewSpec
from tests.schemafuzz.changes import AddAttribute, AddRelation, Change, DropAttribute, DropRelation, RenameAttribute
from tests.schemafuzz.session import Session
from tests.schemafuzz.tree import Attributes, Cell, Const, Header, Item, Lit, Op, Query, Ref, Var
from tests.schemasql.against import database
from tests.schemasql.paper import DB, R, T, add, cell, consts, view

WORLD = database({"r.R": ("k int, x int, y int", [(1, 10, 20), (2, 11, 21)])})
PLAIN = view(Header("q", Const("Q"), consts("k", "x")), [cell("k"), cell("x")], [T])
FOLDED = Item(Attributes(DB, R), "A")
NOT_K = Op("<>", (Var("A"), Lit("k")))
PIVOT = view(Header("q", Const("Q"), (Const("k"), Ref("A"))), [cell("k"), Cell("T", Ref("A"))], [FOLDED, T], NOT_K)
SPLIT = view(Header("q", Ref("A"), consts("k", "d")), [cell("k"), Cell("T", Ref("A"))], [FOLDED, T], NOT_K)

TURNED = (AddRelation("r.R", (("y", "int"), ("x", "int"), ("k", "int"))), add("r.R", k=3, x=12, y=22))
NARROW = (AddRelation("r.R", (("k", "int"), ("x", "int"))), add("r.R", k=1, x=13))
DROP = DropRelation("r.R")
WAYS: dict[str, tuple[tuple[Change, ...], ...]] = {
    "in one transaction, in another order": ((DROP, *TURNED),),
    "in two, in another order": ((DROP,), TURNED),
    "narrower, then wider": ((DROP, *NARROW), (AddAttribute("r.R", "z", "int"),)),
    "after a column was dropped": ((DropAttribute("r.R", "y"),), (DROP, *NARROW), (AddAttribute("r.R", "z", "int"),)),
    "after a column was renamed": ((RenameAttribute("r.R", "x", "w"),), (DROP, *TURNED)),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as made:
        yield made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("query", [PLAIN, PIVOT, SPLIT], ids=["plain", "pivot", "split"])
def test_made_again(query: Query, way: str, session: Session) -> None:
    failure = session.run(Case(way, WORLD, (ViewSpec("q", query),), tuple(map(Transaction, WAYS[way]))))
    if failure is not None:
        pytest.fail(str(failure), pytrace=False)
