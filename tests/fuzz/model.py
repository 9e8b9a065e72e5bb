"""The tables as plain lists of rows, and the changes that a transaction can make to them.

Every change can be done twice: to the list of rows here (`apply`), in a few lines of Python that share nothing with the
product, and through the product's transaction (`do`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tests.fuzz.values import canon, kind_of, literal, order_key

Row = dict[str, Any]
State = dict[str, list[Row]]


@dataclass(frozen=True)
class TableSpec:
    """A base table: columns as (name, type), an optional key column, and the rows it starts with."""

    name: str
    columns: tuple[tuple[str, str], ...]
    key: str | None
    rows: tuple[Row, ...]

    @property
    def ddl(self) -> str:
        return ", ".join(f"{n} {t}" for n, t in self.columns)

    def type_of(self, column: str) -> str:
        return dict(self.columns)[column]


@dataclass(frozen=True)
class Compare:
    """One comparison of a column with a constant. NULL never passes, but for `is null`."""

    column: str
    type: str
    op: str
    value: Any = None

    def sql(self) -> str:
        match self.op:
            case "is null" | "is not null":
                return f"{self.column} {self.op}"
            case "true":
                return "true"
            case _:
                return f"{self.column} {self.op} {literal(self.value, self.type)}"

    def holds(self, row: Row) -> bool:
        if self.op == "true":
            return True
        found = row[self.column]
        if self.op in ("is null", "is not null"):
            return (found is None) == (self.op == "is null")
        if found is None:
            return False
        a, b = order_key(found), order_key(self.value)
        return {"=": a == b, "<": a < b, ">": a > b, "<>": a != b}[self.op]


@dataclass(frozen=True)
class Where:
    """Tests joined by `and` or by `or`."""

    tests: tuple[Compare, ...]
    join: str = "and"

    def sql(self) -> str:
        return f" {self.join} ".join(t.sql() for t in self.tests)

    def holds(self, row: Row) -> bool:
        return (all if self.join == "and" else any)(t.holds(row) for t in self.tests)


@dataclass(frozen=True)
class Setter:
    """The new value of a column: a constant, the column plus a constant, or another column."""

    column: str
    type: str
    how: str
    value: Any

    def given(self) -> Any:
        """As handed to tx.update: a value, or the text of an expression."""
        match self.how:
            case "add":
                return f"{self.column} + {self.value}"
            case "copy":
                return self.value
            case _ if kind_of(self.type) in ("string", "array", "struct", "structs", "map") or self.value is None:
                return literal(self.value, self.type)
            case _:
                return self.value

    def new(self, row: Row) -> Any:
        match self.how:
            case "add":
                return None if row[self.column] is None else row[self.column] + self.value
            case "copy":
                return row[self.value]
            case _:
                return self.value


@dataclass(frozen=True)
class Change:
    """One call inside a transaction."""

    table: str

    kind: ClassVar[str]

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        raise AssertionError(f"{self.name} has no meaning")

    def do(self, tx: Any) -> None:
        raise AssertionError(f"{self.name} cannot be done")


@dataclass(frozen=True)
class Insert(Change):
    kind = "insert"
    rows: tuple[Row, ...]

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        return rows + [dict(r) for r in self.rows]

    def do(self, tx: Any) -> None:
        tx.insert(self.table, [dict(r) for r in self.rows])


@dataclass(frozen=True)
class Delete(Change):
    kind = "delete"
    where: Where

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        return [r for r in rows if not self.where.holds(r)]

    def do(self, tx: Any) -> None:
        tx.delete(self.table, where=self.where.sql())


@dataclass(frozen=True)
class DeleteKeys(Change):
    kind = "delete"
    keys: tuple[Any, ...]

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        assert key is not None
        return [r for r in rows if r[key] not in self.keys]

    def do(self, tx: Any) -> None:
        tx.delete(self.table, key=list(self.keys) if len(self.keys) != 1 else self.keys[0])


@dataclass(frozen=True)
class DeleteRows(Change):
    """Each given row goes once; one that is not there is no error."""

    kind = "delete"
    rows: tuple[Row, ...]

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        left = list(rows)
        for gone in self.rows:
            at = next((i for i, r in enumerate(left) if canon(r) == canon(gone)), None)
            if at is not None:
                del left[at]
        return left

    def do(self, tx: Any) -> None:
        tx.delete(self.table, rows=[dict(r) for r in self.rows])


@dataclass(frozen=True)
class Update(Change):
    kind = "update"
    setters: tuple[Setter, ...]
    where: Where

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        return [{**r, **{s.column: s.new(r) for s in self.setters}} if self.where.holds(r) else r for r in rows]

    def do(self, tx: Any) -> None:
        tx.update(self.table, {s.column: s.given() for s in self.setters}, where=self.where.sql())


@dataclass(frozen=True)
class Merge(Change):
    kind = "update"
    rows: tuple[Row, ...]

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        assert key is not None
        new = {r[key]: r for r in self.rows}
        return [r for r in rows if r[key] not in new] + [dict(r) for r in self.rows]

    def do(self, tx: Any) -> None:
        tx.merge(self.table, [dict(r) for r in self.rows])


@dataclass(frozen=True)
class Truncate(Change):
    kind = "truncate"

    def apply(self, rows: list[Row], key: str | None) -> list[Row]:
        return []

    def do(self, tx: Any) -> None:
        tx.truncate(self.table)


@dataclass(frozen=True)
class Transaction:
    """Changes of one epoch. Without `refresh`, deferred views wait, and catch up over several epochs later. `ends`: the last
    of a sequence, after which the views are also asked to verify themselves."""

    changes: tuple[Change, ...]
    refresh: bool = True
    ends: bool = False


@dataclass(frozen=True)
class ViewSpec:
    """A view: its text, its columns as (name, type), the relations it reads, its mode, the operators in it, and
    whether it is asked to verify itself."""

    name: str
    text: str
    columns: tuple[tuple[str, str], ...]
    reads: tuple[str, ...]
    mode: str = "deferred"
    operators: tuple[str, ...] = ()
    verify: bool = True


@dataclass(frozen=True)
class Case:
    """A database, views over it, and what happens to it: sequences of transactions, each from where the last one ended.
    `together`: all views are refreshed in one commit, instead of one by one."""

    seed: str
    tables: tuple[TableSpec, ...]
    views: tuple[ViewSpec, ...]
    transactions: tuple[Transaction, ...]
    together: bool = False

    @property
    def sequences(self) -> int:
        return sum(t.ends for t in self.transactions)

    @property
    def count(self) -> int:
        """How many cases it holds: one view × one sequence is one."""
        return len(self.views) * self.sequences

    def keep(self, wanted: Callable[[ViewSpec], bool]) -> Case:
        """The case with only some views, and those they read."""
        names: set[str] = set()
        for v in reversed(self.views):
            if wanted(v) or v.name in names:
                names |= {v.name, *v.reads}
        views = tuple(v for v in self.views if v.name in names)
        used = {n for v in views for n in v.reads}
        tables = tuple(t for t in self.tables if t.name in used)
        kept = {t.name for t in tables}
        steps = tuple(replace(t, changes=tuple(c for c in t.changes if c.table in kept)) for t in self.transactions)
        return replace(self, tables=tables, views=views, transactions=steps)


def start(case: Case) -> State:
    return {t.name: [dict(r) for r in t.rows] for t in case.tables}


def applied(state: State, transaction: Transaction, tables: tuple[TableSpec, ...]) -> State:
    """The state after a transaction; the one before is left as it is."""
    keys = {t.name: t.key for t in tables}
    after = dict(state)
    for change in transaction.changes:
        after[change.table] = change.apply(after[change.table], keys[change.table])
    return after
