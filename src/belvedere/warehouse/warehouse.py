"""The façade: tables, transactions, views."""

from __future__ import annotations

import os
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import gets
from belvedere.algebra.types import DataType, Schema, parse_schema
from belvedere.errors import BelvedereError, OutOfMemory
from belvedere.languages import Bound, bind, result_type
from belvedere.languages.schemasql.bound import SchemaBound
from belvedere.planning.cost import Work
from belvedere.planning.experience import FIRST_EXTENT
from belvedere.store.model import SMALL
from belvedere.store.publish import THIS_EPOCH
from belvedere.store.store import Store
from belvedere.warehouse.ability import able_engines
from belvedere.warehouse.arrange import arrange
from belvedere.warehouse.core import Core, checked
from belvedere.warehouse.execute import execute
from belvedere.warehouse.functions import make_function
from belvedere.warehouse.graphs.facade import Graphs
from belvedere.warehouse.loading import load
from belvedere.warehouse.modes import MODES, follow_views, read_first
from belvedere.warehouse.names import CurrentNames
from belvedere.warehouse.objects.facade import Classes
from belvedere.warehouse.parameters import read_parameters
from belvedere.warehouse.rebuild import rebuild
from belvedere.warehouse.refresh import Refresher
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.report import Refresh
from belvedere.warehouse.resolve import Overlay, Resolver
from belvedere.warehouse.result import Result
from belvedere.warehouse.schemas.naming import check_new
from belvedere.warehouse.schemas.outline import KIND as OUTLINE
from belvedere.warehouse.schemas.question import answer
from belvedere.warehouse.schemas.settle import settle
from belvedere.warehouse.sources.dropping import drop_remotes
from belvedere.warehouse.sources.facade import Sources
from belvedere.warehouse.sources.loading import first_load
from belvedere.warehouse.sources.refreshing import refresh_views
from belvedere.warehouse.tables import check_name
from belvedere.warehouse.transaction import Transaction
from belvedere.warehouse.upkeep import Upkeep
from belvedere.warehouse.view import View


class Warehouse(Classes, Graphs, Sources):
    """A directory of tables and views. Also a context manager."""

    def __init__(
        self, path: str, *, engine: str = "auto", spark: Any = None, catalog: str | None = None, memory: str | None = None,
        create: bool = True,
    ) -> None:  # fmt: skip
        limit = checked(engine, memory)
        self.core = core = Core(Store.open(path, catalog, create=create), engine, spark, limit)
        self.registry = Registry(self.core)
        self._commits = 0
        self._arranged: set[str] = set()
        self.upkeep = Upkeep(_merging(core), core.give_back, core.take_snapshots)
        weakref.finalize(self, _left, core, self.upkeep)

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<warehouse {self.core.store.path} at epoch {self.epoch}>"

    @property
    def path(self) -> str:
        return str(self.core.store.path)

    @property
    def spark(self) -> Any:
        """The SparkSession, started on first use."""
        return self.core.spark.session

    @property
    def epoch(self) -> int:
        """The last published epoch."""
        return self.core.store.epoch

    def close(self) -> None:
        try:
            self.upkeep.close()
            self.core.take_snapshots()
        finally:
            self.core.close()

    # base data

    def create_table(self, name: str, schema: str | Schema, *, key: str | Iterable[str] | None = None) -> None:
        """Make an empty table; schema in Spark's DDL, `key` a column or several."""
        with self.transaction() as tx:
            tx.create_table(name, parse_schema(schema) if isinstance(schema, str) else schema, key=key)

    def drop_table(self, name: str) -> None:
        with self.transaction() as tx:
            tx.drop_relation(name)

    def load(self, name: str, data: Any, *, key: str | Iterable[str] | None = None) -> int:
        """Add rows from a file, a DataFrame, an Arrow table or a list of dicts; makes the table if there is none. Returns
        how many."""
        return load(self, name, data, key)

    def tables(self) -> list[str]:
        return sorted(self.registry.tables())

    def table_schema(self, name: str) -> Schema:
        return self.registry.table(name).schema

    def bound(self, text: str, language: str = "sql", parameters: Mapping[str, Any] | None = None) -> Bound:
        """A query as algebra, over the names as they are now."""
        return bind(text, CurrentNames(self.registry), language, parameters=read_parameters(parameters))

    def query(self, text: str, *, language: str = "sql", parameters: Mapping[str, Any] | None = None) -> Result:
        """Ask over base data and views; `parameters` are the values of `:name` in the text."""
        names = CurrentNames(self.registry)
        bound = bind(text, names, language, parameters=read_parameters(parameters))
        node, columns = bound.ordered or bound.node, bound.columns
        read_first(self, (u["view"] for u in names.used.values() if "view" in u))
        at = self.epoch
        if isinstance(bound, SchemaBound):
            node, columns = answer(self.core, bound, Resolver(self.core.store, until=at))
        engine = self.reading_engine(node, at)
        found = result_type(bound, language)
        objects = None if found is None else (found, self.registry.objects())
        return Result(self.core, node, Resolver(self.core.store, until=at), columns, bound.order, engine, objects)

    def reading_engine(self, node: Node, epoch: int) -> str:
        """Where to evaluate a question: by the cost model, among the engines that can."""
        able = able_engines(self.core, [node], self.core.allowed(None))
        if len(able) == 1:
            return able[0]
        resolver = Resolver(self.core.store, until=epoch)
        rows = sum(map(resolver.size, gets(node)))
        costs = self.core.costs()
        return min(able, key=lambda e: costs.seconds(e, Work(rows)))

    def register_function(
        self,
        name: str,
        fn: Callable[..., Any],
        arguments: Sequence[str | DataType] | None = None,
        returns: str | DataType | None = None,
        *,
        deterministic: bool = True,
        null_in_null_out: bool = True,
    ) -> None:
        """Let queries, conditions, assignments and views call a Python function, on both engines.

        Types are in Spark's DDL; those not given are taken from the annotations. With `null_in_null_out` it is not called for
        rows with a NULL argument, and gives NULL. Functions are not stored: register them each time after opening.
        """
        self.core.register(
            make_function(name, fn, arguments, returns, deterministic=deterministic, null_in_null_out=null_in_null_out)
        )

    # changes

    def transaction(self) -> Transaction:
        """`with wh.transaction() as tx:` is one epoch; an exception rolls it back."""
        return Transaction(self)

    def execute(self, statement: str) -> Any:
        """A SQL statement that changes something, in a transaction of its own; a query gives a Result."""
        return execute(self, statement)

    # views

    def create_view(
        self,
        name: str,
        query: str,
        *,
        language: str = "sql",
        mode: str = "deferred",
        parameters: Mapping[str, Any] | None = None,
    ) -> View:
        """Define a view and compute it. `parameters` are the values of `:name` in the text; `View.bind` sets other ones."""
        given = read_parameters(parameters)
        check_name(self.registry, name, "view")
        if mode not in MODES:
            raise BelvedereError(f"mode={mode!r} is not known; use one of {', '.join(MODES)}")
        with self.core.store.begin() as commit:
            overlay = Overlay()
            registry = self.registry.over(overlay, commit.base)
            definition = registry.define(name, query, language, mode, given)
            check_new(registry, definition)
            # or it could be kept and never read
            able_engines(self.core, [definition.plan.tail], self.core.allowed(None), strict=True)
            refresher = Refresher(self.core, registry, commit, overlay)
            for upstream in registry.in_order(sorted(definition.views)):
                refresher.refresh(upstream)
            commit.touch(definition.views, kind="view")
            asked = first_load(self.core, registry, commit, overlay, definition)
            began = time.perf_counter()
            report = rebuild(self.core, registry, commit, overlay, definition, None, FIRST_EXTENT)
            report = replace(report, asked=asked, seconds=time.perf_counter() - began + sum(a.seconds for a in asked))
            if definition.schema is not None:
                settle(self.core, registry, commit, overlay, definition.schema, FIRST_EXTENT)
            commit.put_doc("pin", name, {"epoch": THIS_EPOCH})
            commit.record(f"refresh:{name}", report.record())
            commit.publish()
        self.core.forget(name)
        self.registry.remember(definition)
        self.after_publish(definition.stage_names)
        self._arranged.discard(name)
        self.arrange_large([name])
        follow_views(self)
        return View(self, name)

    def view(self, name: str) -> View:
        return View(self, self.registry.view_name(name))

    def views(self) -> list[View]:
        return [View(self, n) for n in sorted(self.registry.view_names())]

    def drop_view(self, name: str) -> None:
        """Drop a view; refused while other views read it."""
        exact = self.registry.view_name(name)
        readers = self.registry.downstream(exact)
        if readers:
            raise BelvedereError(f"view {exact!r} is read by {', '.join(sorted(readers))}; drop those first")
        with self.core.store.begin() as commit:
            for stage in self.registry.document(exact)["stages"]:
                if stage in self.registry.all_collections():
                    commit.drop_collection(stage)
            drop_remotes(self.registry, commit, Overlay(), exact)
            commit.put_doc("view", exact, None)
            commit.put_doc("pin", exact, None)
            if self.registry.outline(exact) is not None:
                commit.put_doc(OUTLINE, exact, None)
            if self.core.store.doc("published", exact):
                commit.put_doc("published", exact, None)
                commit.drop_iceberg(exact)
            commit.publish()
        self.after_publish()
        follow_views(self)

    def refresh(self, *names: str) -> list[Refresh]:
        """Bring views up to date, all if none is named, in dependency order, as one epoch. Changes of the sources that they read
        are fetched first and are part of that epoch."""
        known = self.registry.view_names() if names else []
        return self.refresh_views([self.registry.view_name(n, known) for n in names] or None, "auto", None)

    def refresh_views(self, names: list[str] | None, strategy: str, engine: str | None, *, follow: bool = True) -> list[Refresh]:
        return refresh_views(self, names, strategy, engine, follow)

    # housekeeping

    def arrange_large(self, names: Iterable[str]) -> None:
        """Build the sort orders that views look things up by, once what they read is large enough to need them."""
        for name in names:
            if name not in self._arranged and self._reads_large(name):
                self._arranged.add(name)
                arrange(self, name)

    def _reads_large(self, name: str) -> bool:
        store = self.core.store
        known = self.registry.all_collections()
        used = {n for s in self.registry.definition(name).plan.stages for n in (*s.reads, s.name) if n in known}
        return any(sum(r.rows for r in store.snapshot(known[n])) >= SMALL for n in used)

    def after_publish(self, names: Iterable[str] = ()) -> None:
        """Compact those of the collections that have grown; now and then look at all of them."""
        self._commits += 1
        everything = self._commits % 64 == 0
        self.tidy(None if everything else names)

    def tidy(self, names: Iterable[str] | None, *, wait: bool = False) -> None:
        """Merge runs and sort copies of them, where that is due; what is large is done beside, unless it is waited for. What was
        published stays so if there is no memory for it."""
        try:
            # where memory is limited, two statements at a time would take it from each other
            at_once = wait or self.core.memory is not None
            self.core.maintain(names, None if at_once else self.upkeep.ask, None if at_once else self._later)
        except OutOfMemory as e:
            warnings.warn(f"files are not merged for now, so reading them takes longer: {e}", stacklevel=4)

    def _later(self, name: str) -> None:
        """The Iceberg snapshot of a small collection, once it is quiet."""
        self.core.owe_snapshot(name)
        self.upkeep.owe()

    def compact(self) -> list[dict[str, Any]]:
        """Compact, expire and clean now; says what was done."""
        self.upkeep.settle()
        done = self.core.maintain(None)
        self.core.take_snapshots()
        return done


def _left(core: Core, upkeep: Upkeep) -> None:
    """A warehouse that nobody has closed is gone."""
    core.owe_nothing()
    upkeep.give_up()


def _merging(core: Core) -> Callable[[str], None]:
    def work(name: str) -> None:
        core.maintain([name], hold=True)

    return work


def open_warehouse(
    path: str | os.PathLike[str], *, engine: str = "auto", spark: Any = None, catalog: str | None = None,
    memory: str | None = None, create: bool = True,
) -> Warehouse:  # fmt: skip
    """Open the warehouse in a directory, making it if there is none. `memory` ("2GB") is what a statement in this process may
    take before it goes to disk; without it, what BELVEDERE_MEMORY says, or four fifths of what the machine has."""
    return Warehouse(os.fspath(path), engine=engine, spark=spark, catalog=catalog, memory=memory, create=create)
