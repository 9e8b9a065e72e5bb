"""What all parts of an open warehouse share: the store, the engines, and the choice between them."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.engines.function import Function
from belvedere.engines.result import Engine
from belvedere.engines.scan import Scan
from belvedere.errors import BelvedereError
from belvedere.planning.cost import CostModel
from belvedere.planning.estimate import a_group
from belvedere.planning.experience import KEPT, Experience
from belvedere.planning.merges import Merges
from belvedere.store.hot_columns import HotColumns, hot_capacity
from belvedere.store.maintain import BESIDE, Beside, Later
from belvedere.store.model import SMALL, Run
from belvedere.store.small_runs import SmallRuns
from belvedere.store.store import Store
from belvedere.warehouse.lately import Lately

if TYPE_CHECKING:
    from belvedere.engines.duckdb import DuckDBEngine
    from belvedere.engines.spark import SparkEngine
    from belvedere.warehouse.graph_views.image import Images

E = TypeVar("E", bound=Engine)

ENGINES = ("auto", "spark", "duckdb")
SIZE = re.compile(r"\d+(\.\d+)?\s*[KMGT]i?B", re.IGNORECASE)


def checked(engine: str, memory: str | None) -> str | None:
    """What may be set for a warehouse; gives the limit of memory."""
    if engine not in ENGINES:
        raise BelvedereError(f"engine={engine!r} is not known; use one of {', '.join(ENGINES)}")
    limit = memory or os.environ.get("BELVEDERE_MEMORY") or None
    if limit is not None and not SIZE.fullmatch(limit):
        whose = "memory" if memory else "BELVEDERE_MEMORY"
        raise BelvedereError(f"{whose}={limit!r} is no size; write a number and a unit, such as 500MB or 4GB")
    return limit


class Core:
    """Engines start when they are first used, not before."""

    def __init__(self, store: Store, engine: str, spark: Any = None, memory: str | None = None) -> None:
        self.memory = memory
        self.store = store
        self.mode = engine
        #: users' functions by their names in lower case
        self.udfs: dict[str, Function] = {}
        self._session = spark
        self._duckdb: DuckDBEngine | None = None
        self._spark: SparkEngine | None = None
        self.small_runs = SmallRuns(store.inlined.read)
        self._hot = HotColumns(hot_capacity(memory))
        self._lock = threading.Lock()
        self._model: tuple[int, CostModel] | None = None
        self._images: Images | None = None
        self._experience: dict[str, Experience] = {}
        self.merges = Merges()
        self.lately = Lately()
        #: have large merges taken memory that was not given back yet?
        self._holds = False
        #: small collections whose Iceberg snapshots are due, in the order of asking
        self._unsaid: dict[str, None] = {}

    @property
    def duckdb(self) -> DuckDBEngine:
        with self._lock:
            if self._duckdb is None:
                from belvedere.engines.duckdb import DuckDBEngine

                made = DuckDBEngine(runs=self.small_runs, memory_limit=self.memory, hot=self._hot)
                self._duckdb = self._with_functions(made)
            return self._duckdb

    @property
    def spark(self) -> SparkEngine:
        with self._lock:
            if self._spark is None:
                from belvedere.engines.spark import SparkEngine

                made = SparkEngine(self._session, in_process=self.memory, runs=self.small_runs, hot=self._hot)
                self._spark = self._with_functions(made)
            return self._spark

    def _with_functions(self, engine: E) -> E:
        for function in self.udfs.values():
            engine.register(function)
        return engine

    def register(self, function: Function) -> None:
        """Let texts and plans call a user's function."""
        with self._lock:
            self.udfs[function.name.lower()] = function
            for engine in (self._duckdb, self._spark):
                if engine is not None:
                    engine.register(function)

    def udf(self, name: str) -> Function | None:
        return self.udfs.get(name.lower())

    @property
    def spark_started(self) -> bool:
        return self._spark is not None or self._session is not None

    @property
    def spark_possible(self) -> bool:
        """May Spark be used, and could it be started?"""
        from belvedere.engines.spark.java import java_problem

        return "spark" in self.allowed(None) and (self.spark_started or java_problem() is None)

    def engine(self, name: str) -> Engine:
        if name == "duckdb":
            return self.duckdb
        if name == "spark":
            return self.spark
        raise BelvedereError(f"engine={name!r} is not known; use spark or duckdb")

    def allowed(self, engine: str | None) -> tuple[str, ...]:
        """The engines that may be used; a wish for one refresh counts more than the warehouse's setting."""
        wish = engine or self.mode
        if wish not in ENGINES:
            raise BelvedereError(f"engine={wish!r} is not known; use one of {', '.join(ENGINES)}")
        return ("duckdb", "spark") if wish == "auto" else (wish,)

    def small(self) -> Engine:
        """The engine for work on a few rows: in-process, unless everything is to stay on Spark."""
        return self.spark if self.mode == "spark" else self.duckdb

    def beside(self, resolve: Callable[[Get], Scan]) -> Callable[[Get], float]:
        """What lookups in leaves look at besides what they find, as far as this process knows."""
        engine = self._duckdb
        return a_group if engine is None else lambda get: engine.beside(get, resolve(get))

    def keep(self, run: Run, rows: pa.Table) -> None:
        """A small run that was just written will be read soon."""
        if run.rows < SMALL:
            self.small_runs.keep(run.path, rows)

    @property
    def images(self) -> Images:
        """What Lorel views know of objects, in memory."""
        if self._images is None:
            from belvedere.warehouse.graph_views.image import Images

            self._images = Images(self)
        return self._images

    def maintain(
        self, names: Iterable[str] | None, beside: Beside | None = None, later: Later | None = None, *, hold: bool = False
    ) -> list[dict[str, Any]]:
        """Bring collections into shape; what a large merge took is given back, unless it is held until somebody does so."""
        done = self.store.maintain(self.duckdb, collections=names, beside=beside, later=later)
        self.merges.add(done)
        if any(r.get("rows_in", 0) >= BESIDE for r in done):
            self._holds = True
            if not hold:
                self.give_back()
        return done

    def give_back(self) -> None:
        """Give back what large merges took, if there were any since."""
        if self._holds:
            self._holds = False
            self.duckdb.give_back()

    def owe_snapshot(self, name: str) -> None:
        """The Iceberg snapshot of a small collection is due, and `take_snapshots` is called when it is quiet."""
        self._unsaid[name] = None

    def take_snapshots(self) -> None:
        """Those that are due. One that cannot be taken now, whatever the reason, is due again with the next merge: who closes a
        warehouse has not asked for it."""
        while self._unsaid:
            with suppress(Exception):
                self.store.take_snapshot(self._unsaid.popitem()[0], self.duckdb)

    def owe_nothing(self) -> None:
        """Snapshots that are due are left to whoever opens the warehouse next."""
        self._unsaid.clear()

    def experience(self, view: str) -> Experience:
        """What its last refreshes took."""
        known = self._experience.get(view)
        if known is None:
            known = self._experience[view] = Experience.of(self.store.history(f"refresh:{view}", limit=KEPT))
        return known

    def forget(self, view: str) -> None:
        """Another view may get its name."""
        self._experience.pop(view, None)
        self.lately.forget(view)

    def costs(self) -> CostModel:
        epoch = self.store.reader.newest
        if self._model is None or epoch - self._model[0] > 50:
            self._model = (epoch, CostModel.learn(self.store.history("refresh", limit=200)))
        return self._model[1]

    def close(self) -> None:
        for engine in (self._duckdb, self._spark):
            if engine is not None:
                engine.close()
        self._duckdb = self._spark = None
        self.store.close()
