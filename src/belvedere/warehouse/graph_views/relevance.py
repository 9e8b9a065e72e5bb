"""Can a set of updates matter to a Lorel view? RelevantOids and RelevantVars, asked in memory.

If no update of a set touches an object under a variable through which the view looks at it, none of them does after the others
either: the first step into what the view knows would have to start there. So a set is irrelevant if each update is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from belvedere.languages.lorel.constants import satisfies
from belvedere.store.model import Collection, Run
from belvedere.warehouse.core import Core
from belvedere.warehouse.graph_views.fetches import Fetches
from belvedere.warehouse.graph_views.graphic import Graphic
from belvedere.warehouse.graph_views.image import Image, Kept
from belvedere.warehouse.graphs.values import value_of
from belvedere.warehouse.resolve import Overlay

EDGES, VALUES = "oem.edges", "oem.values"
#: larger sets of updates are not looked at one by one
LIMIT = 20_000
#: what is kept in mind of the objects met, and of those in the view
MET, SHOWN = Kept("node", "state"), Kept("oid", only=("kind", "value"))


@dataclass(frozen=True)
class Felt:
    """How a view feels a set of updates: which steps edges fit, and from which objects; which values, in which states."""

    steps: Counter[tuple[int, str]]
    values: Counter[tuple[int, str]]
    #: objects of the view that have another value, looked at or not
    shown: int
    bound: Mapping[int, int]

    def __bool__(self) -> bool:
        return bool(self.steps or self.values or self.shown)

    @property
    def objects(self) -> set[str]:
        """Those that changed in a way that it looks at."""
        return {oid for _, oid in (*self.steps, *self.values)}

    def model(self, graphic: Graphic) -> Fetches:
        return Fetches(graphic.spec, self.bound)

    def fetches(self, graphic: Graphic, into: Mapping[str, int] | None = None) -> float:
        """The objects that maintenance will fetch, after the paper's model; `into`: how many edges lead to the objects."""
        model, shared = self.model(graphic), into or {}
        edges = sum(model.update(n, into=shared.get(o, 1)) * times for (n, o), times in self.steps.items())
        return edges + sum(model.value(s, shared.get(o, 1)) * times for (s, o), times in self.values.items()) + self.shown


def felt(
    core: Core, graphic: Graphic, known: Mapping[str, Collection], runs: Mapping[str, list[Run]], overlay: Overlay, epoch: int
) -> Felt | None:
    """What of the runs, and of the transaction, can change the view; None where that is not known."""
    rows = sum(overlay.rows(n) + sum(r.rows for r in runs.get(n, ())) for n in (EDGES, VALUES))
    if rows > LIMIT or any(overlay.files.get(n) for n in (EDGES, VALUES)):
        return None
    touched, shown = images(core, graphic, known, epoch)
    if touched is None or shown is None:
        return None
    found = Felt(Counter(), Counter(), 0, touched.sizes)
    for edge in _rows(core, known[EDGES], runs.get(EDGES, ()), overlay):
        found.steps.update((n, edge["source"]) for n in _steps(graphic, touched, edge))
    seen = 0
    for oid, old, new in _changes(_rows(core, known[VALUES], runs.get(VALUES, ()), overlay)):
        found.values.update((s, oid) for s in _looked_at(graphic, touched, oid, old, new))
        seen += shown.holds(oid)
    return replace(found, shown=seen)


def images(
    core: Core, graphic: Graphic, known: Mapping[str, Collection], epoch: int
) -> tuple[Image | None, Image | None]:
    """The (variable, object) pairs that the view knows, and the atomic objects in it."""
    touched = core.images.of(known[graphic.touched.name], MET, epoch)
    shown = core.images.of(known[graphic.long.name], SHOWN, epoch)
    return touched, shown


def fetches(core: Core, graphic: Graphic, known: Mapping[str, Collection], epoch: int) -> Fetches | None:
    """The cost model over what the view knows now; None before it is computed, and where that is too much to keep in mind."""
    if graphic.touched.name not in known:
        return None
    touched, _ = images(core, graphic, known, epoch)
    return None if touched is None else Fetches(graphic.spec, touched.sizes)


def _steps(graphic: Graphic, touched: Image, edge: Mapping[str, Any]) -> Iterator[int]:
    """The steps that an edge is one of."""
    for number, (state, fits) in enumerate(graphic.steps):
        if fits.fullmatch(edge["label"]) and touched.holds(edge["source"], state):
            yield number


def _looked_at(
    graphic: Graphic, touched: Image, oid: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> Iterator[int]:
    """The states in which a comparison is true of one of the values and not of the other."""
    for state, tests in graphic.spec.tests.items():
        if any(t is None or _true(old, *t) != _true(new, *t) for t in tests) and touched.holds(oid, state):
            yield state


def _true(value: Mapping[str, Any] | None, op: str, constant: Any) -> bool:
    return value is not None and satisfies(value_of(value), op, constant)


def _rows(core: Core, c: Collection, runs: Iterable[Run], overlay: Overlay) -> Iterator[dict[str, Any]]:
    names = {f"c{x.id}": x.name for x in c.schema}
    for table in (*(core.small_runs.read(r.path) for r in runs), *overlay.tables.get(c.name, ())):
        yield from table.rename_columns([names.get(n, n) for n in table.column_names]).to_pylist()


def _changes(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any] | None, dict[str, Any] | None]]:
    """(object, its value before, its value after), of those whose value is another."""
    net: dict[str, dict[tuple[Any, ...], int]] = {}
    for r in rows:
        key = tuple(r[c] for c in ("type", "integer", "number", "text"))
        mine = net.setdefault(r["oid"], {})
        mine[key] = mine.get(key, 0) + r["_w"]
    for oid, weights in net.items():
        old = next((k for k, w in weights.items() if w < 0), None)
        new = next((k for k, w in weights.items() if w > 0), None)
        if old is not None or new is not None:
            yield oid, _value(old), _value(new)


def _value(key: tuple[Any, ...] | None) -> dict[str, Any] | None:
    return None if key is None else dict(zip(("type", "integer", "number", "text"), key, strict=True))
