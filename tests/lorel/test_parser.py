"""Lorel text → syntax tree, and OEM text → tree."""

from __future__ import annotations

import datetime as dt

import pytest

from belvedere.languages.lorel import is_update, parse_oem, parse_query, parse_update, parse_view
from belvedere.languages.lorel.constants import Constant
from belvedere.languages.lorel.oem_text import OemTree
from belvedere.languages.lorel.syntax import (
    Aggregate,
    And,
    AnyPath,
    Comparison,
    Condition,
    DropName,
    Exists,
    ForAll,
    Group,
    Item,
    Label,
    Literal,
    Member,
    Not,
    Or,
    Path,
    Query,
    Range,
    SetName,
    Start,
    Step,
    Update,
    View,
)


def path(text: str) -> Path:
    """A path of plain labels."""
    start, *labels = text.split(".")
    return Path(Start(start), tuple(Step(Label(x)) for x in labels))


def constant(value: bool | int | float | str | dt.date) -> Literal:
    return Literal(Constant.of(value))


def range_of(text: str) -> Path:
    return parse_query(f"select x from {text} x").ranges[0].path


def where(text: str) -> Condition:
    found = parse_query(f"select x from Guide.x x where {text}").where
    assert found is not None
    return found


def test_a_view() -> None:
    text = """define view Favorites as
      Entrees = select e   -- the papers' example
        from Guide.Restaurant r, e in r.Entree
        where r.Name = "Baghdad Cafe" with e.Name n, e.Ingredient;"""
    query = Query(
        (Item(path("e")),), (Range(path("Guide.Restaurant"), "r"), Range(path("r.Entree"), "e")),
        Comparison("=", path("r.Name"), constant("Baghdad Cafe")),
    )  # fmt: skip
    assert parse_view(text) == View(query, (Range(path("e.Name"), "n"), Range(path("e.Ingredient"))), "Favorites", "Entrees")


def test_a_view_needs_no_header_and_no_title() -> None:
    assert parse_view("select Guide.a").name is None
    assert parse_view("define view V as select Guide.a").title is None


def test_items_have_labels() -> None:
    query = parse_query("SELECT DISTINCT r.Name AS Called, r.`odd label` as 'x y' FROM Guide.R AS r")
    assert query.distinct
    assert [i.label for i in query.items] == ["Called", "x y"]
    assert query.items[1].value == Path(Start("r"), (Step(Label("odd label")),))
    assert query.ranges == (Range(path("Guide.R"), "r"),)


A, B, C = Step(Label("a")), Step(Label("b")), Step(Label("c"))


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("G", ()),
        ("G.a.b", (A, B)),
        ("G.#.a", (AnyPath(), A)),
        ("G.a%b", (Step(Label("a%b", pattern=True)),)),
        ("G.%", (Step(Label("%", pattern=True)),)),
        ("G.`a%`", (Step(Label("a%")),)),
        ("G.`a``b`", (Step(Label("a`b")),)),
        ("G.%@L", (Step(Label("%", pattern=True), "L"),)),
        ("G.a{y}.b", (Step(Label("a"), None, "y"), B)),
        ("G.a@L{y}", (Step(Label("a"), "L", "y"),)),
        ("G(.a|.b)", (Group(((A,), (B,))),)),
        ("G(.a)?.b", (Group(((A,),), "?"), B)),
        ("G(.a)*(.b.c)+", (Group(((A,),), "*"), Group(((B, C),), "+"))),
        ("G((.a|.b)*.c)?{y}", (Group(((Group(((A,), (B,)), "*"), C),), "?", "y"),)),
        ("G.#{y}", (AnyPath("y"),)),
        ("G.select.from.where", (Step(Label("select")), Step(Label("from")), Step(Label("where")))),
        ("G . a /* far */ . b", (A, B)),
        ("G.größe", (Step(Label("größe")),)),
    ],
)
def test_paths(text: str, steps: tuple[object, ...]) -> None:
    assert range_of(text) == Path(Start("G"), steps)  # type: ignore[arg-type]


def test_an_oid_stands_where_a_name_can() -> None:
    assert range_of("&12.a") == Path(Start("&12", oid=True), (A,))


X, ONE = path("x"), constant(1)
IS = Comparison("=", X, ONE)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("x = 1", IS),
        ("x <> 1", Comparison("!=", X, ONE)),
        ("x == &5", Comparison("==", X, Path(Start("&5", oid=True)))),
        ("1 <= x", Comparison("<=", ONE, X)),
        ('x like "a%"', Comparison("like", X, constant("a%"))),
        ('x not like "a%"', Not(Comparison("like", X, constant("a%")))),
        ("x.a", Exists(None, path("x.a"))),
        ("exists x.a", Exists(None, path("x.a"))),
        ("exists y in x.a", Exists("y", path("x.a"))),
        ("exists y in x.a: y = 1", Exists("y", path("x.a"), Comparison("=", path("y"), ONE))),
        ("for all y in x.a: (y = 1)", ForAll("y", path("x.a"), Comparison("=", path("y"), ONE))),
        ("exists (select y from x.a y)", Exists(None, Query((Item(path("y")),), (Range(path("x.a"), "y"),)))),
        ("x in (select G.a)", Member(X, Query((Item(path("G.a")),)))),
        ("x not in G.a", Not(Member(X, path("G.a")))),
        ("x = 1 or x = 1 and not x = 1", Or((IS, And((IS, Not(IS)))))),
        ("(x = 1 or x = 1) and x = 1", And((Or((IS, IS)), IS))),
        ("((x) = (1))", IS),
        ("(select G.a) = 1", Comparison("=", Query((Item(path("G.a")),)), ONE)),
        ("count(x.a) > 1", Comparison(">", Aggregate("count", path("x.a")), ONE)),
        ("1 = avg(select G.a)", Comparison("=", ONE, Aggregate("avg", Query((Item(path("G.a")),))))),
        ("count(.a)* = 1", Comparison("=", Path(Start("count"), (Group(((A,),), "*"),)), ONE)),
        ("exists &15 in &10.a: x = 1",
         And((Comparison("==", Path(Start("&15", oid=True)), Path(Start("&10", oid=True), (A,))), IS))),
    ],
)  # fmt: skip
def test_conditions(text: str, condition: Condition) -> None:
    assert where(text) == condition


def test_a_quantifier_takes_one_condition() -> None:
    assert where("exists y in x.a: y = 1 and x = 1") == And((Exists("y", path("x.a"), Comparison("=", path("y"), ONE)), IS))
    inner = And((Comparison("=", path("y"), ONE), IS))
    assert where("exists y in x.a: (y = 1 and x = 1)") == Exists("y", path("x.a"), inner)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5), ("-5", -5), ("+5", 5), ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)), ("5.0", 5.0),
        ("1e3", 1000.0), ("-0.0", 0.0), ('"a"', "a"), ("'a'", "a"), ("'it''s'", "it's"), (r'"a\"b\n\\\u00e9"', 'a"b\n\\é'),
        (r'"\ud83d\ude00"', "😀"), ("''", ""), ("true", True), ("FALSE", False), ("date '2026-11-01'", dt.date(2026, 11, 1)),
        ("timestamp '2026-11-01 12:30:00'", dt.datetime(2026, 11, 1, 12, 30)),
        ("timestamp '2026-11-01T12:30:00+02:00'", dt.datetime(2026, 11, 1, 10, 30)),
    ],
)  # fmt: skip
def test_constants(text: str, value: object) -> None:
    made = where(f"x = {text}")
    assert isinstance(made, Comparison)
    assert isinstance(made.right, Literal)
    assert made.right.constant.value == value
    assert type(made.right.constant.value) is type(value)


def test_date_is_a_name_like_any_other() -> None:
    assert where("date.timestamp = x") == Comparison("=", path("date.timestamp"), X)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("name X := &5", SetName("X", Path(Start("&5", oid=True)))),
        ("name X := Guide.a;", SetName("X", path("Guide.a"))),
        ("name X := {a: 1}", SetName("X", OemTree(None, (("a", OemTree(None, Constant("int", 1))),)))),
        ('name X := "x"', SetName("X", constant("x"))),
        ("drop name `a b`", DropName("a b")),
        ("update Guide.a := 5", Update(path("Guide.a"), ":=", constant(5))),
        ("update Guide.a += &7 {}", Update(path("Guide.a"), "+=", OemTree("&7", ()))),
        ("update r.a -= (select Guide.b) from Guide.r r where r.x = 1",
         Update(path("r.a"), "-=", Query((Item(path("Guide.b")),)), (Range(path("Guide.r"), "r"),),
                Comparison("=", path("r.x"), ONE))),
    ],
)  # fmt: skip
def test_updates(text: str, statement: object) -> None:
    assert parse_update(text) == statement
    assert is_update(text)


@pytest.mark.parametrize(
    "text",
    ["update t set a = 1", "update t set a = ':= +='", "drop table name", "insert into name values (1)", "select 1", "", "'"],
)
def test_what_is_no_update_of_lorel(text: str) -> None:
    assert not is_update(text)


def test_oem_text() -> None:
    tree = parse_oem('&1 {Name: "Thai", `odd label`: -1.5, "x": {}, Near: &1, At: &2 date "2026-11-01",}')
    assert tree == OemTree("&1", (
        ("Name", OemTree(None, Constant("string", "Thai"))), ("odd label", OemTree(None, Constant("real", -1.5))),
        ("x", OemTree(None, ())), ("Near", OemTree("&1", None)),
        ("At", OemTree("&2", Constant("date", dt.date(2026, 11, 1)))),
    ))  # fmt: skip


def test_depth_is_no_limit_of_oem_text() -> None:
    tree = parse_oem("{a: " * 5000 + "1" + "}" * 5000)
    depth = 0
    while isinstance(tree.value, tuple):
        depth, tree = depth + 1, tree.value[0][1]
    assert depth == 5000
    assert tree.value == Constant("int", 1)
