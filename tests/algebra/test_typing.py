"""Types of expressions: a table of what Spark itself answers, the casts that are written out, and the errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlglot import exp

from belvedere.algebra.ops import Get
from belvedere.algebra.types import Schema, parse_schema
from belvedere.algebra.typing import annotate, parse_expression, scalar
from belvedere.errors import ParseError, TypeMismatch, UnknownName, Unsupported
from belvedere.languages.sql import bind
from belvedere.languages.sql.catalog import Relation

SCHEMA = parse_schema(
    "i int, l bigint, ti tinyint, si smallint, f float, d double, dec decimal(12,2), dec2 decimal(20,10), dec3 decimal(38,18), "
    "s string, bin binary, b boolean, dt date, ts timestamp, ntz timestamp_ntz, xs array<int>, xss array<string>, "
    "m map<string,int>, m2 map<int,string>, st struct<x:int,y:struct<z:string>>, sts array<struct<a:int,b:string>>, v variant"
)
LINES = (Path(__file__).parent / "typing_cases.txt").read_text().splitlines()[1:]
CASES = [tuple(line.rsplit(" | ", 1)) for line in LINES]


class OneTable:
    def relation(self, name: str) -> Relation | None:
        return Relation("t", SCHEMA, Get("t", SCHEMA, SCHEMA.names)) if name == "t" else None

    def relation_names(self) -> list[str]:
        return ["t"]

    def udf(self, name: str) -> None:
        return None


def type_of(text: str) -> str:
    return str(bind(f"select {text} as x from t", OneTable()).node.schema["x"].type)


@pytest.mark.parametrize(("text", "expected"), [c for c in CASES if c[1] != "!"])
def test_types_are_sparks(text: str, expected: str) -> None:
    assert type_of(text) == expected


@pytest.mark.parametrize("text", [c[0] for c in CASES if c[1] == "!"])
def test_what_spark_refuses_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        type_of(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("i + l", "CAST(`i` AS BIGINT) + `l`"),
        ("i / l", "CAST(`i` AS DOUBLE) / CAST(`l` AS DOUBLE)"),
        ("dec * 2", "`dec` * CAST(2 AS DECIMAL(1, 0))"),
        ("dt = '2020-01-01'", "`dt` = CAST('2020-01-01' AS DATE)"),
        ("s = 1", "CAST(`s` AS BIGINT) = CAST(1 AS BIGINT)"),
        ("concat(s, i)", "CONCAT(`s`, CAST(`i` AS STRING))"),
        ("coalesce(i, 1L)", "COALESCE(CAST(`i` AS BIGINT), CAST(1 AS BIGINT))"),
        ("case when b then 1 else 2L end", "CASE WHEN `b` THEN CAST(1 AS BIGINT) ELSE CAST(2 AS BIGINT) END"),
        ("array(1, null)", "ARRAY(1, CAST(NULL AS INT))"),
        ("dt > ts", "CAST(`dt` AS TIMESTAMP) > `ts`"),
        ("i in (1, 2L)", "CAST(`i` AS BIGINT) IN (CAST(1 AS BIGINT), CAST(2 AS BIGINT))"),
        ("transform(xs, x -> x + 1L)", "TRANSFORM(`xs`, x -> CAST(x AS BIGINT) + CAST(1 AS BIGINT))"),
        ("I + ST.X", "`i` + `st`.`x`"),
    ],
)
def test_implicit_casts_are_written_out(text: str, written: str) -> None:
    assert str(scalar(text, SCHEMA)) == written


#: parts that are no values: patterns, units, numbers of digits
_SYNTAX = ("format", "unit", "decimals", "charset")
_AGGREGATES = ("sum(", "avg(", "count", "min(", "max", "stddev(", "var_pop(", "bool_and(", "collect_", "any_value(", "array_agg(",
               "grouping(", "over (", "median(", "percentile(", "listagg(")  # fmt: skip


@pytest.mark.parametrize("text", [c[0] for c in CASES if c[1] != "!" and not any(a in c[0] for a in _AGGREGATES)])
def test_every_part_that_is_a_value_has_a_type(text: str) -> None:
    values = (exp.Column, exp.Literal, exp.Func, exp.Binary, exp.Paren, exp.Case)
    for node in scalar(text, SCHEMA).expr.walk(prune=lambda n: isinstance(n, (exp.DataType, exp.Interval, exp.JSONPath))):
        if not isinstance(node, values) or isinstance(node, (exp.PropertyEQ, exp.TimeStrToTime)):
            continue
        syntax = node.arg_key in _SYNTAX or (isinstance(node.parent, exp.Initcap) and node.arg_key == "expression")
        assert "t" in node.meta or syntax, repr(node)


def test_deep_expressions_take_linear_time() -> None:
    text = " + ".join(["i"] * 300)
    assert str(scalar(text, SCHEMA).type) == "int"


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("nope", UnknownName, "unknown column 'nope'"),
        ("ii", UnknownName, "did you mean 'i'"),
        ("st.q", UnknownName, "unknown field 'q'"),
        ("uper(s)", UnknownName, "did you mean 'upper'"),
        ("i + b", TypeMismatch, "+ takes numbers"),
        ("i and b", TypeMismatch, "takes a boolean"),
        ("upper(xs)", TypeMismatch, "upper takes a string"),
        ("case when i then 1 end", TypeMismatch, "takes a boolean"),
        ("case when b then xs else 1 end", TypeMismatch, "no common type"),
        ("cast(xs as int)", TypeMismatch, "cannot be cast"),
        ("cast(i as nonsense)", ParseError, "a type is expected"),
        ("cast(i as uuid)", TypeMismatch, "unknown type"),
        ("m = m", TypeMismatch, "cannot be compared"),
        ("xs['a']", TypeMismatch, "an array's index"),
        ("i.x", TypeMismatch, "only a struct has fields"),
        ("pmod(i)", TypeMismatch, "pmod takes two"),
        ("bround()", TypeMismatch, "bround"),
        ("struct(1 as a, 2 as a)", TypeMismatch, "two fields of the same name"),
        ("rand()", Unsupported, "store the value in a column"),
        ("uuid()", Unsupported, "store the value in a column"),
        ("now()", Unsupported, "bind a literal"),
        ("current_timestamp()", Unsupported, "bind a literal"),
        ("current_date", Unsupported, "bind a literal"),
        ("monotonically_increasing_id()", Unsupported, "how the data is stored"),
        ("input_file_name()", Unsupported, "how the data is stored"),
        ("shuffle(xs)", Unsupported, "another value each time"),
        ("approx_count_distinct(i)", Unsupported, "approximate"),
        ("dt - dt", Unsupported, "use datediff"),
        ("interval 1 day", Unsupported, "interval"),
        ("sum(i)", Unsupported, "aggregate"),
        ("row_number() over (order by i)", Unsupported, "window"),
        ("(select 1)", Unsupported, "subquery"),
        ("explode(xs)", Unsupported, "makes rows"),
        ("upper(x -> x)", TypeMismatch, "function"),
        ("i +", ParseError, "incomplete"),
        ("(i", ParseError, "closing parenthesis"),
        ("i i", ParseError, "unexpected"),
        ("'open", ParseError, "quote"),
        ("", ParseError, "empty"),
    ],
)
def test_errors_say_what_is_wrong(text: str, kind: type[ParseError], says: str) -> None:
    with pytest.raises(kind) as e:
        scalar(text, SCHEMA)
    assert says in str(e.value)


def test_errors_point_at_the_place() -> None:
    with pytest.raises(TypeMismatch) as e:
        scalar("i > 1 and\n  upper(xs) = 'A'", SCHEMA)
    assert (e.value.line, e.value.column) == (2, 9)
    assert str(e.value).splitlines()[-1].index("^") == 2 + 8


def test_annotate_works_in_place() -> None:
    tree = parse_expression("a + 1.5")
    assert str(annotate(tree, Schema.of(a="int"))) == "decimal(12,1)"
    assert tree.sql("spark") == "CAST(a AS DECIMAL(10, 0)) + 1.5"


class Half:
    arguments = (SCHEMA["d"].type,)
    result = SCHEMA["d"].type


class Both:
    arguments = (SCHEMA["i"].type, SCHEMA["d"].type)
    result = SCHEMA["d"].type


def test_udfs_have_their_own_types() -> None:
    udfs = {"half": Half()}
    assert str(scalar("half(i) + 1", SCHEMA, udfs=udfs.get)) == "HALF(CAST(`i` AS DOUBLE)) + CAST(1 AS DOUBLE)"
    known_elsewhere = {"jarowinkler_similarity": Both()}
    assert str(scalar("jarowinkler_similarity(i, d)", SCHEMA, udfs=known_elsewhere.get).type) == "double"
    with pytest.raises(TypeMismatch, match="takes 1 argument"):
        scalar("half(i, i)", SCHEMA, udfs=udfs.get)
    with pytest.raises(TypeMismatch, match="half takes a double"):
        scalar("half(xs)", SCHEMA, udfs=udfs.get)
