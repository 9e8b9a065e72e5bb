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
from tests.lorelfuzz.case import Case
from tests.lorelfuzz.check import check
from tests.lorelfuzz.generator import STEPS, VIEWS, generate

Open = Callable[[Path], Any]
CASES_PER_WAREHOUSE = 20
#: the part of the transactions that a comparison follows
REFRESHED = 0.8


@dataclass
class Coverage:
    """What the cases contained: what views have, which of it met which kind of change, and how the views were refreshed."""

    cases: int = 0
    features: Counter[str] = field(default_factory=Counter)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    strategies: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case) -> None:
        self.cases += case.count
        for v in case.views:
            found = v.features
            self.features.update(found)
            for t in case.transactions:
                kinds = {c.kind for c in t.changes}
                self.met.update((f, k) for f in found for k in kinds | ({"mixed"} if len(kinds) > 1 else set()))

    def update(self, other: Coverage) -> None:
        self.cases += other.cases
        self.features.update(other.features)
        self.met.update(other.met)
        self.strategies.update(other.strategies)


class Session:
    """Makes cases of seeds and runs them. Use as a context manager; everything it made is gone afterwards."""

    def __init__(
        self, engine: str = "duckdb", *, views: int | None = None, opener: Open | None = None, parent: Path | None = None
    ) -> None:
        self.engine = engine
        self.views = views or (2 if engine == "spark" else VIEWS)
        self.steps = 2 if engine == "spark" else STEPS
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
        self._used += 1
        narrow_by(case.seed)
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
    """A warehouse without views and names; what no name reaches is gone with them."""
    for v in reversed(list(warehouse.views())):
        warehouse.drop_view(v if isinstance(v, str) else v.name)
    names = [r["name"] for r in warehouse.query("select name from oem.names").rows()]
    with warehouse.transaction() as tx:
        for name in names:
            tx.remove_name(name)
    left = warehouse.query("select (select count(*) from oem.edges) + (select count(*) from oem.values) n").rows()
    assert left == [{"n": 0}], f"{left} rows of a graph without names"
