"""Run a case on a warehouse and compare, after every refresh, with the reference.

For every view: whether it is valid; its relations, their columns, their rows; that its sequence of changes is valid and leads
from what it was to what it is; that views over its relations agree; and in the end that its own `verify` does.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.fuzzing.failure import Failure, Wrong
from tests.schemafuzz import above
from tests.schemafuzz.case import Case, Transaction, ViewSpec
from tests.schemafuzz.changes import AddRelation, Insert
from tests.schemafuzz.interpret import Reference
from tests.schemafuzz.layout import Content
from tests.schemafuzz.ranges import Avoid, Invalid
from tests.schemafuzz.sequence import NotDefined, State, plain
from tests.schemafuzz.tree import Const
from tests.schemafuzz.world import World, quoted


def check(warehouse: Any, case: Case, strategies: Counter[str] | None = None) -> Failure | None:
    """The first thing wrong with the case in a warehouse without tables and views, or None."""
    run = _Run(warehouse, case, Counter() if strategies is None else strategies)
    try:
        run.go()
    except Wrong as wrong:
        return Failure(case, run.view, run.step, wrong.check, wrong.message)
    except Exception as e:  # whatever the product raises is a finding
        return Failure(case, run.view, run.step, f"error {type(e).__name__}", f"{e}\n(while: {run.doing})")
    return None


def setup(world: World) -> list[AddRelation | Insert]:
    """The changes that make the world out of nothing."""
    found: list[AddRelation | Insert] = []
    for t in world.tables:
        key = tuple(c.name for k in t.key for c in t.columns if c.number == k)
        found.append(AddRelation(t.full_name, tuple((c.name, c.type) for c in t.columns), key))
        if t.rows:
            found.append(Insert(t.full_name, tuple(tuple(t.as_dict(r).items()) for r in t.rows)))
    return found


def reader_text(v: ViewSpec) -> str:
    """A SQL view over the fixed attributes of the view's one relation."""
    h = v.query.header
    assert h is not None
    assert isinstance(h.name, Const)
    shown = ", ".join(quoted(n) for n in v.fixed)
    return f"select {shown} from {quoted(v.database)}.{quoted(h.name.name)}"


class _Run:
    def __init__(self, warehouse: Any, case: Case, strategies: Counter[str]) -> None:
        self.wh = warehouse
        self.case = case
        self.strategies = strategies
        self.world = case.world
        self.view = ""
        self.step = -1
        self.doing = ""
        self.references = {v.name: Reference(v.query, v.name) for v in case.views}
        self.unsettled: set[str] = set()
        self.seen: dict[str, tuple[int, Content]] = {}

    def go(self) -> None:
        self.doing = "making the tables"
        with self.wh.transaction() as tx:
            for c in setup(self.case.world):
                c.do(tx)
        for v in self.case.views:
            self.view, self.doing = v.name, "making the view"
            self.wh.create_view(v.name, v.text, language="schemasql", mode=v.mode)
            if v.reader:
                self.wh.create_view(f"{v.name}r", reader_text(v))
            if v.above is not None:
                self.doing = "making the view above"
                self.wh.create_view(f"{v.name}a", above.text_of(v), language=above.language_of(v), mode=v.mode)
        self.compare_all()
        for step, transaction in enumerate(self.case.transactions):
            self.step, self.view = step, ""
            self.change(transaction)
            if transaction.refresh:
                self.doing = "refreshing"
                self.strategies.update(r.strategy for r in self.wh.refresh())
                self.compare_all()
            else:
                for v in self.case.views:
                    if v.mode == "immediate":
                        self.compare(v, refreshed=False)
        for v in self.case.views:
            self.verify(v)

    def change(self, transaction: Transaction) -> None:
        if not transaction.changes:
            return
        with self.wh.transaction() as tx:
            for c in transaction.changes:
                self.doing = c.call()
                self.world = c.apply(self.world)
                c.do(tx)
            self.doing = "committing " + "; ".join(c.call() for c in transaction.changes)

    def compare_all(self) -> None:
        for v in self.case.views:
            self.compare(v)

    def compare(self, v: ViewSpec, refreshed: bool = True) -> None:
        self.view, self.doing = v.name, "reading its status"
        if v.name in self.unsettled:
            return
        try:
            expected = self.references[v.name].state(self.world)
        except Avoid:  # the generator goes round such worlds, but cannot foresee when a view is seen to be in order again
            self.unsettled.add(v.name)
            return
        view = self.wh.view(v.name)
        status = view.status
        if isinstance(expected, Invalid):
            if status != "invalid":
                raise Wrong("status", f"expected invalid ({expected}), got {status}")
            if not view.reason:
                raise Wrong("reason", f"invalid, and no word why ({expected})")
            return
        if status != "fresh":
            raise Wrong("status", f"expected {short(expected)}\ngot {status}: {view.reason}")
        self.doing = "reading"
        self.same_content(view, expected)
        if v.name in self.seen:
            self.doing = "reading its changes"
            since, before = self.seen[v.name]
            self.same_changes(v, before, expected, view.changes(since=since))
        self.seen[v.name] = (self.wh.epoch, expected)
        if v.reader and refreshed:
            self.doing = "reading the SQL view over it"
            self.same_reader(v, expected)
        if v.above is not None:
            self.doing = "reading the view above it"
            self.same_above(v, expected)

    def same_above(self, v: ViewSpec, content: Content) -> None:
        view, wanted = self.wh.view(f"{v.name}a"), above.expected(v, content)
        if wanted is None:
            if view.status != "invalid" or not view.reason:
                raise Wrong("above", f"expected invalid, got {view.status}: {view.reason}")
            return
        if view.status != "fresh":
            raise Wrong("above", f"expected {listed(wanted)}\ngot {view.status}: {view.reason}")
        found = bag(view.arrow())
        if rounded(found) != rounded(wanted):
            raise Wrong("above", f"expected {listed(wanted)}\ngot {listed(found)}")

    def same_content(self, view: Any, expected: Content) -> None:
        found = list(view.relations())
        if found != list(expected):
            raise Wrong("relations", f"expected {list(expected)}\ngot      {found}")
        for name, relation in expected.items():
            table = view.relation(name).arrow()
            if tuple(table.column_names) != relation.columns:
                raise Wrong("columns", f"{name!r}: expected {relation.columns}\ngot {tuple(table.column_names)}")
            rows = bag(table)
            if rounded(rows) != rounded(relation.rows):
                raise Wrong("rows", f"{name!r} {relation.columns}: expected {listed(relation.rows)}\ngot {listed(rows)}")

    def same_changes(self, v: ViewSpec, before: Content, now: Content, changes: list[dict[str, Any]]) -> None:
        if changes and "change" not in changes[0]:
            delta = Counter(plain(now).rows)
            delta.subtract(plain(before).rows)
            got: Counter[Any] = Counter()
            for c in changes:
                got[tuple(v for k, v in c.items() if k != "_w")] += c["_w"]
            if rounded({k: n for k, n in delta.items() if n}) != rounded({k: n for k, n in got.items() if n}):
                raise Wrong("changes", f"expected {dict(delta)}\ngot {changes}")
            return
        state = State(before, v.fixed)
        try:
            for c in changes:
                state.apply(c)
        except NotDefined as e:
            raise Wrong("changes", f"not valid: {e}\nsequence {changes}\nfrom {short(before)}\nto   {short(now)}") from e
        wrong = state.differs(now)
        if wrong:
            raise Wrong("changes", f"leads elsewhere: {wrong}\nsequence {changes}\nfrom {short(before)}\nto   {short(now)}")

    def same_reader(self, v: ViewSpec, expected: Content) -> None:
        (relation,) = expected.values()
        at = [relation.columns.index(n) for n in v.fixed]
        wanted: Counter[Any] = Counter()
        for row, n in relation.rows.items():
            wanted[tuple(row[i] for i in at)] += n
        found = bag(self.wh.view(f"{v.name}r").arrow())
        if rounded(found) != rounded(wanted):
            raise Wrong("reader", f"expected {listed(wanted)}\ngot {listed(found)}")

    def verify(self, v: ViewSpec) -> None:
        self.view, self.doing = v.name, "verifying"
        if v.verify and v.name in self.seen and self.wh.view(v.name).status == "fresh":
            result = self.wh.view(v.name).verify()
            if not result.ok:
                raise Wrong("verify", f"the rows are right, but verify says {result}")
            higher = self.wh.view(f"{v.name}a") if v.above is not None else None
            if higher is not None and higher.status == "fresh" and not (result := higher.verify()).ok:
                raise Wrong("verify", f"the rows of the view above are right, but verify says {result}")


def bag(table: Any) -> Counter[tuple[Any, ...]]:
    columns = [c.to_pylist() for c in table.columns]
    return Counter(zip(*columns, strict=True)) if columns else Counter({(): table.num_rows} if table.num_rows else {})


def rounded(rows: Any) -> dict[Any, int]:
    """Floats to nine digits; numbers are equal whatever their type."""
    found: Counter[Any] = Counter()
    for row, n in rows.items():
        found[tuple(float(f"{v:.9g}") if isinstance(v, float) else v for v in row)] += n
    return {k: n for k, n in found.items() if n}


def listed(rows: Counter[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows.elements(), key=str)


def short(content: Content) -> dict[str, tuple[tuple[str, ...], list[Any]]]:
    return {n: (r.columns, listed(r.rows)) for n, r in content.items()}
