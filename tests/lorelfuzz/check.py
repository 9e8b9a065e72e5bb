"""Run a case on a warehouse and compare, after every refresh, with the reference.

For every view: its primary objects, its edges, its values with their types; that its changes lead from what it was to what it
is; that a SQL view over its edges agrees, and its query asked by itself; and in the end that its own `verify` does.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.fuzzing.failure import Failure, Wrong
from tests.lorel.oracle.evaluate import Meaning, Scope
from tests.lorel.oracle.graph import Value
from tests.lorel.oracle.view import Found, view_of
from tests.lorelfuzz import text
from tests.lorelfuzz.case import Case, Transaction, ViewSpec, setup
from tests.lorelfuzz.changes import Oids, applied
from tests.lorelfuzz.features import bound, starts


def check(warehouse: Any, case: Case, strategies: Counter[str] | None = None) -> Failure | None:
    """The first thing wrong with the case in a warehouse without names and views, or None."""
    run = _Run(warehouse, case, Counter() if strategies is None else strategies)
    try:
        run.go()
    except Wrong as wrong:
        return Failure(case, run.view, run.step, wrong.check, wrong.message)
    except Exception as e:  # whatever the product raises is a finding
        return Failure(case, run.view, run.step, f"error {type(e).__name__}", f"{e}\n(while: {run.doing})")
    return None


def reader_text(v: ViewSpec) -> str:
    return f"select label, count(*) n from {v.name}.edges group by label"


class _Run:
    def __init__(self, warehouse: Any, case: Case, strategies: Counter[str]) -> None:
        self.wh = warehouse
        self.case = case
        self.strategies = strategies
        self.graph = case.graph
        self.view = ""
        self.step = -1
        self.doing = ""
        self.oids: Oids = {}
        self.made: dict[str, str] = {}
        self.seen: dict[str, tuple[int, Counter[Any]]] = {}

    def go(self) -> None:
        loaded, changes = setup(self.case)
        if loaded:
            self.doing = f"loading {loaded[1]}"
            self.wh.load_oem(*loaded)
        self.change(Transaction(changes), first=True)
        for v in self.case.views:
            self.view, self.doing = v.name, "making the view"
            self.wh.create_view(v.name, v.text, language="lorel", mode=v.mode)
            if v.reader:
                self.wh.create_view(f"{v.name}r", reader_text(v))
        self.compare_all()
        for step, transaction in enumerate(self.case.transactions):
            self.step, self.view = step, ""
            self.change(transaction)
            if transaction.refresh:
                self.doing = "refreshing"
                # on graphs this small recomputing is often cheaper, and left to itself a refresh would learn that
                auto = int(self.case.seed.partition(":")[0]) % 4 == 0
                reports = self.wh.refresh() if auto else self.wh.refresh_views(None, "incremental", None)
                self.strategies.update(r.strategy for r in reports)
                self.compare_all()
            else:
                for v in self.case.views:
                    if v.mode != "deferred":
                        self.compare(v, refreshed=False)
        for v in self.case.views:
            self.verify(v)

    def change(self, transaction: Transaction, *, first: bool = False) -> None:
        if not transaction.changes:
            return
        with self.wh.transaction() as tx:
            for c in transaction.changes:
                self.doing = c.call()
                c.do(tx, self.oids)
            self.doing = "committing " + "; ".join(c.call() for c in transaction.changes)
        self.made = {real: made for made, real in self.oids.items()}
        if not first:
            self.graph = applied(self.graph, transaction.changes)

    def compare_all(self) -> None:
        self.view, self.doing = "", "reading the graph"
        self.same_base()
        for v in self.case.views:
            self.compare(v)

    def compare(self, v: ViewSpec, refreshed: bool = True) -> None:
        self.view, self.doing = v.name, "reading"
        expected = view_of(self.graph, v.view)
        view = self.wh.view(v.name)
        self.same_graph(view.graph(), expected)
        if view.status != "fresh":
            raise Wrong("status", f"it is right, and says it is {view.status}: {view.reason}")
        rows = long_form(view)
        if v.name in self.seen:
            self.doing = "reading its changes"
            since, before = self.seen[v.name]
            self.same_changes(before, rows, view.changes(since=since))
        self.seen[v.name] = (self.wh.epoch, rows)
        if v.reader and refreshed:
            self.doing = "reading the SQL view over it"
            found = {r["label"]: r["n"] for r in self.wh.view(f"{v.name}r").rows()}
            wanted = dict(Counter(label for _, label, _ in expected.edges))
            if found != wanted:
                raise Wrong("reader", f"expected {wanted}\ngot {found}")
        if v.asked and starts(v.view.query) <= bound(v.view.query) | self.graph.names.keys() | self.case.graph.objects:
            self.doing = "asking its query"
            self.same_answer(v)

    def same_base(self) -> None:
        """The graph itself, without what no name reaches."""
        rows = self.wh.query("select source, label, target from oem.edges").rows()
        edges = {(self.made.get(r["source"], r["source"]), r["label"], self.made.get(r["target"], r["target"])) for r in rows}
        if edges != self.graph.edges or len(rows) != len(edges):
            raise Wrong("base edges", difference(self.graph.edges, edges))
        found = {self.made.get(r["oid"], r["oid"]) for r in self.wh.query("select oid from oem.objects").rows()}
        if found != self.graph.objects:
            raise Wrong("base objects", difference(self.graph.objects, found))

    def same_graph(self, found: Any, expected: Found) -> None:
        primary = {self.made.get(o, o) for o in found.primary}
        if primary != expected.primary:
            raise Wrong("primary", difference(expected.primary, primary))
        edges = {(self.made.get(s, s), label, self.made.get(t, t)) for s, label, t in found.edges}
        if edges != expected.edges:
            raise Wrong("edges", difference(expected.edges, edges))
        values = {(self.made.get(o, o), typed(value)) for o, value in found.values.items()}
        wanted = {(o, typed(value)) for o, value in expected.values.items()}
        if values != wanted:
            raise Wrong("values", difference(wanted, values))

    def same_changes(self, before: Counter[Any], now: Counter[Any], changes: list[dict[str, Any]]) -> None:
        wanted = Counter(now)
        wanted.subtract(before)
        found: Counter[Any] = Counter()
        for c in changes:
            found[tuple(value for name, value in c.items() if name != "_w")] += c["_w"]
        if {r: n for r, n in wanted.items() if n} != {r: n for r, n in found.items() if n}:
            raise Wrong("changes", f"expected {dict(wanted)}\ngot {dict(found)}")

    def same_answer(self, v: ViewSpec) -> None:
        rows = self.wh.query(text.query(v.view.query), language="lorel").rows()
        found = {self.made.get(r["oid"], r["oid"]) for r in rows}
        wanted = {t.oid for _, t in Meaning(self.graph).rows(v.view.query, Scope())}
        if found != wanted:
            raise Wrong("query", difference(wanted, found))

    def verify(self, v: ViewSpec) -> None:
        self.view, self.doing = v.name, "verifying"
        if v.verify:
            result = self.wh.view(v.name).verify()
            if not result.ok:
                raise Wrong("verify", f"the graph is right, but verify says {result}")


def long_form(view: Any) -> Counter[Any]:
    return Counter(tuple(r.values()) for r in view.rows())


def typed(value: Value) -> tuple[str, Value]:
    """1, 1.0 and True are equal to Python."""
    return type(value).__name__, value


def difference(wanted: set[Any], found: set[Any]) -> str:
    missing, extra = sorted(wanted - found, key=str), sorted(found - wanted, key=str)
    return f"missing {missing}\nextra   {extra}\nexpected {sorted(wanted, key=str)}"
