"""A case as a program that a person can run: the façade's own calls, in order."""

from __future__ import annotations

from tests.fuzz.model import Case, Change, Delete, DeleteKeys, DeleteRows, Insert, Merge, Truncate, Update


def program(case: Case, engine: str = "duckdb") -> str:
    """Python that does what the case does."""
    lines = ["import datetime", "from decimal import Decimal", "import belvedere as bv", "nan = float('nan')", ""]
    lines.append(f"wh = bv.open('fuzz', engine={engine!r})")
    lines += [f"wh.create_table({t.name!r}, {t.ddl!r}, key={t.key!r})" for t in case.tables]
    with_rows = [t for t in case.tables if t.rows]
    if with_rows:
        lines.append("with wh.transaction() as tx:")
        for t in with_rows:
            lines.append(f"    tx.insert({t.name!r}, [")
            lines += [f"        {r!r}," for r in t.rows]
            lines.append("    ])")
    for v in case.views:
        lines.append(f'{v.name} = wh.create_view({v.name!r}, """{v.text}""", mode={v.mode!r})')
    for n, t in enumerate(case.transactions, 1):
        refresh = t.refresh or n == len(case.transactions)
        lines.append("with wh.transaction() as tx:")
        lines += [f"    {_call(c)}" for c in t.changes] or ["    pass"]
        if refresh and case.together:
            lines.append("wh.refresh()")
        elif refresh:
            lines += [f"{v.name}.refresh(strategy='incremental')" for v in case.views]
    lines += [f"print({v.name}.verify(), {v.name}.rows())" for v in case.views]
    return "\n".join(lines)


def _call(c: Change) -> str:
    match c:
        case Insert(rows=rows):
            return f"tx.insert({c.table!r}, {list(rows)!r})"
        case Merge(rows=rows):
            return f"tx.merge({c.table!r}, {list(rows)!r})"
        case Delete(where=where):
            return f"tx.delete({c.table!r}, where={where.sql()!r})"
        case DeleteKeys(keys=keys):
            return f"tx.delete({c.table!r}, key={list(keys)!r})"
        case DeleteRows(rows=rows):
            return f"tx.delete({c.table!r}, rows={list(rows)!r})"
        case Update(setters=setters, where=where):
            return f"tx.update({c.table!r}, { {s.column: s.given() for s in setters}!r}, where={where.sql()!r})"
        case Truncate():
            return f"tx.truncate({c.table!r})"
    raise AssertionError(f"cannot show {c}")
