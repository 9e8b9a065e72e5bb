"""A view: its primary objects, the edges along its with paths, and the values of what is atomic among them."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.lorel.oracle.evaluate import Meaning, Scope, begins
from tests.lorel.oracle.graph import Edge, Graph, Value
from tests.lorel.oracle.paths import walk

from belvedere.languages.lorel.syntax import Path, PathStep, Range, View


@dataclass
class Found:
    """What `v.graph()` must be."""

    primary: set[str] = field(default_factory=set)
    edges: set[Edge] = field(default_factory=set)
    values: dict[str, Value] = field(default_factory=dict)


def view_of(graph: Graph, view: View) -> Found:
    meaning, found = Meaning(graph), Found()
    selected: dict[int, set[str]] = {}
    for item, thing in meaning.rows(view.query, Scope()):
        if thing.oid is not None:
            selected.setdefault(view.query.items.index(item), set()).add(thing.oid)
    found.primary = set().union(*selected.values())
    reached: dict[str, set[str]] = {}
    for r in view.with_:
        starts, steps = _starts(view, r, selected, reached)
        _along(meaning, starts, steps, r, reached, found.edges)
    shown = found.primary | {t for _, _, t in found.edges}
    found.values = {o: graph.values[o] for o in shown if o in graph.values}
    return found


def _starts(
    view: View, r: Range, selected: dict[int, set[str]], reached: dict[str, set[str]]
) -> tuple[set[str], tuple[PathStep, ...]]:
    """Where a with path starts: at a variable of one before it, or at what an item selects, the longest it begins with."""
    if r.path.start.text in reached and not r.path.start.oid:
        return reached[r.path.start.text], r.path.steps
    paths = [(n, i.value) for n, i in enumerate(view.query.items) if isinstance(i.value, Path) and begins(r.path, i.value)]
    longest = max(len(p.steps) for _, p in paths)
    items = [n for n, p in paths if len(p.steps) == longest]
    return set().union(*(selected.get(n, set()) for n in items)), r.path.steps[longest:]


def _along(
    meaning: Meaning, starts: set[str], steps: tuple[PathStep, ...], r: Range, reached: dict[str, set[str]], edges: set[Edge]
) -> None:
    here = set(starts)
    for step in steps:
        there: set[str] = set()
        for oid in here:
            ends, along = walk(meaning.out, oid, (step,))
            there |= ends
            edges |= along
        if step.variable:
            reached.setdefault(step.variable, set()).update(there)
        here = there
    if r.variable:
        reached.setdefault(r.variable, set()).update(here)
