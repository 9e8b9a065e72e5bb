"""A worker's state over many cases: one warehouse in memory-backed files, one oracle, a tally of what was covered."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.fuzz.check import Checker, Failure
from tests.fuzz.generator import SEQUENCES, VIEWS, generate
from tests.fuzz.model import Case
from tests.fuzz.oracle import Oracle
from tests.fuzz.scope import Tally
from tests.fuzzing.near import narrow_by

Open = Callable[[Path], Any]
SEEDS_PER_WAREHOUSE = 25
SPARK_VIEWS = 2
SPARK_SEQUENCES = 5


@dataclass
class Coverage:
    """What the cases contained, each counted in cases: operators, nestings, which operator met which kind of change of what
    its view reads."""

    cases: int = 0
    tally: Tally = field(default_factory=Tally)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, case: Case, tally: Tally) -> None:
        self.cases += case.count
        for counter, more in ((self.tally.used, tally.used), (self.tally.pairs, tally.pairs)):
            counter.update({k: n * case.sequences for k, n in more.items()})  # type: ignore[attr-defined]
        under: dict[str, frozenset[str]] = {}
        for v in case.views:
            under[v.name] = frozenset().union(*(under.get(r, {r}) for r in v.reads))
            for kinds in _kinds(case, under[v.name]):
                self.met.update((o, k) for o in v.operators for k in kinds)

    def update(self, other: Coverage) -> None:
        self.cases += other.cases
        self.tally.update(other.tally)
        self.met.update(other.met)


def _kinds(case: Case, tables: frozenset[str]) -> Iterator[set[str]]:
    """The kinds of change that each sequence makes to these tables; several in one transaction are also mixed."""
    kinds: set[str] = set()
    for t in case.transactions:
        found = {c.kind for c in t.changes if c.table in tables}
        kinds |= found | ({"mixed"} if len(found) > 1 else set()) | (set() if found else {"empty"})
        if t.ends:
            yield kinds
            kinds = set()


def memory_folder(parent: Path | None = None) -> Path:
    """A new folder, on a file system in memory where there is one."""
    shared = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="belvedere-fuzz-", dir=parent or (shared if shared.is_dir() else None)))


class Session:
    """Use as a context manager; everything it made is gone afterwards."""

    def __init__(
        self,
        engine: str = "duckdb",
        *,
        views: int | None = None,
        ops: Iterable[str] | None = None,
        verify: str = "last",
        opener: Open | None = None,
        parent: Path | None = None,
    ) -> None:
        self.engine = engine
        self.verify = verify
        self.views = views or (SPARK_VIEWS if engine == "spark" else VIEWS)
        self.sequences = SPARK_SEQUENCES if engine == "spark" else SEQUENCES
        self.ops = tuple(ops) if ops else None
        self.coverage = Coverage()
        self._parent = parent
        self._opener = opener or self._open_warehouse
        self._oracle = Oracle()
        self._warehouse: Any = None
        self._folder: Path | None = None
        self._seen: list[str] = []

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._discard()

    def _open_warehouse(self, folder: Path) -> Any:
        import belvedere as bv

        return bv.open(str(folder / "wh"), engine=self.engine)

    def _ready(self) -> Any:
        if self._warehouse is None or len(self._seen) >= SEEDS_PER_WAREHOUSE:
            self._discard()
            self._folder = memory_folder(self._parent)
            self._warehouse = self._opener(self._folder)
        return self._warehouse

    def _discard(self) -> None:
        if self._warehouse is not None:
            self._warehouse.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._warehouse, self._folder, self._seen = None, None, []

    def case(self, seed: str) -> Case:
        """The case of `seed`, or of `seed:view` that view alone."""
        number, _, view = seed.partition(":")
        tally = Tally()
        case = generate(number, views=self.views, sequences=self.sequences, ops=self.ops, tally=tally)
        if view:
            case = case.keep(lambda v: v.name == view)
        self.coverage.add(case, tally)
        return case

    def run(self, case: Case, *, types: bool = True) -> Failure | None:
        """Run in the warehouse at hand; after a failure the next case gets a new one."""
        narrow_by(case.seed)
        failure = Checker(self._ready(), self._oracle, types=types, verify=self.verify).run(case)
        if failure is None:
            self._seen.append(case.seed)
            return None
        failure = replace(failure, before=tuple(self._seen))
        self._discard()
        return failure
