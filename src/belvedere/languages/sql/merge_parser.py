"""merge into: its clauses, as data."""

from __future__ import annotations

from typing import Literal

from sqlglot import exp

from belvedere.algebra.typing.dialect import located
from belvedere.errors import ParseError, Unsupported
from belvedere.languages.sql import statements as st
from belvedere.languages.sql.slices import Words

When = Literal["matched", "not matched", "not matched by source"]


def merge_statement(node: exp.Merge, words: Words) -> st.Merge:
    target, source = node.this, node.args["using"]
    if isinstance(source, exp.Table):
        query, alias = f"select * from {_bare(source)}", source.alias or source.name
    elif isinstance(source, exp.Subquery):
        query, alias = source.this.sql("spark"), source.alias or "source"
    else:
        raise located(Unsupported, "merge takes a table or a subquery as its source", words.text, node)
    clauses = tuple(_clause(w, words) for w in node.args["whens"].expressions)
    name = ".".join(p.name for p in target.parts)
    return st.Merge(name, target.alias or target.name, query, alias, node.args["on"].sql("spark"), clauses)


def _bare(table: exp.Table) -> str:
    return exp.Table(this=table.this.copy(), db=table.args.get("db")).sql("spark")


def _clause(when: exp.When, words: Words) -> st.MergeClause:
    kind: When = "matched" if when.args.get("matched") else "not matched by source" if when.args.get("source") else "not matched"
    condition = when.args.get("condition")
    text = condition.sql("spark") if condition is not None else None
    then = when.args["then"]
    if isinstance(then, exp.Var) and then.name.upper() == "DELETE":
        return st.MergeClause(kind, "delete", text)
    if isinstance(then, exp.Update):
        if any(isinstance(e, exp.Star) for e in then.expressions):
            return st.MergeClause(kind, "update", text, star=True)
        pairs = tuple((e.this.name, e.expression.sql("spark")) for e in then.expressions)
        return st.MergeClause(kind, "update", text, pairs)
    if isinstance(then, exp.Insert):
        if isinstance(then.this, exp.Star):
            return st.MergeClause(kind, "insert", text, star=True)
        if not isinstance(then.this, exp.Tuple) or not isinstance(then.expression, exp.Tuple):
            raise located(ParseError, "insert in a merge takes (columns) values (…), or *", words.text, when)
        names, values = then.this.expressions, then.expression.expressions
        if len(names) != len(values):
            raise located(ParseError, f"insert names {len(names)} columns and gives {len(values)} values", words.text, when)
        return st.MergeClause(kind, "insert", text, tuple((c.name, v.sql("spark")) for c, v in zip(names, values, strict=True)))
    raise located(Unsupported, "a merge clause can update, delete or insert", words.text, when)
