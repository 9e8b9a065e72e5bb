"""A worker over many cases: one warehouse in memory-backed files, emptied after each case, and a tally of what was covered."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.fuzz.session import memory_folder
from tests.fuzzing.failure import Failure
from tests.fuzzing.near import narrow_by
from tests.schemafuzz.case import Case
from tests.schemafuzz.check import check
from tests.schemafuzz.generator import STEPS, VIEWS, generate

Open = Callable[[Path], Any]
CASES_PER_WAREHOUSE = 20
#: the part of the transactions that a comparison follows
REFRESHED = 0.8


@dataclass
class Coverage:
    """What the cases contained: operators, which operator met which kind of change, and how the views were refreshed."""

    cases: int = 0
    operators: Counter[str] = field(default_factory=Counter)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    strategies: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case) -> None:
        self.cases += case.count
        for v in case.views:
            self.operators.update(v.operators)
            for t in case.transactions:
                kinds = {c.kind for c in t.changes}
                self.met.update((o, k) for o in v.operators for k in kinds | ({"mixed"} if len(kinds) > 1 else set()))

    def update(self, other: Coverage) -> None:
        self.cases += other.cases
        self.operators.update(other.operators)
        self.met.update(other.met)
        self.strategies.update(other.strategies)


class Session:
    """Makes cases of seeds and runs them. Use as a context manager; everything it made is gone afterwards."""

    def __init__(
        self, engine: str = "duckdb", *, views: int | None = None, opener: Open | None = None, parent: Path | None = None
    ) -> None:
        self.engine = engine
        self.views = views or (2 if engine == "spark" else VIEWS)
        self.steps = 3 if engine == "spark" else STEPS
        self.per_seed = max(1, int(self.views * self.steps * REFRESHED))
        self.coverage = Coverage()
        self._parent = parent
        self._opener = opener or self._open_warehouse
        self._warehouse: Any = None
        self._folder: Path | None = None
        self._used = 0

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.discard()

    def _open_warehouse(self, folder: Path) -> Any:
        import belvedere as bv

        return bv.open(str(folder / "wh"), engine=self.engine)

    def case(self, seed: str) -> Case:
        """The case of `seed`, or of `seed:view` that view alone."""
        number, _, view = seed.partition(":")
        case = generate(number, views=self.views, steps=self.steps)
        if view:
            case = case.keep(lambda v: v.name == view)
        self.coverage.add(case)
        return case

    def run(self, case: Case) -> Failure | None:
        """Run in the warehouse at hand; after a failure the next case gets a new one."""
        if self._warehouse is None or self._used >= CASES_PER_WAREHOUSE:
            self.discard()
            self._folder = memory_folder(self._parent)
            self._warehouse = self._opener(self._folder)
        narrow_by(case.seed)
        self._used += 1
        failure = check(self._warehouse, case, self.coverage.strategies)
        if failure is not None:
            self.discard()
        else:
            emptied(self._warehouse)
        return failure

    def discard(self) -> None:
        if self._warehouse is not None:
            self._warehouse.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._warehouse, self._folder, self._used = None, None, 0


def emptied(warehouse: Any) -> None:
    """A warehouse without views and tables: variables range over all there is, so nothing may be left of the case before."""
    for v in reversed(list(warehouse.views())):
        warehouse.drop_view(v if isinstance(v, str) else v.name)
    tables = list(warehouse.tables())
    with warehouse.transaction() as tx:
        for t in tables:
            tx.drop_relation(t)
