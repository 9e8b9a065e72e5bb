"""Run a case on a warehouse and compare, after every sequence of transactions, with the reference.

For every view: its rows, decoded, are the value that the reference gives; its `changes` are exactly the difference of its
states; asked for an incremental refresh it does not recompute; and its own `verify` agrees in the end.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.fuzz.check import bag
from tests.fuzz.values import canon
from tests.fuzzing.failure import Failure, Wrong
from tests.oqlfuzz.case import Case, ViewSpec
from tests.oqlfuzz.data import Bunch, Rec, from_rows, rank
from tests.oqlfuzz.interpret import Reference, in_rows
from tests.oqlfuzz.kinds import Coll, Struct, Type
from tests.oqlfuzz.updates import Transaction, fitting
from tests.oqlfuzz.world import World

from belvedere.changes import zset

#: modes in which a view follows when it is read
ON_READ = ("lazy", "hybrid")


def check(warehouse: Any, case: Case) -> Failure | None:
    """The first thing wrong with the case in a new warehouse, or None."""
    run = _Run(warehouse, case)
    try:
        run.go()
    except Wrong as wrong:
        return Failure(case, run.view, run.step, wrong.check, wrong.message)
    except Exception as e:  # whatever the product raises is a finding
        return Failure(case, run.view, run.step, f"error {type(e).__name__}", f"{e}\n(while: {run.doing})")
    return None


class _Run:
    def __init__(self, warehouse: Any, case: Case) -> None:
        self.wh = warehouse
        self.case = case
        self.view = ""
        self.step = -1
        self.doing = ""
        self.world = World(case.schema)
        self.reference = Reference(case.schema, case.views)
        self.oids: dict[int, Any] = {}
        self.seen: dict[str, tuple[int, Counter[Any]]] = {}

    def go(self) -> None:
        case = self.case
        self.doing = "reading the ODL"
        self.wh.odl(case.schema.odl())
        for table in case.schema.tables:
            self.wh.create_table(table, case.schema.ddl(table))
        self.change(case.population)
        for v in case.views:
            self.view, self.doing = v.name, "making the view"
            self.wh.create_view(v.name, v.text, language="oql", mode=v.mode, parameters=v.parameters)
        self.compare_all()
        for step, transaction in enumerate(case.transactions):
            self.step = step
            self.change(transaction)
            last = step == len(case.transactions) - 1
            if transaction.refresh or last:
                self.refresh_all()
            if transaction.ends or last:
                self.compare_all()
        for v in case.views:
            if v.verify:
                self.check_verify(v)

    def change(self, transaction: Transaction) -> None:
        self.view = ""
        with self.wh.transaction() as tx:
            for step in fitting(self.world, transaction):
                self.doing = step.call()
                step.do(tx, self.oids)
            self.doing = "committing"

    def refresh_all(self) -> None:
        if self.case.together:
            self.view, self.doing = "", "refreshing all"
            self.wh.refresh()
            return
        for v in self.case.views:
            if v.mode in ON_READ:
                continue  # reading it must be enough
            self.view, self.doing = v.name, "refreshing"
            report = self.wh.view(v.name).refresh(strategy="incremental")
            if report.strategy == "recompute":
                raise Wrong("strategy", f"asked for incremental, and the report says recompute: {report.reason}")

    def compare_all(self) -> None:
        values = self.reference.values(self.world)
        numbers = {int(oid): n for n, oid in self.oids.items()}
        for v in self.case.views:
            self.view, self.doing = v.name, "reading"
            view = self.wh.view(v.name)
            table = view.arrow()
            t = self.reference.types[v.name]
            self.doing = "decoding"
            rows = zset.to_rows(table)
            whole = isinstance(t, Coll) and t.ordered and is_whole(rows, t)
            expected = values[v.name] if whole else in_rows(values[v.name], t)
            found = decoded(rows, t, numbers)
            if rank(rounded(expected)) != rank(rounded(found)):
                raise Wrong("rows", f"expected {expected}\ngot      {found}\nof type {t}")
            now = bag(table)
            if v.name in self.seen:
                self.doing = "reading its changes"
                since, before = self.seen[v.name]
                self.check_changes(before, now, view.changes(since=since))
            self.seen[v.name] = (self.wh.epoch, now)

    def check_changes(self, before: Counter[Any], now: Counter[Any], changes: Any) -> None:
        delta: Counter[Any] = Counter()
        for row in changes:
            weight = row.pop("_w")
            delta[canon(tuple(row.values()))] += weight
        expected = Counter(now)
        expected.subtract(before)
        wanted = {k: n for k, n in expected.items() if n}
        if {k: n for k, n in delta.items() if n} != wanted:
            raise Wrong("changes", f"expected {wanted}\ngot {dict(delta)}")

    def check_verify(self, v: ViewSpec) -> None:
        self.view, self.doing = v.name, "verifying"
        result = self.wh.view(v.name).verify()
        if not result.ok:
            raise Wrong("verify", f"the rows are right, but verify says {result}")


def decoded(rows: list[dict[str, Any]], t: Type, numbers: dict[int, int]) -> Any:
    """The rows of a view as one value: a row is a member of a collection, or the only row is the value."""
    if isinstance(t, Coll) and not (t.ordered and is_whole(rows, t)):
        found = [_member(r, t.element, numbers) for r in rows]
        return Bunch(t.kind, tuple(found if t.ordered else sorted(found, key=rank)))
    if isinstance(t, Coll):
        return from_rows(rows[0]["value"], t, numbers)
    if len(rows) != 1:
        raise Wrong("rows", f"a view of one value has {len(rows)} rows: {rows[:5]}")
    return _member(rows[0], t, numbers)


def is_whole(rows: list[dict[str, Any]], t: Coll) -> bool:
    """A list that an order by made has a row for each member; every other list is one row."""
    if len(rows) != 1 or list(rows[0]) != ["value"]:
        return False
    value, element = rows[0]["value"], t.element
    while isinstance(value, list) and value and isinstance(element, Coll):
        value, element = value[0], element.element
    return isinstance(value, list)


def _member(row: dict[str, Any], t: Type, numbers: dict[int, int]) -> Any:
    if isinstance(t, Struct):
        names = [n for n, _ in t.fields]
        if list(row) != names:
            raise Wrong("columns", f"expected the columns {names}, got {list(row)}")
        return Rec(tuple((n, from_rows(row[n], ft, numbers)) for n, ft in t.fields))
    if list(row) != ["value"]:
        raise Wrong("columns", f"expected one column 'value', got {list(row)}")
    return from_rows(row["value"], t, numbers)


def rounded(value: Any) -> Any:
    """Floats to nine digits: sums of averages may differ in the last digit by their order."""
    match value:
        case float():
            return float(f"{value:.9g}")
        case Rec(fields=fields):
            return Rec(tuple((n, rounded(v)) for n, v in fields))
        case Bunch(kind=k, items=items):
            return Bunch(k, tuple(rounded(v) for v in items))
    return value
