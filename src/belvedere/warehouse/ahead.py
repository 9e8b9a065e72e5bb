"""What Spark has to do first for several views, or stages of a view, done before their turns come.

Views are refreshed one after the other, since all of them add to one commit. But the delta of a view's first stage follows from
a plan and from what its leaves hold, and for a few rows a job costs more than they do. So for views none of which reads another,
and for stages of one view none of which reads another, these plans become one (`engines/bundle.py`), or several that run at the
same time; what comes of it is taken up at each turn, if plan and leaves are still the same. If it fails, each does its own, and
is told what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from time import perf_counter

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.algebra.types import Void
from belvedere.engines.bundle import apart, bundled
from belvedere.engines.result import Engine, Metrics
from belvedere.engines.scan import Scan
from belvedere.errors import BelvedereError

#: threads of which each waits for Spark: as many as there are cores, and a few to plan meanwhile
THREADS = (os.cpu_count() or 1) + 2
#: operators of a bundle: what Spark takes to plan a statement grows faster than it
OPERATORS = 300
#: rows of a leaf that is read whole: with more, a plan has a statement of its own
ROWS = 20_000

Found = tuple[pa.Table, Metrics]


@dataclass(frozen=True)
class _Part:
    """A plan, and what its leaves held when it was begun."""

    target: str
    node: Node
    engine: Engine
    scans: dict[Get, Scan]

    def answers(self, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> bool:
        """Whether it is this plan, over what its leaves hold now."""
        return self.engine is engine and self.node == node and all(_same(s, resolve(g)) for g, s in self.scans.items())

    @property
    def is_small(self) -> bool:
        """Whether it can be one of several: it reads little, and has no column of type void, which cannot be cast to."""
        plain = not any(c.type.contains(Void) for c in self.node.schema)
        return plain and all(g.by or s.rows <= ROWS for g, s in self.scans.items())

    def agrees(self, scans: dict[Get, Scan]) -> bool:
        """Whether leaves that are the same hold the same."""
        return all(_same(s, scans[g]) for g, s in self.scans.items() if g in scans)


@dataclass
class _Bundle:
    """Plans that are evaluated as one."""

    parts: list[_Part] = field(default_factory=list)
    scans: dict[Get, Scan] = field(default_factory=dict)
    size: int = 0
    result: Future[list[Found]] | None = None

    def has_room(self, part: _Part, size: int) -> bool:
        """Whether another one can be added before it is run."""
        alike = self.parts[0].is_small and part.is_small and self.parts[0].engine is part.engine
        return alike and self.result is None and self.size + size <= OPERATORS and part.agrees(self.scans)

    def add(self, part: _Part, size: int) -> None:
        self.parts.append(part)
        self.scans.update(part.scans)
        self.size += size

    def run(self) -> list[Found]:
        engine, plans = self.parts[0].engine, [p.node for p in self.parts]
        if len(plans) == 1:
            return [engine.run(plans[0], self.scans.__getitem__)]
        table, metrics = engine.run(bundled(plans), self.scans.__getitem__)
        share = metrics.seconds / len(plans)
        # each took its part of the time; what was read is told once
        told = [replace(metrics, seconds=share), *(Metrics(seconds=share, sql=metrics.sql) for _ in plans[1:])]
        return list(zip(apart(table, plans), told, strict=True))


def _same(one: Scan, other: Scan) -> bool:
    """The same runs; those in memory are tables of their own."""
    return one == other and [t.num_rows for t in one.tables] == [t.num_rows for t in other.tables]


@dataclass
class Ahead:
    """Work by the collections that it is for."""

    _bundles: list[_Bundle] = field(default_factory=list)
    _begun: dict[str, tuple[_Bundle, int]] = field(default_factory=dict)
    _pool: ThreadPoolExecutor | None = None
    #: seconds of work that nobody waited for; less than none where a view waited for others, too
    spared: float = 0.0
    #: whether what was taken up last was worked out together with others
    together: bool = False

    def begin(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> None:
        """Something to be done; `start` does it."""
        part = _Part(target, node, engine, {g: resolve(g) for g in gets(node)})  # what the store knows is asked by this thread
        size = sum(1 for _ in node.walk())
        room = next((b for b in self._bundles if b.has_room(part, size)), None)
        if room is None:
            room = _Bundle()
            self._bundles.append(room)
        room.add(part, size)
        self._begun[target] = (room, len(room.parts) - 1)

    def has(self, target: str) -> bool:
        """Whether something for it was begun and not taken up yet."""
        return target in self._begun

    def start(self) -> None:
        """All that is to be done, at the same time."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(THREADS, "belvedere-ahead")
        for bundle in self._bundles:
            if bundle.result is None:
                bundle.result = self._pool.submit(bundle.run)

    def run(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> Found:
        """What was begun, if it is this; otherwise it is done now."""
        self.together = False
        bundle, place = self._begun.pop(target, (None, 0))
        if bundle is None or bundle.result is None or not bundle.parts[place].answers(node, engine, resolve):
            return engine.run(node, resolve)
        began = perf_counter()
        try:
            table, metrics = bundle.result.result()[place]
        except BelvedereError:
            if len(bundle.parts) == 1:
                raise
            return engine.run(node, resolve)
        self.together = len(bundle.parts) > 1
        waited = perf_counter() - began
        self.spared += metrics.seconds - waited if self.together else max(0.0, metrics.seconds - waited)
        return table, metrics

    def end(self) -> None:
        """Nothing more is taken up."""
        self._begun.clear()
        self._bundles.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
