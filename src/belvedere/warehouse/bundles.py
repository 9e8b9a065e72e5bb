"""Plans of several views that are evaluated as one.

On Spark a job costs more than a few rows do, so plans of any shape become one statement (`engines/bundle.py`). In this process a
statement costs by its operators, so it is plans of the same shape that become one (`engines/alike`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeGuard

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get
from belvedere.algebra.types import Void
from belvedere.engines.alike import NotAlike, skeleton
from belvedere.engines.bundle import apart, bundled
from belvedere.engines.result import Engine, Metrics, shared
from belvedere.engines.scan import Resolve, Scan
from belvedere.errors import BelvedereError
from belvedere.warehouse.landing import Gained

#: operators of a bundle: what Spark takes to plan a statement grows faster than it
OPERATORS = 300
#: rows of a leaf that is read whole: with more, a plan has a statement of its own
ROWS = 20_000
#: plans of one shape that are evaluated as one
MEMBERS = 256

Found = tuple[pa.Table, Metrics]
#: no step is left
DONE = object()


class Begun(Protocol):
    """Plans that are evaluated as one."""

    def run(self) -> None: ...

    def found(self) -> Gained: ...


class Together(Protocol):
    """An engine for which plans of the same shape can be one."""

    def alike(self, nodes: Sequence[Node], resolves: Sequence[Resolve]) -> Begun: ...


def is_together(engine: Any) -> TypeGuard[Together]:
    return hasattr(engine, "alike")


@dataclass(frozen=True)
class Part:
    """A plan, and what its leaves held when it was begun."""

    target: str
    node: Node
    engine: Engine
    scans: dict[Get, Scan]

    def answers(self, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> bool:
        """Whether it is this plan, over what its leaves hold now."""
        return self.engine is engine and self.node == node and all(same(s, resolve(g)) for g, s in self.scans.items())

    @cached_property
    def size(self) -> int:
        """Its operators."""
        return sum(1 for _ in self.node.walk())

    @property
    def is_small(self) -> bool:
        """Whether it can be one of several: it reads little, and has no column of type void, which cannot be cast to."""
        plain = not any(c.type.contains(Void) for c in self.node.schema)
        return plain and all(g.by or s.rows <= ROWS for g, s in self.scans.items())

    def agrees(self, scans: dict[Get, Scan]) -> bool:
        """Whether leaves that are the same hold the same."""
        return all(same(s, scans[g]) for g, s in self.scans.items() if g in scans)


@dataclass
class Bundle:
    """Plans of any shape, one statement for Spark."""

    parts: list[Part] = field(default_factory=list)
    scans: dict[Get, Scan] = field(default_factory=dict)
    size: int = 0
    _result: Future[list[Found]] | None = None

    def has_room(self, part: Part) -> bool:
        """Whether another one can be added before it is run."""
        alike = self.parts[0].is_small and part.is_small and self.parts[0].engine is part.engine
        return alike and self._result is None and self.size + part.size <= OPERATORS and part.agrees(self.scans)

    def add(self, part: Part) -> None:
        self.parts.append(part)
        self.scans.update(part.scans)
        self.size += part.size

    def start(self, pool: Callable[[], Executor]) -> None:
        if self._result is None:
            self._result = pool().submit(self._run)

    @property
    def found(self) -> list[Found] | None:
        """What each plan found; None if it was not begun. An error if it failed."""
        return None if self._result is None else self._result.result()

    def _run(self) -> list[Found]:
        engine, plans = self.parts[0].engine, [p.node for p in self.parts]
        if len(plans) == 1:
            return [engine.run(plans[0], self.scans.__getitem__)]
        table, metrics = engine.run(bundled(plans), self.scans.__getitem__)
        return list(zip(apart(table, plans), shared(metrics, len(plans)), strict=True))


@dataclass
class Family:
    """Plans of the same shape, one statement in this process."""

    engine: Together
    parts: list[Part] = field(default_factory=list)
    #: what each plan found; None if each is better done by itself
    found: Gained | None = None
    _started: bool = False

    def has_room(self, part: Part) -> bool:
        """Whether another one can be added before it is run."""
        if self._started or len(self.parts) >= MEMBERS or part.engine is not self.parts[0].engine:
            return False
        return skeleton(part.node).node == skeleton(self.parts[0].node).node

    def add(self, part: Part) -> None:
        self.parts.append(part)

    @property
    def is_due(self) -> bool:
        """Whether it is yet to be evaluated."""
        return not self._started

    def steps(self) -> Iterator[None]:
        """It is evaluated step by step."""
        self._started = True
        if len(self.parts) == 1:
            return
        try:
            begun = self.engine.alike([p.node for p in self.parts], [p.scans.__getitem__ for p in self.parts])
            yield
            begun.run()
            yield
            self.found = begun.found()
        except (NotAlike, BelvedereError, OSError, MemoryError, pa.ArrowException):
            pass  # the view that it is about is told at its turn, and the others go on
        except Exception as e:
            unexpected(e)


def evaluate(families: Iterable[Family]) -> None:
    """Each step of all of them before the next one: the same work takes less over and over than between other work. (By a
    thread, beside whoever writes what others found, it takes no less: both want the interpreter.)"""
    todo = [f.steps() for f in families]
    while todo:
        todo = [steps for steps in todo if next(steps, DONE) is not DONE]


def unexpected(error: Exception) -> None:
    """A mistake of ours: nothing is wrong with what the views show, each does its own, but it takes longer than it should."""
    logging.getLogger("belvedere").warning("views were not refreshed together: please report this", exc_info=error)


def same(one: Scan, other: Scan) -> bool:
    """The same runs; those in memory are tables of their own."""
    return one is other or (one == other and [t.num_rows for t in one.tables] == [t.num_rows for t in other.tables])
