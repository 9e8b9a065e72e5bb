"""A worker's state over many cases: a new warehouse for each, in memory-backed files, and a tally of what was covered."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.scope import Tally
from tests.fuzz.session import memory_folder
from tests.fuzzing.failure import Failure
from tests.fuzzing.near import narrow_by
from tests.oqlfuzz.case import Case
from tests.oqlfuzz.check import check
from tests.oqlfuzz.generator import SEQUENCES, VIEWS, generate

Open = Callable[[Path], Any]
SPARK_VIEWS = 2
SPARK_SEQUENCES = 4


@dataclass
class Coverage:
    """What the cases contained: constructs and nestings, each counted in cases, and kinds of updates."""

    cases: int = 0
    tally: Tally = field(default_factory=Tally)
    steps: dict[str, int] = field(default_factory=dict)

    def add(self, case: Case, tally: Tally) -> None:
        self.cases += case.count
        self.tally.update(tally)
        for t in case.transactions:
            for s in t.steps:
                self.steps[type(s).__name__] = self.steps.get(type(s).__name__, 0) + 1

    def update(self, other: Coverage) -> None:
        self.cases += other.cases
        self.tally.update(other.tally)
        for k, n in other.steps.items():
            self.steps[k] = self.steps.get(k, 0) + n


class Session:
    """Makes cases of seeds and runs them."""

    def __init__(
        self, engine: str = "duckdb", *, views: int | None = None, opener: Open | None = None, parent: Path | None = None
    ) -> None:
        self.engine = engine
        self.views = views or (SPARK_VIEWS if engine == "spark" else VIEWS)
        self.sequences = SPARK_SEQUENCES if engine == "spark" else SEQUENCES
        self.per_seed = self.views * self.sequences
        self.coverage = Coverage()
        self._parent = parent
        self._opener = opener or self._open_warehouse

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        """Every case has removed what it made."""

    def _open_warehouse(self, folder: Path) -> Any:
        import belvedere as bv

        return bv.open(str(folder / "wh"), engine=self.engine)

    def case(self, seed: str) -> Case:
        """The case of `seed`, or of `seed:view` that view alone."""
        number, _, view = seed.partition(":")
        tally = Tally()
        case = generate(number, views=self.views, sequences=self.sequences, tally=tally)
        if view:
            case = case.keep(lambda v: v.name == view)
        self.coverage.add(case, tally)
        return case

    def run(self, case: Case) -> Failure | None:
        narrow_by(case.seed)
        folder = memory_folder(self._parent)
        warehouse = self._opener(folder)
        try:
            return check(warehouse, case)
        finally:
            warehouse.close()
            shutil.rmtree(folder, ignore_errors=True)
