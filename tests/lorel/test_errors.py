"""What is said where a Lorel text cannot be understood: the reason, the place, and what to do."""

from __future__ import annotations

import pytest

from belvedere.errors import ParseError, TypeMismatch, UnknownName, Unsupported
from belvedere.languages.lorel import parse_oem, parse_update, parse_view
from belvedere.languages.lorel.resolve import resolve_view
from belvedere.languages.lorel.scopes import Session

NAMES = ["Guide", "Map"]


def resolve(text: str) -> None:
    resolve_view(parse_view(text), Session(text, NAMES))


@pytest.mark.parametrize(
    ("text", "kind", "message", "column"),
    [
        # words
        ("select x from Guide.x x where x = 'a", ParseError, "the quote ' is not closed", 35),
        ("select x /* from", ParseError, "the comment is not closed", 10),
        (r"select x from Guide.x x where x = '\ud800'", ParseError, "stands alone in this string", 35),
        # clauses
        ("", ParseError, "`select …` or `define view V as N = select …` is expected, and this is the end of the text", None),
        ("select", ParseError, "a path, a constant or an aggregate is expected, and this is the end of the text", 7),
        ("select x frm Guide.x x", ParseError, "this is 'frm'", 10),
        ("select x from Guide.x x wher x = 1", ParseError, "this is 'wher'", 25),
        ("select x from", ParseError, "a path is expected", 14),
        ("select x from select", ParseError, "'select' is a keyword; write it as `select` in backticks", 15),
        ("select x from Guide.x x; select y", ParseError, "this is 'select'", 26),
        ("define view as select x", ParseError, "'as' is a keyword", 13),
        ("define view V as N select x", ParseError, "`=` is expected after 'N'", 20),
        # paths
        ("select x from Guide.a* x", ParseError, "only a group can be repeated; write (.a)*", 22),
        ("select x from Guide.(a|b) x", ParseError, "no point stands before a group", 21),
        ("select x from Guide(.a|) x", ParseError, "a step such as `.label` is expected in a group", 24),
        ("select x from Guide(.a{y})* x", ParseError, "inside of a group cannot be bound", 23),
        ("select x from Guide(.a@L)* x", ParseError, "a label inside of a group cannot be bound", 23),
        ("select x from Guide.5 x", ParseError, "a label (others than words are written in backticks)", 21),
        ("select x from Guide.a x where x. = 1", ParseError, "after the point, and this is '='", 34),
        # conditions
        ("select x from Guide.x x where x =", ParseError, "a path, a constant or an aggregate is expected", 34),
        ("select x from Guide.x x where 5", ParseError, "a comparison (= != < <= > >= == like in) is expected", 32),
        ("select x from Guide.x x where (x = 1", ParseError, "`)` is expected after the condition", 37),
        ("select x from Guide.x x where for all y in x.a", ParseError, "`:` is expected before the condition of for all", 47),
        ("select x from Guide.x x where x = 99999999999999999999", ParseError, "beyond 64 bits", 35),
        ("select x from Guide.x x where x = 1e999", ParseError, "too large for a number", 35),
        ("select x from Guide.x x where x = date '2026-02-30'", ParseError, "is no date; write date '2026-11-01'", 40),
        ("select x from Guide.x x where x like 5", TypeMismatch, "like takes a pattern in quotes", 38),
        ("select x from Guide.x x where x like x.a", TypeMismatch, "like takes a constant pattern", 38),
        ("select x from Guide.x x where x == 5", TypeMismatch, "this is no object; `=` compares values", 36),
        ("select x from Guide.x x where x in (select x.a, x.b)", ParseError,
         "a query that stands for a set selects one thing", 37),
        # names
        ("select r from Guid.R r", UnknownName,
         "unknown name 'Guid': no variable, and no name of the database; did you mean 'Guide'?", 15),
        ("select r from Guide.R r where q.a = 1", UnknownName, "unknown name 'q'", 31),
        ("select r from Guide.R r where exists y in r.a: y = 1 and y = 2", UnknownName, "unknown name 'y'", 58),
        ("select r from Guide.R r, Guide.S r", ParseError, "the variable 'r' is bound twice", 32),
        ("select r from Guide.R{r}.S r", ParseError, "the variable 'r' is bound twice", 26),
        ("select L from Guide.%@L r", Unsupported, "'L' is bound to a label, which is no object to select", 8),
        ("select r from Guide.%@L r, L.a x", ParseError, "'L' is bound to a label, which has no edges", 28),
        ("select 5 from Guide.R r", Unsupported, "select gives objects", 8),
        ("select count(Guide.R)", Unsupported, "select gives objects", 8),
        ("select Guide.a, Map.b", ParseError, "the selected paths must begin alike", 1),
        ("select r from Guide.R r, r.E e with e.Name", ParseError, "begins at an object that select gives, 'r'; 'e' is none", 37),
        ("select r from Guide.R r with Guide.R.Name", ParseError,
         "begins at an object that select gives, 'r'; 'Guide' is none", 30),
    ],
)  # fmt: skip
def test_errors(text: str, kind: type[ParseError], message: str, column: int | None) -> None:
    with pytest.raises(kind) as caught:
        resolve(text)
    assert message in str(caught.value)
    assert type(caught.value) is kind
    if column is not None:
        assert (caught.value.line, caught.value.column) == (1, column)


def test_the_caret_points_at_the_place() -> None:
    with pytest.raises(UnknownName) as caught:
        resolve("select r\nfrom Guide.R r,\n     Gide.S s")
    assert str(caught.value).endswith("line 3, column 6:\n       Gide.S s\n       ^")


def test_names_are_not_asked_for_where_they_are_not_known() -> None:
    text = "select r from Nowhere.R r"
    assert resolve_view(parse_view(text), Session(text, None)).query.hops


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("{a 1}", "`:` is expected after the label 'a'", 4),
        ("{a: 1 b: 2}", "`,` or `}` is expected after an object's part", 7),
        ("{a: }", "an object: {label: …}", 5),
        ("{a: {b: 1}", "`,` or `}` is expected", 11),
        ("5 6", "the end of the text is expected after the object", 3),
        ("{a: null}", "null is no object in OEM; leave the edge out", 5),
        ("{5: 1}", "a label is expected inside `{`", 2),
        ('{a: "x}', 'the quote " is not closed', 5),
    ],
)
def test_oem_text(text: str, message: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse_oem(text)
    assert message in str(caught.value)
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name X = 5", "`:=` is expected after the name"),
        ("drop X", "`name` is expected after drop"),
        ("update Guide.a 5", "`:=`, `+=` or `-=` is expected after the path"),
        ("update Guide.a :=", "a query, a path, an oid, a constant or an object {…} is expected"),
        ("delete Guide.a", "`name X := …`, `drop name X` or `update path := …` is expected"),
    ],
)
def test_updates(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_update(text)
    assert message in str(caught.value)


def test_nesting_has_an_end() -> None:
    text = "select x from Guide.x x where " + "(" * 100_000 + "x = 1" + ")" * 100_000
    with pytest.raises(ParseError, match="nested too deeply"):
        parse_view(text)
