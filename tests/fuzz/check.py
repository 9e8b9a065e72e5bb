"""Run a case on a warehouse and compare, after every sequence of transactions, with the oracle.

Three things are checked for every view: its rows are the oracle's, with the right types; its `changes` are exactly the
difference of its states; and its own `verify` agrees (by default of every other view, in the end: it recomputes, as the
oracle just did).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from tests.fuzz.model import Case, State, Transaction, ViewSpec, applied, start
from tests.fuzz.oracle import Oracle
from tests.fuzz.values import canon

from belvedere.algebra.types import parse_type, to_arrow
from belvedere.changes import zset

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Failure:
    """What went wrong: where (view, step), which check, and the words. `before`: the seeds that the warehouse had seen."""

    case: Case
    view: str
    step: int
    check: str
    message: str
    before: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What must stay the same while the case is made smaller."""
        return self.check if not self.check.startswith("error") else f"{self.check} {self.message.splitlines()[0][:25]}"

    def __str__(self) -> str:
        when = "when made" if self.step < 0 else f"after transaction {self.step + 1}"
        return f"seed {self.case.seed}, view {self.view}, {when}: {self.check}\n{self.message}"


class Checker:
    """Holds a warehouse and an oracle over many cases."""

    def __init__(self, warehouse: Any, oracle: Oracle, *, types: bool = True, verify: str = "last") -> None:
        self.wh = warehouse
        self.oracle = oracle
        self.types = types
        self.verify = verify

    def run(self, case: Case) -> Failure | None:
        """The first thing wrong with the case, or None. Leaves nothing behind in the warehouse if all is well."""
        run = _Run(self, case)
        try:
            run.go()
        except _Wrong as wrong:
            return Failure(case, run.view, run.step, wrong.check, wrong.message)
        except Exception as e:  # whatever the product raises is a finding
            return Failure(case, run.view, run.step, f"error {type(e).__name__}", f"{e}\n(while: {run.doing})")
        return None


class _Wrong(Exception):
    def __init__(self, check: str, message: str) -> None:
        super().__init__(message)
        self.check = check
        self.message = message


class _Run:
    def __init__(self, checker: Checker, case: Case) -> None:
        self.c = checker
        self.case = case
        self.view = ""
        self.step = -1
        self.doing = "making tables"
        self.seen: dict[str, tuple[int, Counter[Any]]] = {}
        self.marks: dict[str, tuple[int, int]] = {}

    def go(self) -> None:
        wh, case, oracle = self.c.wh, self.case, self.c.oracle
        state = start(case)
        self.doing = "asking the oracle"
        oracle.begin(case)
        oracle.fill(case, state)
        self.doing = "making tables"
        with wh.transaction() as tx:
            for t in case.tables:
                tx.create_table(t.name, t.ddl, key=t.key)
            for t in case.tables:
                if t.rows:
                    tx.insert(t.name, [dict(r) for r in t.rows])
        for v in case.views:
            self.view, self.doing = v.name, "making the view"
            wh.create_view(v.name, v.text, mode=v.mode)
        self.compare_all()
        for step, transaction in enumerate(case.transactions):
            self.step = step
            state = self.change(state, transaction)
            last = step == len(case.transactions) - 1
            if transaction.refresh or last:
                self.refresh_all()
            if transaction.ends or last:
                oracle.fill(case, state)
                self.compare_all()
        self.view, self.doing = "", "dropping"
        for v in reversed(case.views):
            wh.drop_view(v.name)
        for t in case.tables:
            wh.drop_table(t.name)

    def change(self, state: State, transaction: Transaction) -> State:
        self.view = ""
        with self.c.wh.transaction() as tx:
            for change in transaction.changes:
                self.doing = f"{change.name} in {change.table}"
                change.do(tx)
            self.doing = "committing"
        return applied(state, transaction, self.case.tables)

    def refresh_all(self) -> None:
        if self.case.together:
            self.view, self.doing = "", "refreshing all"
            self.c.wh.refresh()
            return
        for v in self.case.views:
            self.view, self.doing = v.name, "refreshing"
            report = self.c.wh.view(v.name).refresh(strategy="incremental")
            if getattr(report, "view", v.name) != v.name:
                raise _Wrong("report", f"refresh() of {v.name} returned the report of {report.view}")
            if report.strategy == "recompute":
                raise _Wrong("strategy", "asked for incremental, and the report says recompute")

    def compare_all(self) -> None:
        epoch = self.c.wh.epoch
        for v in self.case.views:
            self.view, self.doing = v.name, "reading"
            mark = (self.c.oracle.version(v), self.c.wh.view(v.name).epoch)
            if self.marks.get(v.name) != mark:  # else no table under it changed, and nothing was published for it
                self.compare(v, epoch)
                self.marks[v.name] = mark
            if self.to_verify(v):
                self.check_verify(v)

    def compare(self, v: ViewSpec, epoch: int) -> None:
        view = self.c.wh.view(v.name)
        actual = view.arrow()
        if self.c.types:
            self.check_types(v, actual)
        found = bag(actual)
        self.doing = "asking the oracle"
        expected = self.c.oracle.rows(v)
        if found != bag(expected):
            self.check_rows(expected, actual)
        if v.name in self.seen:
            self.doing = "reading its changes"
            since, before = self.seen[v.name]
            self.check_changes(before, found, view.changes(since=since))
        self.seen[v.name] = (epoch, found)

    def to_verify(self, v: ViewSpec) -> bool:
        if self.c.verify == "every":
            return self.step >= 0
        return self.step == len(self.case.transactions) - 1 and v.verify

    def check_verify(self, v: ViewSpec) -> None:
        self.doing = "verifying"
        result = self.c.wh.view(v.name).verify()
        if not result.ok:
            message = f"the rows are right, but verify says missing {shown(result.missing)}, extra {shown(result.extra)}"
            raise _Wrong("verify", message)

    def check_types(self, v: ViewSpec, actual: pa.Table) -> None:
        expected = pa.schema([(n, to_arrow(parse_type(ddl))) for n, ddl in v.columns])
        got = pa.schema([(f.name, f.type) for f in actual.schema])
        if got != expected:
            raise _Wrong("types", f"expected {', '.join(map(str, expected))}\ngot {', '.join(map(str, got))}")

    def check_rows(self, expected: pa.Table, actual: pa.Table) -> None:
        if not self.c.types:  # while shrinking, the types of altered texts are not known beforehand
            actual = actual.rename_columns(expected.column_names)
            actual = actual.cast(expected.schema)
        missing, extra = zset.difference(expected, actual, tolerance=TOLERANCE)
        if missing.num_rows or extra.num_rows:
            raise _Wrong("rows", f"missing {shown(missing)}\nextra {shown(extra)}\nof {expected.num_rows} expected")

    def check_changes(self, before: Counter[Any], now: Counter[Any], changes: Any) -> None:
        rows = zset.to_rows(changes) if isinstance(changes, pa.Table) else [dict(r) for r in changes]
        delta: Counter[Any] = Counter()
        for row in rows:
            weight = row.pop("_w")
            delta[canon(tuple(row.values()))] += weight
        expected = Counter(now)
        expected.subtract(before)
        wanted = {k: n for k, n in expected.items() if n}
        if {k: n for k, n in delta.items() if n} != wanted:
            raise _Wrong("changes", f"expected {wanted}\ngot {dict(delta)}")


def bag(table: pa.Table) -> Counter[Any]:
    return Counter(canon(tuple(row.values())) for row in zset.to_rows(table))


def shown(table: pa.Table) -> str:
    rows = zset.to_rows(table)
    return "[" + ", ".join(str(r) for r in rows[:5]) + (f", … {len(rows) - 5} more" if len(rows) > 5 else "") + "]"
