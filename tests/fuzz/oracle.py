"""The right answer: the view's own text, transpiled by sqlglot to DuckDB, over plain tables filled from the model.

Nothing of the product's algebra, planning or storage is used. Only Arrow tables are made with its row conversion.
"""

from __future__ import annotations

from types import TracebackType

import duckdb
import pyarrow as pa
from tests.fuzz.duck import duck_sql, duck_type
from tests.fuzz.model import Case, State, ViewSpec

from belvedere.algebra.types import parse_schema, parse_type, to_arrow
from belvedere.changes.rows import to_table


class Oracle:
    """One DuckDB database in memory, refilled for every case."""

    def __init__(self) -> None:
        self.db = duckdb.connect(":memory:", config={"threads": 1})
        self.db.execute("set timezone = 'UTC'")
        # with it, DuckDB 2.0 answers `s.x in (1, 3)` wrongly where s.x is NULL and all other values are 1
        self.db.execute("set disabled_optimizers = 'statistics_propagation'")
        self._made: list[str] = []
        self._filled: dict[str, object] = {}
        self._fills: dict[str, int] = {}
        self._base: dict[str, frozenset[str]] = {}
        self._known: dict[str, pa.Table] = {}
        self._prepared: set[str] = set()

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.db.close()

    def begin(self, case: Case) -> None:
        """Make the tables and views of a case."""
        for name in self._prepared:
            self.db.execute(f"deallocate rows_of_{name}")
        self._prepared.clear()
        for name in reversed(self._made):
            self.db.execute(f"drop {'view' if name.startswith('v') else 'table'} if exists {name}")
        self._made, self._filled, self._fills, self._base, self._known = [], {}, {}, {}, {}
        for t in case.tables:
            columns = ", ".join(f"{n} {duck_type(ddl)}" for n, ddl in t.columns)
            self.db.execute(f"create table {t.name} ({columns})")
            self._made.append(t.name)
        for v in case.views:
            self.db.execute(f"create view {v.name} as {duck_sql(v.text)}")
            self._made.append(v.name)
            self._base[v.name] = frozenset().union(*(self._base.get(r, {r}) for r in v.reads))

    def fill(self, case: Case, state: State) -> None:
        """Bring the tables to a state; a table whose list of rows is the same object is left alone."""
        for t in case.tables:
            if self._filled.get(t.name) is state[t.name]:
                continue
            rows = to_table(state[t.name], parse_schema(t.ddl))
            self.db.register("incoming", rows)
            self.db.execute(f"delete from {t.name}")
            self.db.execute(f"insert into {t.name} select * from incoming")
            self.db.unregister("incoming")
            self._filled[t.name] = state[t.name]
            self._fills[t.name] = self._fills.get(t.name, 0) + 1
            self._known = {v: rows for v, rows in self._known.items() if t.name not in self._base.get(v, {t.name})}

    def version(self, view: ViewSpec) -> int:
        """A number that grows whenever a table under the view is filled anew."""
        return sum(self._fills.get(t, 0) for t in self._base[view.name])

    def rows(self, view: ViewSpec) -> pa.Table:
        """The view recomputed, in the types that Spark gives it. Kept until a table that it reads is filled anew."""
        if view.name in self._known:
            return self._known[view.name]
        if view.name not in self._prepared:  # it is asked once for each state, and to plan it takes longer than to run it
            casts = ", ".join(f"cast({n} as {duck_type(ddl)}) as {n}" for n, ddl in view.columns)
            self.db.execute(f"prepare rows_of_{view.name} as select {casts} from {view.name}")
            self._prepared.add(view.name)
        found = self.db.execute(f"execute rows_of_{view.name}").to_arrow_table()
        found = found.cast(pa.schema([(n, to_arrow(parse_type(ddl))) for n, ddl in view.columns]))
        if view.name in self._base:
            self._known[view.name] = found
        return found
