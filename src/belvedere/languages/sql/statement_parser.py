"""Text of `execute` → a statement."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from belvedere.algebra.types import Column, Schema, from_sqlglot
from belvedere.algebra.typing.dialect import located, parse_statements
from belvedere.errors import ParseError, TypeMismatch, Unsupported
from belvedere.languages.sql import statements as st
from belvedere.languages.sql.merge_parser import merge_statement
from belvedere.languages.sql.slices import Words


def parse_statement(text: str) -> st.Statement:
    """One statement. What is not understood is refused with the reason, never passed on."""
    explained = re.match(r"\s*explain\b(.*)", text, re.I | re.S)
    if explained:
        return _explain(explained[1])
    words = Words(text)
    if not words.tokens:
        raise ParseError("a statement is expected, and the text is empty")
    first = words.word(0)
    if first == "REFRESH":
        return _refresh(words)
    parsed = parse_statements(text)
    if len(parsed) != 1 or isinstance(parsed[0], exp.Block):
        raise ParseError("one statement is expected, and the text has several; execute them one by one", text=text)
    node = parsed[0]
    if isinstance(node, (exp.Query, exp.Values)):
        return st.Select(words.slice(0))
    for kind, reader in _READERS.items():
        if isinstance(node, kind):
            return reader(node, words)
    raise Unsupported(f"{first.lower() or 'this'} is not a statement that is supported", text=text, line=1, column=1)


def _name(node: exp.Expr) -> str:
    table = node.this if isinstance(node, exp.Schema) else node
    assert isinstance(table, exp.Table)
    return ".".join(p.name for p in table.parts)


def _refresh(words: Words) -> st.Refresh:
    at = 1
    while at < len(words.tokens) and words.word(at) in ("MATERIALIZED", "VIEW"):
        at += 1
    name = "".join(t.text for t in words.tokens[at:])
    return st.Refresh(name or None)


def _explain(text: str) -> st.Explain:
    """The parser reads what follows as one piece, so the words of the rest are looked at by themselves."""
    words = Words(text)
    at = 0
    while at < len(words.tokens) and words.word(at) in ("EXTENDED", "FORMATTED", "COST", "MATERIALIZED", "VIEW"):
        at += 1
    if at >= len(words.tokens):
        raise ParseError("explain takes a view or a query", text=text)
    if words.word(at) in ("SELECT", "WITH", "FROM", "VALUES", "("):
        return st.Explain(query=words.slice(at))
    return st.Explain(view="".join(t.text for t in words.tokens[at:]))


def _create(node: exp.Create, words: Words) -> st.Statement:
    kind = str(node.args.get("kind")).upper()
    if kind == "TABLE":
        return _create_table(node, words)
    if kind == "VIEW":
        return _create_view(node, words)
    raise located(Unsupported, f"create {kind.lower()}", words.text, node)


def _query_after_as(words: Words) -> str:
    at = words.find("AS")
    if at is None:
        raise ParseError("`as` and a query are expected", text=words.text, line=1, column=1)
    return words.slice(at + 1)


def _create_table(node: exp.Create, words: Words) -> st.CreateTable:
    exists, replace = bool(node.args.get("exists")), bool(node.args.get("replace"))
    if node.expression is not None:
        return st.CreateTable(_name(node.this), None, (), _query_after_as(words), exists, replace)
    if not isinstance(node.this, exp.Schema):
        raise located(ParseError, "create table needs columns: create table t (id bigint, name string)", words.text, node)
    key: tuple[str, ...] = ()
    columns: list[Column] = []
    for part in node.this.expressions:
        if isinstance(part, exp.PrimaryKey):
            key = tuple(p.name for p in part.expressions)
        elif isinstance(part, exp.ColumnDef):
            columns.append(_column(part, words))
            for constraint in part.args.get("constraints") or []:
                if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
                    key = (part.name,)
                elif not isinstance(constraint.kind, (exp.NotNullColumnConstraint, exp.CommentColumnConstraint)):
                    raise located(Unsupported, f"a column with '{constraint.sql('spark')}'", words.text, part)
        elif isinstance(part, (exp.Identifier, exp.Column)):
            raise located(ParseError, f"column '{part.name}' needs a type", words.text, part)
        else:
            raise located(
                Unsupported, f"'{part.sql('spark')}' in create table; primary key is the only constraint", words.text, part
            )
    return st.CreateTable(_name(node.this), Schema(tuple(columns)), key, None, exists, replace)


def _column(part: exp.ColumnDef, words: Words) -> Column:
    kind = part.args.get("kind")
    if kind is None:
        raise located(ParseError, f"column '{part.name}' needs a type", words.text, part)
    try:
        return Column(part.name, from_sqlglot(kind))
    except TypeMismatch as e:
        raise located(TypeMismatch, e.message, words.text, part) from None


def _create_view(node: exp.Create, words: Words) -> st.CreateView:
    properties = node.args["properties"].expressions if node.args.get("properties") is not None else []
    if not any(isinstance(p, exp.MaterializedProperty) for p in properties):
        raise located(Unsupported, "views are materialized here: write create materialized view", words.text, node)
    columns = tuple(c.name for c in node.this.expressions) if isinstance(node.this, exp.Schema) else ()
    return st.CreateView(
        _name(node.this),
        _query_after_as(words),
        columns,
        _mode(properties, words),
        bool(node.args.get("exists")),
        bool(node.args.get("replace")),
    )


def _mode(properties: list[exp.Expr], words: Words) -> str | None:
    settings: list[exp.Expr] = []
    for p in properties:
        settings += p.expressions if isinstance(p, exp.OptionsProperty) else [p]
    for p in settings:
        if type(p) is exp.Property and p.this is not None and p.this.name.lower() == "mode":
            mode = str(p.args["value"].name).lower()
            if mode not in ("immediate", "deferred", "lazy", "hybrid"):
                raise located(TypeMismatch, f"'{mode}' is no mode; immediate, deferred, lazy and hybrid are", words.text, p)
            return mode
    return None


def _insert(node: exp.Insert, words: Words) -> st.Insert:
    target = node.this
    table = target.this if isinstance(target, exp.Schema) else target
    if isinstance(table, exp.Table) and table.args.get("partition") is not None:
        raise located(Unsupported, "insert into a partition; give the column a value instead", words.text, node)
    if node.args.get("by_name"):
        raise located(Unsupported, "insert by name; list the columns", words.text, node)
    columns = tuple(c.name for c in target.expressions) if isinstance(target, exp.Schema) else ()
    starts = [i for i in words.outer() if words.word(i) in ("SELECT", "VALUES", "WITH", "FROM")]
    bracketed = next(
        (i for i in words.outer() if words.word(i) == "(" and words.word(i + 1) in ("SELECT", "WITH", "VALUES")), None
    )
    at = min([*starts, *([bracketed] if bracketed is not None else [])], default=None)
    if at is None:
        raise located(ParseError, "insert takes values or a query", words.text, node)
    return st.Insert(_name(target), columns, words.slice(at), bool(node.args.get("overwrite")))


def assignments(words: Words, start: int, end: int | None) -> tuple[tuple[str, str], ...]:
    """column = expression, …"""
    out = []
    for a, b in words.split(start, end):
        equals = next((i for i in words.outer(a) if i < b and words.tokens[i].text in ("=", "==")), None)
        if equals is None or equals + 1 >= b:
            at = words.tokens[min(a, len(words.tokens) - 1)]
            node = exp.Var(this=at.text)
            node.meta["start"] = at.start
            raise located(ParseError, "set takes column = expression", words.text, node)
        out.append((words.tokens[equals - 1].text, words.slice(equals + 1, b)))
    return tuple(out)


def _update(node: exp.Update, words: Words) -> st.Update:
    if node.args.get("from_") is not None:
        raise located(Unsupported, "update with from; use merge into", words.text, node)
    start, where = words.find("SET"), words.find("WHERE")
    if start is None:
        raise located(ParseError, "update takes set column = expression", words.text, node)
    return st.Update(_name(node.this), assignments(words, start + 1, where), _where(words, where))


def _where(words: Words, at: int | None) -> str | None:
    return words.slice(at + 1) if at is not None else None


def _delete(node: exp.Delete, words: Words) -> st.Delete:
    if node.args.get("using"):
        raise located(Unsupported, "delete with using; use a condition with a subquery's values, or merge into", words.text, node)
    return st.Delete(_name(node.this), _where(words, words.find("WHERE")))


def _truncate(node: exp.TruncateTable, words: Words) -> st.Truncate:
    if len(node.expressions) != 1:
        raise located(Unsupported, "truncate of several tables at once", words.text, node)
    return st.Truncate(_name(node.expressions[0]))


def _alter(node: exp.Alter, words: Words) -> st.AlterTable:
    table, actions = _name(node.this), node.args.get("actions") or []
    added = [d for a in actions for d in (a.expressions if isinstance(a, exp.Schema) else [a]) if isinstance(d, exp.ColumnDef)]
    if added:
        return st.AlterTable(table, st.AddColumns(Schema(tuple(_column(d, words) for d in added))))
    action = actions[0] if actions else None
    if isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() in ("COLUMN", "COLUMNS"):
        names = []
        for t in action.args.get("tables") or []:
            names += [e.name for e in t.expressions] if isinstance(t, exp.Schema) else [t.name]
        return st.AlterTable(table, st.DropColumns(tuple(names)))
    if isinstance(action, exp.RenameColumn):
        return st.AlterTable(table, st.RenameColumn(action.this.name, action.args["to"].name))
    if isinstance(action, exp.AlterRename):
        return st.AlterTable(table, st.RenameTable(_name(action.this)))
    raise located(Unsupported, "alter table can add, drop and rename columns, and rename the table", words.text, node)


def _drop(node: exp.Drop, words: Words) -> st.Statement:
    kind = str(node.args.get("kind")).upper()
    tables = node.args.get("tables") or []
    if kind not in ("TABLE", "VIEW") or len(tables) != 1:
        raise located(Unsupported, f"drop {kind.lower()}; drop table and drop materialized view take one name", words.text, node)
    name, exists = _name(tables[0]), bool(node.args.get("exists"))
    return st.DropView(name, exists) if kind == "VIEW" else st.DropTable(name, exists)


_READERS: dict[type[exp.Expr], Callable[..., st.Statement]] = {
    exp.Create: _create, exp.Insert: _insert, exp.Update: _update, exp.Delete: _delete, exp.Merge: merge_statement,
    exp.TruncateTable: _truncate, exp.Alter: _alter, exp.Drop: _drop,
}  # fmt: skip
