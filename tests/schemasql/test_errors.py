"""What is said where a SchemaSQL text does not fit the tables: the reason, the place, and what to do."""

from __future__ import annotations

from typing import Any

import pytest
from tests.schemasql.support import bound

from belvedere.errors import BelvedereError, ParseError, TypeMismatch, UnknownName, Unsupported
from belvedere.languages import bind

_T = "univ-A::salInfo T"
_ODD = "odd-> R, odd::R T"


@pytest.mark.parametrize(
    ("text", "kind", "message", "column"),
    [
        # names
        ("select T.a from univ-A::salinfos T", UnknownName,
         "there is no relation 'salinfos' in the database 'univ-A'; did you mean 'salInfo'?", 25),
        ("select T.a from salInfo T", UnknownName, "there is no relation 'salInfo' in the current database", 17),
        ("select T.a from univ-A T", UnknownName, "'univ-A' is a database: write univ-A::relation", 17),
        ("select T.a from univ-X::salInfo T", UnknownName, "there is no database 'univ-X'; did you mean 'univ-", 25),
        ("select A from univ-B::salInfos-> A", UnknownName, "there is no relation 'salInfos' in the database 'univ-B'", 23),
        (f"select T.depth from {_T}", UnknownName,
         "the relation 'univ-A::salInfo' has no attribute 'depth'; did you mean 'dept'?", 10),
        (f"select T.v from {_ODD}", UnknownName, "every relation that 'T' ranges over must have it", 10),
        ("select T.v, T.A w from odd::a-> A, odd-> R, odd::R T where A = 'zz'", UnknownName,
         "the relation 'odd::a b' has no attribute 'v'", 10),
        (f"select X from {_T}, T.depth X", UnknownName, "has no attribute 'depth'", 36),
        ("select X from univ-A::salInfo.depth X", UnknownName, "has no attribute 'depth'", 31),
        (f"select dept from {_T}", UnknownName, "there is no variable 'dept'; known: T; an attribute is written T.dept", 8),
        (f"select U.dept from {_T}", UnknownName, "'U.dept': there is no variable 'U'; known: T", 8),
        (f"select T from {_T}", UnknownName, "'T' stands for a whole tuple; write T.attribute", 8),
        ("select R.x from univ-C-> R", UnknownName, "'R' stands for a name, which has no attributes", 10),
        # ranges
        (f"select 1 from {_T}, univ-B::salInfo T", ParseError, "the variable 'T' is declared twice", 50),
        ("select 1 from univ-C::R T, univ-C-> R", UnknownName, "the variable 'R' is used before it is declared", 23),
        ("select 1 from D-> R, D::R T, -> D", ParseError, "the variable 'D' is used before it is declared", 15),
        (f"select 1 from {_T}, T-> A", UnknownName, "'T' ranges over tuples, and a database or a relation is expected here", 34),
        (f"select 1 from {_T}, T::x U", UnknownName, "'T' ranges over tuples, and a database is expected here", 34),
        ("select 1 from univ-B::salInfo-> A, univ-B::A T", UnknownName,
         "'A' ranges over attribute names, and a relation is expected here", 44),
        # types
        ("select T.D from univ-B::salInfo T, univ-B::salInfo-> D", TypeMismatch,
         "T.D reads univ-B::salInfo.category (string) and univ-B::salInfo.cs (", None),
        ("select T.A from odd::b-> A, odd::b T", TypeMismatch,
         "T.A reads odd::b.k (bigint) and odd::b.w (date), which have no common type", None),
        ("create view x(k, F) as select T.k, 1 from odd::a T, T.f F", TypeMismatch,
         "'F' is of type double, and such values make no names", 18),
        ("create view S(k) as select T.k from odd::b T, T.s S", TypeMismatch, "is of type struct<x:int>", 13),
        (f"select T.dept from {_T} where T.salFloor", TypeMismatch, "where takes a condition", 44),
        (f"select T.dept, T.dept from {_T}", TypeMismatch, "two columns of the result are named 'dept'", 16),
        (f"select T.dept, count(*) from {_T} group by T.category", TypeMismatch,
         "'T.dept' is neither a key of group by nor inside an aggregate", 8),
        # header
        (f"create view x(a, b) as select T.dept from {_T}", ParseError,
         "the header has 2 attribute(s), and the select list 1 item(s)", 15),
        (f"create view x(a, a) as select T.dept, T.category from {_T}", ParseError, "the attribute 'a' stands twice", 18),
        (f"create view x(C, D) as select T.dept, T.dept from {_T}, T.category C, T.dept D", Unsupported,
         "a second variable among the attributes of a view ('D')", 18),
        (f"create view D::x(a) as select T.dept from {_T}, T.dept D", Unsupported,
         "a variable as the database of a view ('D'); name it", 13),
        (f"create view x(c, D) as select T.category, count(*) from {_T}, T.dept D group by T.category", TypeMismatch,
         "'T.dept' is neither a key of group by", 18),
        # parameters
        (f"select T.dept from {_T} where T.salFloor > :floor", UnknownName, "parameter :floor has no value", None),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_place(
    universities: Any, text: str, kind: type[ParseError], message: str, column: int | None
) -> None:
    with pytest.raises(kind) as caught:
        bound(universities, text)
    assert type(caught.value) is kind
    assert message in str(caught.value)
    if column is not None:
        assert (caught.value.line, caught.value.column) == (1, column)


def test_a_name_that_is_a_database_and_a_relation_is_asked_about(tmp_path: Any) -> None:
    from tests.schemasql.support import opened, rows

    with opened(tmp_path / "wh", {"x": ("a int", []), "x.y": ("b int", [{"b": 1}])}) as wh:
        with pytest.raises(Unsupported, match="'x' is a database and also a relation of the current one"):
            bound(wh, "select V from x-> V")
        assert rows(wh, "select V, T.b from x-> V, x::V T") == [("y", 1)]
        assert rows(wh, "select V, T.V w from x-> V, x T") == []


def test_sql_names_cannot_be_ranged_over() -> None:
    with pytest.raises(Unsupported, match="SchemaSQL needs a catalog"):
        bind("select R from -> R", object(), "schemasql")  # type: ignore[arg-type]


def test_the_languages_are_listed() -> None:
    with pytest.raises(BelvedereError, match="this version reads sql, oql, schemasql and lorel"):
        bind("select 1", object(), "datalog")  # type: ignore[arg-type]
