"""What has to be done first for several views, or stages of a view, done before their turns come.

Views are refreshed one after the other, since all of them add to one commit. But the delta of a view's first stage follows from
a plan and from what its leaves hold, and for a few rows a statement or a job costs more than they do. So for views none of which
reads another, and on Spark for stages of one view none of which reads another, these plans become a few (`warehouse/bundles.py`),
which are evaluated beside or at once; what comes of it is taken up at each turn, if plan and leaves are still the same. If it
fails, each does its own, and is told what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.engines.alike import liftable
from belvedere.engines.result import Engine
from belvedere.engines.scan import Scan
from belvedere.errors import BelvedereError
from belvedere.store.commit import Commit
from belvedere.store.model import Collection
from belvedere.store.ready import Ready
from belvedere.warehouse import bundles
from belvedere.warehouse.bundles import Bundle, Family, Found, Part, evaluate, is_together
from belvedere.warehouse.landing import make_ready

#: threads of which each waits for Spark: as many as there are cores, and a few to plan meanwhile
THREADS = (os.cpu_count() or 1) + 2


@dataclass
class Ahead:
    """Work by the collections that it is for."""

    _bundles: list[Bundle | Family] = field(default_factory=list)
    _begun: dict[str, tuple[Bundle | Family, int]] = field(default_factory=dict)
    _pool: ThreadPoolExecutor | None = None
    #: seconds of work that nobody waited for; less than none where a view waited for others, too
    spared: float = 0.0
    #: whether what was taken up last was worked out together with others
    together: bool = False
    #: rows as they are appended, by the collection that they are for
    _ready: dict[str, Ready] = field(default_factory=dict)
    #: what was evaluated last
    _fresh: list[Family] = field(default_factory=list)

    def begin(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> None:
        """Something to be done; `start` does it."""
        if is_together(engine) and not liftable(node):
            return
        part = Part(target, node, engine, {g: resolve(g) for g in gets(node)})  # what the store knows is asked by this thread
        room = next((b for b in self._bundles if b.has_room(part)), None)
        if room is None:
            room = Family(engine) if is_together(engine) else Bundle()
            self._bundles.append(room)
        room.add(part)
        self._begun[target] = (room, len(room.parts) - 1)

    def has(self, target: str) -> bool:
        """Whether something for it was begun and not taken up yet."""
        return target in self._begun

    def start(self) -> None:
        """All that is to be done, at the same time."""
        for bundle in self._bundles:
            if isinstance(bundle, Bundle):
                bundle.start(self._threads)
        self._fresh = [b for b in self._bundles if isinstance(b, Family) and b.is_due]
        evaluate(self._fresh)

    def make_ready(self, commit: Commit, collection: Callable[[str], Collection]) -> None:
        """What was found at last for several views at once is also made ready at once to be appended."""
        for family in self._fresh:
            if family.found is None:
                continue
            try:
                self._ready |= make_ready(commit, [collection(p.target) for p in family.parts], family.found)
            except (BelvedereError, pa.ArrowException, MemoryError):
                pass  # told at the turn of the view that it is about
            except Exception as e:
                bundles.unexpected(e)
        self._fresh = []

    def ready(self, target: str, table: pa.Table) -> Ready | None:
        """The rows as they are appended, if they were made ready."""
        ready = self._ready.pop(target, None)
        return ready if ready is not None and ready.rows is table else None

    def _threads(self) -> Executor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(THREADS, "belvedere-ahead")
        return self._pool

    def run(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> Found:
        """What was begun, if it is this; otherwise it is done now."""
        self.together = False
        bundle, place = self._begun.pop(target, (None, 0))
        if bundle is None or not bundle.parts[place].answers(node, engine, resolve):
            return engine.run(node, resolve)
        began = perf_counter()
        try:
            found: Any = bundle.found
        except BelvedereError:
            if len(bundle.parts) == 1:
                raise
            found = None
        if found is None:
            return engine.run(node, resolve)
        ready = self._ready.get(target)
        table, metrics = found[place] if ready is None else (ready.rows, found.spent[place])
        self.together = len(bundle.parts) > 1
        waited = perf_counter() - began
        self.spared += metrics.seconds - waited if self.together else max(0.0, metrics.seconds - waited)
        return table, metrics

    def end(self) -> None:
        """Nothing more is taken up."""
        self._begun.clear()
        self._ready.clear()
        self._fresh.clear()
        self._bundles.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
