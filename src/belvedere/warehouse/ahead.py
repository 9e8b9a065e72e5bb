"""What Spark has to do first for several views, begun before their turns come.

Views are refreshed one after the other, since all of them add to one commit. But the delta of a view's first stage follows from
a plan and from what its leaves hold, and while Spark works it out this process waits. So for views none of which reads another
it is begun by threads, all at once, and taken up when its turn comes, if plan and leaves are still the same. What fails is told
then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.engines.result import Engine, Metrics
from belvedere.engines.scan import Scan

#: threads of which each waits for Spark: as many as there are cores, and a few to plan meanwhile
THREADS = (os.cpu_count() or 1) + 2

Found = tuple[pa.Table, Metrics]


@dataclass(frozen=True)
class _Begun:
    node: Node
    engine: Engine
    scans: dict[Get, Scan]
    result: Future[Found]

    def answers(self, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> bool:
        """Whether it is this plan, over what its leaves hold now."""
        return self.engine is engine and self.node == node and all(_same(s, resolve(g)) for g, s in self.scans.items())


def _same(one: Scan, other: Scan) -> bool:
    """The same runs; those in memory are tables of their own."""
    return one == other and [t.num_rows for t in one.tables] == [t.num_rows for t in other.tables]


@dataclass
class Ahead:
    """Work by the collections that it is for."""

    _begun: dict[str, _Begun] = field(default_factory=dict)
    _pool: ThreadPoolExecutor | None = None
    #: seconds of work that nobody waited for
    spared: float = 0.0

    def begin(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(THREADS, "belvedere-ahead")
        scans = {g: resolve(g) for g in gets(node)}  # what the store is asked for is asked by this thread
        self._begun[target] = _Begun(node, engine, scans, self._pool.submit(engine.run, node, scans.__getitem__))

    def run(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> Found:
        """What was begun, if it is this; otherwise it is done now."""
        known = self._begun.pop(target, None)
        if known is None or not known.answers(node, engine, resolve):
            return engine.run(node, resolve)
        began = perf_counter()
        table, metrics = known.result.result()
        self.spared += max(0.0, metrics.seconds - (perf_counter() - began))
        return table, metrics

    def end(self) -> None:
        """Nothing more is taken up."""
        self._begun.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
