"""Questions to sources: rows travel there, the join runs there, and the answer is as if it had been made here."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp
from tests.servers.sites import Site

import belvedere as bv
from belvedere.algebra.types import Schema
from belvedere.sources.opening import open_source
from belvedere.sources.source import Source
from belvedere.sources.url import parse

TYPES = Schema.of(_i="bigint", id="int", word="string", f="double")


def select(text: str) -> exp.Select:
    parsed = sqlglot.parse_one(text, dialect="spark")
    assert isinstance(parsed, exp.Select)
    return parsed


@pytest.fixture
def source(site: Site) -> Iterator[Source]:
    back = "\\\\" if site.system == "mariadb" else "\\"
    site.execute(
        f"create table t (id integer primary key, word {site.text}, f double precision)",
        f"insert into t values (1, 'ann', 0.1), (2, 'Ann', -2.5), (3, 'O''Hara {back}', 1e300), (4, NULL, NULL), (5, '%s ☃', 3)",
    )
    opened = open_source("s", parse("s", site.url))
    yield opened
    opened.close()


def keys(*words: str | None) -> pa.Table:
    return pa.table({"_i": pa.array(range(len(words)), pa.int64()), "k": pa.array(words, pa.string())})


def test_a_join_by_text(source: Source) -> None:
    with source.snapshot(["t"]) as snapshot:
        question = select("select k._i, r.id, r.word, r.f from bv_keys k join t r on r.word = k.k")
        words = ("ann", "O'Hara \\", "%s ☃", None, "nobody", "ann")
        found = snapshot.ask(question, {"bv_keys": keys(*words)}, TYPES)
        exact = sorted((r["_i"], r["id"], r["word"], r["f"]) for r in found.to_pylist() if r["word"] == words[r["_i"]])
        assert exact == [(0, 1, "ann", 0.1), (1, 3, "O'Hara \\", 1e300), (2, 5, "%s ☃", 3.0), (5, 1, "ann", 0.1)]
        assert found.schema.field("id").type == pa.int32() or source.system == "SQLite"


def test_nulls_that_are_equal(source: Source) -> None:
    with source.snapshot(["t"]) as snapshot:
        question = select(
            "select k._i, r.id, r.word, r.f from bv_keys k join t r on r.word <=> k.k where r.id > 1 and not r.id = 5"
        )
        found = snapshot.ask(question, {"bv_keys": keys(None, "Ann")}, TYPES)
        assert {(0, 4), (1, 2)} <= {(r["_i"], r["id"]) for r in found.to_pylist()}


def test_literals(source: Source) -> None:
    with source.snapshot(["t"]) as snapshot:
        types = Schema.of(id="int", word="string")
        question = exp.select(exp.column("id", "r"), exp.column("word", "r")).from_(
            exp.alias_(exp.to_table("t"), "r", table=True)
        )
        exact = question.where(exp.EQ(this=exp.column("word", "r"), expression=exp.Literal.string("O'Hara \\")))
        assert [r["id"] for r in snapshot.ask(exact, {}, types).to_pylist()] == [3]
        low = question.where(exp.LTE(this=exp.column("id", "r"), expression=exp.Literal.number(2)))
        assert sorted(r["id"] for r in snapshot.ask(low, {}, types).to_pylist()) == [1, 2]


def test_many_rows_travel_too(source: Source) -> None:
    with source.snapshot(["t"]) as snapshot:
        table = pa.table({"_i": pa.array(range(6000), pa.int64()), "k": pa.array([i % 7 for i in range(6000)], pa.int32())})
        question = select("select k._i, r.id, r.word, r.f from bv_keys k join t r on r.id = k.k")
        found = snapshot.ask(question, {"bv_keys": table}, TYPES)
        assert found.num_rows == sum(1 for i in range(6000) if 1 <= i % 7 <= 5)
        assert snapshot.ask(question, {"bv_keys": table.slice(0, 0)}, TYPES).num_rows == 0


def test_an_answer_is_equal_to_what_is_read(source: Source) -> None:
    """Compensation relies on it: the same row, byte for byte, whichever way it comes."""
    with source.snapshot(["t"]) as snapshot:
        schema = snapshot.tables["t"].schema
        read = pa.concat_tables(snapshot.read("t")).sort_by("id")
        asked = snapshot.ask(select("select r.id, r.word, r.f from t r"), {}, schema).sort_by("id")
        assert asked.equals(read)


@pytest.mark.parametrize(
    "text",
    [
        "select r.id from t r where upper(r.word) = 'A'",
        "select r.id from t r where r.word = 1",
        "select r.id from t r where r.id in (select id from t)",
        "select r.id from t r left join t s on r.id = s.id",
        "select r.id from nothing r",
        "select count(*) id from t r",
        "select r.id from t r order by r.id",
    ],
)
def test_what_could_mean_something_else_is_refused(source: Source, text: str) -> None:
    with source.snapshot(["t"]) as snapshot, pytest.raises(bv.Unsupported):
        snapshot.ask(select(text), {}, Schema.of(id="int"))
