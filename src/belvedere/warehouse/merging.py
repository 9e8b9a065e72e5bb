"""merge into: what each clause takes out of the target and puts in, all judged by the state before the statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from belvedere.algebra.types import quote_name
from belvedere.changes.zset import add, consolidate, negate, positive
from belvedere.errors import BelvedereError
from belvedere.languages.sql.statements import Merge, MergeClause
from belvedere.store.model import Collection
from belvedere.warehouse.lookup import matching

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction


def merge_statement(tx: Transaction, statement: Merge) -> int:
    """Run the statement inside a transaction; returns how many rows of the target were touched."""
    c = tx.registry.table(statement.table)
    outs: list[pa.Table] = []
    ins: list[pa.Table] = []
    for kind in ("matched", "not matched", "not matched by source"):
        clauses = [x for x in statement.clauses if x.when == kind]
        for i, clause in enumerate(clauses):
            out, new = _clause(tx, c, statement, clause, _first(clauses[: i + 1]))
            outs += [out] if out is not None else []
            ins += [new] if new is not None else []
    gone = consolidate(add(*outs)) if outs else None
    if gone is not None:
        _once(tx, c, gone)
    touched = sum(sum(t.column("_w").to_pylist()) for t in (outs or ins))
    tx.apply(c, *([negate(gone)] if gone is not None else []), *ins)
    return int(touched)


def _first(clauses: list[MergeClause]) -> str:
    """The last of these clauses applies, and none before it."""
    *earlier, last = [f"coalesce(({x.condition}), false)" if x.condition else "true" for x in clauses]
    return " and ".join([last, *(f"not {e}" for e in earlier)])


def _clause(
    tx: Transaction, c: Collection, m: Merge, clause: MergeClause, condition: str
) -> tuple[pa.Table | None, pa.Table | None]:
    target, source = f"{quote_name(c.name)} as {quote_name(m.alias)}", f"({m.source}) as {quote_name(m.source_alias)}"
    if clause.when == "matched":
        origin = f"{target} join {source} on {m.on}"
    elif clause.when == "not matched":
        origin = f"{source} left anti join {target} on {m.on}"
    else:
        origin = f"{target} left anti join {source} on {m.on}"
    own = {n: f"{quote_name(m.alias)}.{quote_name(n)}" for n in c.schema.names}
    out = new = None
    if clause.action != "insert":
        items = ", ".join(f"{v} as `o{i}`" for i, v in enumerate(own.values()))
        out = tx.select(f"select {items} from {origin} where {condition}").rename_columns([*c.schema.names, "_w"])
    if clause.action != "delete":
        values = {**({} if clause.action == "insert" else own), **_assigned(c, m, clause)}
        items = ", ".join(f"cast({values.get(x.name, 'null')} as {x.type}) as `n{i}`" for i, x in enumerate(c.schema))
        new = tx.select(f"select {items} from {origin} where {condition}").rename_columns([*c.schema.names, "_w"])
    return out, new


def _assigned(c: Collection, m: Merge, clause: MergeClause) -> dict[str, str]:
    """Column → expression; a star takes the source's columns by name."""
    if clause.star:
        return {n: f"{quote_name(m.source_alias)}.{quote_name(n)}" for n in c.schema.names}
    low = {n.lower(): n for n in c.schema.names}
    out = {}
    for name, expression in clause.assignments:
        if name.lower() not in low:
            raise BelvedereError(f"merge into {c.name!r}: there is no column {name!r} to set")
        out[low[name.lower()]] = expression
    return out


def _once(tx: Transaction, c: Collection, gone: pa.Table) -> None:
    """No row of the target may be matched by several rows of the source."""
    there = matching(tx, c, gone, list(c.schema.names))
    if positive(consolidate(add(gone, negate(there)))).num_rows:
        raise BelvedereError(
            f"merge into {c.name!r}: several rows of the source match one row of the target; make the source unique first"
        )
