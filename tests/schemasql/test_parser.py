"""SchemaSQL texts: what the parser sees, and what it says where it cannot read on."""

from __future__ import annotations

import pytest
from tests.schemasql.texts import QUERIES

from belvedere.errors import ParseError, Unsupported
from belvedere.languages.schemasql.parser import parse
from belvedere.languages.schemasql.static import holds, is_static
from belvedere.languages.schemasql.syntax import Declaration
from belvedere.languages.schemasql.tokens import tokens_of


def shown(d: Declaration) -> str:
    database = f"{d.database.text}::" if d.database else ""
    rest = "->" if d.arrow else (f".{d.attribute.text}" if d.attribute else "")
    return f"{database}{d.relation.text if d.relation else ''}{rest} {d.variable.text}"


@pytest.mark.parametrize("text", QUERIES.values(), ids=[str(n) for n in QUERIES])
def test_the_texts_of_the_papers_are_read(text: str) -> None:
    assert parse(text).declarations


def test_ranges() -> None:
    text = "select 1 from -> D, D-> R, D::R-> A, D::R T, univ-C::`a b` as `U V`, T.A X, x::y.z V, T.b W"
    assert [shown(d) for d in parse(text).declarations] == [
        "-> D", "D-> R", "D::R-> A", "D::R T", "univ-C::a b U V", "T.A X", "x::y.z V", "T.b W",
    ]  # fmt: skip


def test_a_header() -> None:
    header = parse("create materialized view univ-X::`my rel`(a, `b c`) as select T.a, T.b from t T").header
    assert header is not None
    assert header.database is not None
    assert (header.database.text, header.name.text) == ("univ-X", "my rel")
    assert [a.text for a in header.attributes or ()] == ["a", "b c"]


def test_from_inside_of_parentheses_or_after_a_point_is_no_clause() -> None:
    parsed = parse("select extract(year from T.d), T.from from t T -- from x\nwhere T.s = 'from' /* from */")
    assert [shown(d) for d in parsed.declarations] == ["t T"]


def test_a_minus_is_part_of_a_name_but_an_arrow_is_not() -> None:
    assert [t.text for t in tokens_of("univ-C->R a-1 a - 1")][:-1] == ["univ-C", "->", "R", "a-1", "a", "-", "1"]


def test_positions_after_the_from_clause_are_those_of_the_text() -> None:
    text = "create view x(a) as\nselect T.a\nfrom t T,\n  u U\nwhere T.a = = 2"
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.line == 5
    assert caught.value.text == text


@pytest.mark.parametrize(
    ("text", "kind", "message", "at"),
    [
        ("selec x", ParseError, "`select …` or `create view name(…) as select …` is expected, and this is 'selec'", (1, 1)),
        ("", ParseError, "is expected, and this is the end of the text", (1, 1)),
        ("create table x as select 1", ParseError, "`create view` is expected, and after create comes 'table'", (1, 8)),
        ("create view x(a as select 1", ParseError, "`,` or `)` is expected in the header, and this is 'as'", (1, 17)),
        ("create view x(a) select 1", ParseError, "`as select …` is expected after the header, and this is 'select'", (1, 18)),
        ("create view 'x'(a) as select 1", ParseError, "a name that is no plain identifier is written in backticks", (1, 13)),
        ("select 1", ParseError, "the from clause is missing", (1, 9)),
        ("select 1 from t", ParseError, "a variable for the range `t` is expected, and this is the end of the text", (1, 16)),
        ("select 1 from a::b where 1=1", ParseError, "a variable for the range `a::b` is expected, and this is 'where'", (1, 20)),
        ("select 1 from , t T", ParseError, "a range (`->`, `db->`", (1, 15)),
        ("select 1 from t T U", ParseError, "`,`, where or group by is expected after a variable, and this is 'U'", (1, 19)),
        ("select 1 from t T join u U on 1=1", Unsupported, "join in a from clause; declare both variables", (1, 19)),
        ("select 1 from (select 1) T", Unsupported, "a subquery in a from clause", (1, 15)),
        ("with a as (select 1) select 1 from a T", Unsupported, "with in SchemaSQL; make a view of it", (1, 1)),
        ("select T.a from t T where T.a in (select 1)", Unsupported, "a subquery in SchemaSQL", (1, 42)),
        ("select T.a from t T order by T.a", Unsupported, "order by; the rows of a view have no order", (1, 30)),
        ("select T.a from t T limit 3", Unsupported, "limit in SchemaSQL", None),
        ("select * from t T", Unsupported, "* in SchemaSQL; name the attributes", None),
        ("select T.* from t T", Unsupported, "* in SchemaSQL; name the attributes", (1, 8)),
        ("select explode(T.a) from t T", Unsupported, "a function that makes rows in SchemaSQL", (1, 8)),
        ("select distinct on (T.a) T.b from t T", Unsupported, "distinct on in SchemaSQL", (1, 21)),
        ("select T.a from t T union select 1", Unsupported, "union in SchemaSQL; make a view of each part", (1, 21)),
        ("select T.a from d::t T union all select U.a from d::u U", Unsupported, "union in SchemaSQL; make a view", (1, 24)),
        ("select T.a from d-> R, d::R T where T.a > 1 except select 1 from d::u U", Unsupported, "except in SchemaSQL", (1, 45)),
        ("(select T.a from d::t T) intersect (select U.a from d::u U)", Unsupported, "intersect in SchemaSQL", (1, 26)),
        ("select T.a from t T; select 1", ParseError, "one query is expected, and the text has 2 statements", None),
        ("select T.a from t T where 'x", ParseError, "the quote ' is not closed", (1, 27)),
        ("select T.a from `t T", ParseError, "the quote ` is not closed", (1, 17)),
        ("select T.a from t T /* x", ParseError, "the comment is not closed", (1, 21)),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_place(
    text: str, kind: type[ParseError], message: str, at: tuple[int, int] | None
) -> None:
    with pytest.raises(kind) as caught:
        parse(text)
    assert message in str(caught.value)
    if at is not None:
        assert (caught.value.line, caught.value.column) == at


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("R = 'cs'", True), ("R <> 'cs'", False), ("R in ('a', 'cs')", True), ("R not in ('a', null)", None),
        ("R like 'c%'", True), ("R like 'c_'", True), ("R not like '%x%'", True), ("R like 'c!%' escape '!'", False),
        ("R between 'a' and 'd'", True), ("R is null", False), ("R is not null", True), ("R = null", None),
        ("R < 'd' and not (R = 'x' or R = 'y')", True), ("R = null or R = 'cs'", True), ("upper(R) = 'CS'", True),
        ("length(R) > 2", False), ("R <=> null", False), ("R is distinct from 'x'", True),
        ("startswith(R, 'c')", True), ("R || 'x' = 'csx'", True), ("true", True),
    ],
)  # fmt: skip
def test_conditions_on_names_are_decided_as_in_sql(condition: str, value: bool | None) -> None:
    tree = parse(f"select R from t T where {condition}").select.args["where"].this
    assert holds(tree, {"R": "cs"}) is value


@pytest.mark.parametrize("condition", ["R = 5", "T.a = R", "md5(R) = 'x'", "1 = 1", "R rlike 'x'", "R like 'a\\\\b'"])
def test_other_conditions_are_left_to_sql(condition: str) -> None:
    tree = parse(f"select R from t T where {condition}").select.args["where"].this
    assert not is_static(tree, frozenset({"R"}))
