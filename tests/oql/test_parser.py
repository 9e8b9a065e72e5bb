"""OQL text ↔ syntax tree."""

from __future__ import annotations

from pathlib import Path

import pytest

import belvedere as bv
from belvedere.errors import ParseError
from belvedere.languages.oql import ast, text
from belvedere.languages.oql.parser import parse, parse_query

ROUND = [
    "select struct(E: e.name, D: d.name) from e in Employees, d in Departments where e.dept = d",
    "select distinct x.a, b: y from x in Employees, y in x.deps order by x.a desc, y",
    "select * from Employees, d in Departments",
    "select m, n: count(*) from o in orders group by m: o.date.month, order: o.no having count(partition) > 1 order by m",
    "for all q in w: exists r in q.s: r = 3",
    "x > any (select z from z in Q) and y != all set(1, 2) or not (a like \"b%\")",
    "(long) -5 + 3",
    "(long) (double) sum(xs)",
    "x.a + ((Car) (Vehicle) y)",
    "1 + ((long) x)",
    "a.b.c(1, 2)[3:4][$1]",
    "a - (b - c) - d",
    "- -x",
    "abs -x",
    "((set<long>) x) union y intersect z except (u union v)",
    "Person(name: \"x\", age: 3).name",
    "date '2020-01-01' < e.date and timestamp '2020-01-01 10:00:00' = t and time '10:00:00' = u",
    "bag((select x from x in A), bag(1), list(), array(nil, undefined))",
    "select (distinct(x)) from x in A",
    "element(select x from x in A).b",
    "'c' || \"it\\\"s\"",
    "a in b and a in b = c",
    "`select`.`odd name`",
    "count(select x from x in A) + count(partition)",
    "define f(long x, set<string> y, employee e) as x + 1;\nundefine g;\nf(1, set(), e)",
    "1.5e+20 + 2.0 mod 3",
]


@pytest.mark.parametrize("source", ROUND)
def test_text_reads_back_as_the_same_tree(source: str) -> None:
    tree = parse(source)
    assert parse(text.program(tree)) == tree


@pytest.mark.parametrize("source", [s for s in ROUND if s not in ("select (distinct(x)) from x in A",)])
def test_text_is_printed_as_it_was_written(source: str) -> None:
    assert text.program(parse(source)) == source


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("a + b * c", ast.Binary("+", ast.Name("a"), ast.Binary("*", ast.Name("b"), ast.Name("c")))),
        ("not a = b", ast.Binary("=", ast.Unary("not", ast.Name("a")), ast.Name("b"))),
        ("a in b * c", ast.Binary("*", ast.Binary("in", ast.Name("a"), ast.Name("b")), ast.Name("c"))),
        ("a->b", ast.Path(ast.Name("a"), "b")),
        ("A <> SOME (b)", ast.Compared("!=", "any", ast.Name("A"), ast.Name("b"))),
        ("(a) - 1", ast.Binary("-", ast.Name("a"), ast.Literal("integer", 1))),
        ("(a) b", ast.Cast(ast.TypeName("a"), ast.Name("b"))),
        ("SELECT X FROM Y AS X", ast.Select((ast.Item(ast.Name("X")),), (ast.Iterator(ast.Name("Y"), "X"),))),
        ("select order.date from order in orders", ast.Select(
            (ast.Item(ast.Path(ast.Name("order"), "date")),), (ast.Iterator(ast.Name("orders"), "order"),))),
    ],
)  # fmt: skip
def test_what_binds_how(source: str, tree: ast.Expr) -> None:
    assert parse_query(source) == tree


@pytest.mark.parametrize(
    ("source", "message", "line", "column"),
    [
        ("select from x", "unexpected 'from'; expected an expression", 1, 8),
        ("select a\nfrm x", "expected , or from", 2, 5),
        ("a +", "the text ends too early; expected an expression", 1, 4),
        ("select \"abc", "a string that does not end", 1, 8),
        ("x = = 3", "unexpected '='", 1, 5),
        ("a ? b", "'?' is no part of OQL", 1, 3),
        ("", "a query is expected", 1, 1),
        ("99999999999999999999", "too large", 1, 1),
    ],
)
def test_errors_say_where_and_what_was_expected(source: str, message: str, line: int, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(source)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


def test_positions() -> None:
    tree = parse_query("select e.nme\nfrom e in Employees")
    assert isinstance(tree, ast.Select)
    assert tree.items is not None
    assert tree.items[0].expr.pos == ast.Position(1, 10)
    assert tree.iterators[0].pos == ast.Position(2, 6)


def test_definitions_without_a_query_have_a_place(tmp_path: Path) -> None:
    with bv.open(tmp_path / "wh", engine="duckdb") as wh, pytest.raises(bv.ParseError, match="a query is expected") as wrong:
        wh.query("define one() as 1;\n  define more(long n) as n + 1;", language="oql")
    assert (wrong.value.line, "^" in str(wrong.value)) == (2, True)
