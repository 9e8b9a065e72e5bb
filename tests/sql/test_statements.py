"""Statements as text: what they are read as, and what is refused."""

from __future__ import annotations

import pytest

from belvedere.algebra.types import parse_schema
from belvedere.errors import ParseError, TypeMismatch, Unsupported
from belvedere.languages.sql import parse_statement
from belvedere.languages.sql import statements as st

CASES: list[tuple[str, st.Statement]] = [
    ("select 1 as x;", st.Select("select 1 as x")),
    ("with t as (select 1) select * from t", st.Select("with t as (select 1) select * from t")),
    ("values (1)", st.Select("values (1)")),
    (
        "create table t (id bigint not null, name string comment 'n', primary key (id))",
        st.CreateTable("t", parse_schema("id bigint, name string"), ("id",)),
    ),
    (
        "create table if not exists db.t (id bigint primary key, x decimal(10,2)) using iceberg",
        st.CreateTable("db.t", parse_schema("id bigint, x decimal(10,2)"), ("id",), if_not_exists=True),
    ),
    ("create or replace table t as select 1 as x", st.CreateTable("t", None, query="select 1 as x", or_replace=True)),
    ("insert into t values (1, 'a'), (2, 'b')", st.Insert("t", (), "values (1, 'a'), (2, 'b')")),
    ("insert into db.t (a, `b c`) select x, y from s", st.Insert("db.t", ("a", "b c"), "select x, y from s")),
    ("insert into t (select 1)", st.Insert("t", (), "(select 1)")),
    ("insert overwrite t with q as (select 1) select * from q", st.Insert("t", (), "with q as (select 1) select * from q", True)),
    (
        "update t set a = case when a = 1 then 2 else f(a, b) end, t.b = 'x, where' where id = 3",
        st.Update("t", (("a", "case when a = 1 then 2 else f(a, b) end"), ("b", "'x, where'")), "id = 3"),
    ),
    ("update t set a = a + 1", st.Update("t", (("a", "a + 1"),))),
    ("update t set `a b` = 1 where `set` = 2", st.Update("t", (("a b", "1"),), "`set` = 2")),
    ("delete from t where id in (1, 2)", st.Delete("t", "id in (1, 2)")),
    ("DELETE FROM t", st.Delete("t")),
    ("truncate table t", st.Truncate("t")),
    ("alter table t add column c int", st.AlterTable("t", st.AddColumns(parse_schema("c int")))),
    (
        "alter table t add columns (c int, d array<string>)",
        st.AlterTable("t", st.AddColumns(parse_schema("c int, d array<string>"))),
    ),
    ("alter table t drop column c", st.AlterTable("t", st.DropColumns(("c",)))),
    ("alter table t drop columns (c, d)", st.AlterTable("t", st.DropColumns(("c", "d")))),
    ("alter table t rename column c to d", st.AlterTable("t", st.RenameColumn("c", "d"))),
    ("alter table t rename to db.u", st.AlterTable("t", st.RenameTable("db.u"))),
    ("drop table if exists t", st.DropTable("t", True)),
    ("create materialized view v as select 1 as x", st.CreateView("v", "select 1 as x")),
    (
        "create or replace materialized view v (a) tblproperties ('mode'='immediate') as with x as (select 1 b) select * from x",
        st.CreateView("v", "with x as (select 1 b) select * from x", ("a",), "immediate", or_replace=True),
    ),
    ("create materialized view if not exists v as select 1 as x", st.CreateView("v", "select 1 as x", if_not_exists=True)),
    ("drop materialized view if exists v", st.DropView("v", True)),
    ("refresh materialized view db.v", st.Refresh("db.v")),
    ("refresh", st.Refresh(None)),
    ("explain v", st.Explain(view="v")),
    ("explain extended select 1 from t", st.Explain(query="select 1 from t")),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[c[0][:50] for c in CASES])
def test_statements(text: str, expected: st.Statement) -> None:
    assert parse_statement(text) == expected


def test_merge() -> None:
    merge = parse_statement(
        "merge into t as x using (select 1 as id, 2 as a) s on x.id = s.id "
        "when matched and s.a > 1 then update set a = s.a when matched then delete "
        "when not matched then insert (id, a) values (s.id, s.a) when not matched by source then delete"
    )
    assert isinstance(merge, st.Merge)
    assert (merge.table, merge.alias, merge.source_alias, merge.on) == ("t", "x", "s", "x.id = s.id")
    assert merge.clauses == (
        st.MergeClause("matched", "update", "s.a > 1", (("a", "s.a"),)),
        st.MergeClause("matched", "delete"),
        st.MergeClause("not matched", "insert", None, (("id", "s.id"), ("a", "s.a"))),
        st.MergeClause("not matched by source", "delete"),
    )
    starred = parse_statement("merge into t using s on t.id = s.id when matched then update set * when not matched then insert *")
    assert isinstance(starred, st.Merge)
    assert starred.source == "select * from s"
    assert [c.star for c in starred.clauses] == [True, True]


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("", ParseError, "empty"),
        ("grant select on t to me", Unsupported, "grant is not a statement"),
        ("set x = 1", Unsupported, "set is not a statement"),
        ("create view v as select 1", Unsupported, "create materialized view"),
        ("create function f() returns int return 1", Unsupported, "create"),
        ("create table t", ParseError, "needs columns"),
        ("create table t (id)", ParseError, "needs a type"),
        ("create table t (id uuid)", TypeMismatch, "unknown type"),
        ("create table t (id int check (id > 1))", Unsupported, "column with"),
        ("create materialized view v tblproperties ('mode' = 'now') as select 1", TypeMismatch, "is no mode"),
        ("insert into t partition (a = 1) values (2)", Unsupported, "partition"),
        ("update t", ParseError, "set column = expression"),
        ("update t set a", ParseError, "column = expression"),
        ("alter table t alter column c type bigint", Unsupported, "add, drop and rename"),
        ("drop function f", Unsupported, "drop"),
        ("select 1; select 2", ParseError, "several"),
        ("explain", ParseError, "a view or a query"),
        ("selec 1", ParseError, ""),
        (
            "merge into t using s on t.id = s.id when not matched then insert (a, b) values (1)",
            ParseError,
            "2 columns and gives 1",
        ),
    ],
)
def test_refusals(text: str, kind: type[ParseError], says: str) -> None:
    with pytest.raises(kind) as e:
        parse_statement(text)
    assert says in e.value.message
