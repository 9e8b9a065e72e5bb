"""A failing case → a smaller one that fails the same way.

Texts of views are cut in their parsed form, so that operators that are added later shrink without further work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import sqlglot
from sqlglot import exp
from tests.fuzz.check import Failure
from tests.fuzz.model import Case, Change, DeleteRows, Insert, Merge, Transaction, Update, ViewSpec, Where
from tests.fuzzing.shrinking import shorter, smallest

Try = Callable[[Case], Failure | None]


def shrink(failure: Failure, run: Try, seconds: float = 60.0) -> Failure:
    """The smallest failure found in the time given."""
    return smallest(failure, candidates, run, seconds)


def candidates(case: Case, view: str) -> Iterator[Case]:
    """Smaller cases, the boldest first."""
    if view and len(case.views) > 1:
        yield case.keep(lambda v: v.name == view)
    for n in range(1, len(case.transactions)):  # what came after the failure, and long beginnings
        yield replace(case, transactions=case.transactions[:n])
    for n in reversed(range(len(case.transactions))):
        yield replace(case, transactions=case.transactions[:n] + case.transactions[n + 1 :])
    for n, t in enumerate(case.transactions):
        for fewer in _transactions(t):
            yield replace(case, transactions=(*case.transactions[:n], fewer, *case.transactions[n + 1 :]))
    for n, v in enumerate(case.views):
        for text in smaller_texts(v.text):
            yield replace(case, views=(*case.views[:n], _with_text(v, text), *case.views[n + 1 :]))
    for n, spec in enumerate(case.tables):
        for rows in shorter(spec.rows):
            yield replace(case, tables=(*case.tables[:n], replace(spec, rows=rows), *case.tables[n + 1 :]))


def _with_text(v: ViewSpec, text: str) -> ViewSpec:
    """The view with another text; its columns are those that the text still selects."""
    tree = sqlglot.parse_one(text, dialect="spark")
    kept = [s.alias_or_name for s in tree.selects] if isinstance(tree, exp.Query) else []
    columns = tuple(c for c in v.columns if c[0] in kept) if "*" not in kept else v.columns
    return replace(v, text=text, columns=columns)


def _transactions(t: Transaction) -> Iterator[Transaction]:
    for n, change in enumerate(t.changes):
        before, after = t.changes[:n], t.changes[n + 1 :]
        yield replace(t, changes=before + after)
        for less in _changes(change):
            yield replace(t, changes=(*before, less, *after))


def _changes(change: Change) -> Iterator[Change]:
    match change:
        case Insert(rows=rows) | DeleteRows(rows=rows) | Merge(rows=rows) if len(rows) > 1:
            for n in range(len(rows)):
                yield replace(change, rows=rows[:n] + rows[n + 1 :])
        case Update(setters=setters, where=where):
            if len(setters) > 1:
                for n in range(len(setters)):
                    yield replace(change, setters=setters[:n] + setters[n + 1 :])
            for n in range(len(where.tests) if len(where.tests) > 1 else 0):
                yield replace(change, where=Where(where.tests[:n] + where.tests[n + 1 :], where.join))


def smaller_texts(text: str) -> Iterator[str]:
    """The query with one thing less: a subquery in its place, a clause, a join, a branch, a column."""
    tree = sqlglot.parse_one(text, dialect="spark")
    count = sum(1 for _ in tree.walk())
    seen = {tree.sql("spark")}
    for index in range(count):
        for cut in _cuts(tree, index):
            shorter = cut.sql("spark")
            if shorter not in seen and len(shorter) <= len(text) + 20:
                seen.add(shorter)
                yield shorter


def _cuts(tree: exp.Expression, index: int) -> Iterator[exp.Expression]:
    """What can be left out at the node of that number; each on a copy of the tree."""

    def fresh() -> tuple[exp.Expression, exp.Expression]:
        copy = tree.copy()
        return copy, list(copy.walk())[index]

    _, node = fresh()
    match node:
        case exp.Union():
            for side in ("this", "expression"):
                copy, at = fresh()
                yield _replaced(copy, at, at.args[side])
        case exp.Select():
            for clause in ("where", "having", "distinct", "with_"):
                copy, at = fresh()
                if at.args.get(clause):
                    at.set(clause, None)
                    yield copy
            for listed in ("joins", "laterals", "expressions"):
                entries = node.args.get(listed) or []
                for n in range(len(entries) if listed != "expressions" or len(entries) > 1 else 0):
                    copy, at = fresh()
                    at.set(listed, [e for m, e in enumerate(at.args[listed]) if m != n])
                    yield copy
            group = node.args.get("group")
            for n in range(len(group.expressions) if group and len(group.expressions) > 1 else 0):
                copy, at = fresh()
                keys = at.args["group"].expressions
                at.args["group"].set("expressions", keys[:n] + keys[n + 1 :])
                yield copy
        case exp.And() | exp.Or() | exp.Not() | exp.Paren() | exp.Coalesce():
            for part in [p for p in (node.args.get("this"), node.args.get("expression")) if isinstance(p, exp.Expression)]:
                copy, at = fresh()
                yield _replaced(copy, at, part.copy())
        case exp.Subquery() if isinstance(node.parent, (exp.From, exp.Join)):
            for table in node.find_all(exp.Table):
                copy, at = fresh()
                yield _replaced(copy, at, exp.alias_(exp.to_table(table.name), node.alias, table=True))


def _replaced(tree: exp.Expression, at: exp.Expression, new: exp.Expression) -> exp.Expression:
    if at is tree:
        return new
    at.replace(new)
    return tree
