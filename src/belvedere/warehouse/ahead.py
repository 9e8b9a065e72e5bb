"""What has to be done first for several views, or stages of a view, done before their turns come.

Views are refreshed one after the other, since all of them add to one commit. But the delta of a view's first stage follows from
a plan and from what its leaves hold, and for a few rows a statement or a job costs more than they do. So for views none of which
reads another, and on Spark for stages of one view none of which reads another, these plans become a few (`warehouse/bundles.py`),
which are evaluated beside; what comes of it is taken up at each turn, if plan and leaves are still the same. If it fails, each
does its own, and is told what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.engines.alike import liftable
from belvedere.engines.result import Engine
from belvedere.engines.scan import Scan
from belvedere.errors import BelvedereError
from belvedere.warehouse.bundles import Bundle, Family, Found, Part, Pools, Together


@dataclass
class Ahead:
    """Work by the collections that it is for."""

    _bundles: list[Bundle | Family] = field(default_factory=list)
    _begun: dict[str, tuple[Bundle | Family, int]] = field(default_factory=dict)
    _pools: Pools = field(default_factory=Pools)
    #: seconds of work that nobody waited for; less than none where a view waited for others, too
    spared: float = 0.0
    #: whether what was taken up last was worked out together with others
    together: bool = False

    def begin(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> None:
        """Something to be done; `start` does it."""
        if isinstance(engine, Together) and not liftable(node):
            return
        part = Part(target, node, engine, {g: resolve(g) for g in gets(node)})  # what the store knows is asked by this thread
        room = next((b for b in self._bundles if b.has_room(part)), None)
        if room is None:
            room = Family(engine) if isinstance(engine, Together) else Bundle()
            self._bundles.append(room)
        room.add(part)
        self._begun[target] = (room, len(room.parts) - 1)

    def has(self, target: str) -> bool:
        """Whether something for it was begun and not taken up yet."""
        return target in self._begun

    def start(self) -> None:
        """All that is to be done, at the same time."""
        for bundle in self._bundles:
            bundle.start(self._pools)

    def place(self, target: str) -> int:
        """In which order to take up what was begun: what is done together comes together, and first what is done by itself."""
        bundle, _ = self._begun.get(target, (None, 0))
        at = next((n for n, b in enumerate(self._bundles) if b is bundle), -1)
        return at if at >= 0 and len(self._bundles[at].parts) > 1 else -1

    def run(self, target: str, node: Node, engine: Engine, resolve: Callable[[Get], Scan]) -> Found:
        """What was begun, if it is this; otherwise it is done now."""
        self.together = False
        bundle, place = self._begun.pop(target, (None, 0))
        if bundle is None or not bundle.parts[place].answers(node, engine, resolve):
            return engine.run(node, resolve)
        began = perf_counter()
        try:
            found = bundle.found
        except BelvedereError:
            if len(bundle.parts) == 1:
                raise
            found = None
        if found is None:
            return engine.run(node, resolve)
        table, metrics = found[place]
        self.together = len(bundle.parts) > 1
        waited = perf_counter() - began
        self.spared += metrics.seconds - waited if self.together else max(0.0, metrics.seconds - waited)
        return table, metrics

    def end(self) -> None:
        """Nothing more is taken up."""
        self._begun.clear()
        self._bundles.clear()
        self._pools.end()
        self._pools = Pools()
