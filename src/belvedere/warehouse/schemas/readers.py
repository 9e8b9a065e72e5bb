"""A view in another language over a SchemaSQL view, when names in that have changed.

Names of relations and columns that come from the catalog stand in the reader's plan as constant rows: the dictionary that gives
them to ids. If the plan before and the plan now differ in constant rows only, the reader's change is the change of its definition
over both: rows that went are a leaf that has an old state but no new one, rows that came one that has a new state but no old one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, UnionAll, Values
from belvedere.errors import InvalidView
from belvedere.maintenance.stages import Stage
from belvedere.warehouse.rebuild import OTHER_NAMES, reading, shape_reason
from belvedere.warehouse.resolve import Overlay
from belvedere.warehouse.schemas.leaves import CAME, GONE, OneSided
from belvedere.warehouse.schemas.transition import Anew, Transition, transition

if TYPE_CHECKING:
    from belvedere.store.store import Store
    from belvedere.warehouse.definition import Definition
    from belvedere.warehouse.registry import Registry


def moving(store: Store, registry: Registry, d: Definition, since: int) -> Transition | Anew | None:
    """How a view gets from what is stored, as of an epoch, to its definition of now; None if that takes nothing but data."""
    return transition(store, registry, d, since) or other_names(store, registry, d, since)


def anew_reason(store: Store, registry: Registry, d: Definition, moved: Transition | Anew | None) -> str | None:
    """Why a view must be computed anew, or None."""
    reason = moved.reason if isinstance(moved, Anew) else shape_reason(store, registry, d)
    return None if reason == OTHER_NAMES and isinstance(moved, Transition) else reason


def other_names(store: Store, registry: Registry, d: Definition, since: int) -> Transition | None:
    """How a view that is stored as of an epoch follows the names in what it reads; None if they are the same, or it cannot."""
    doc = registry.document(d.name)
    if d.schema is not None or d.graph is not None or doc.get("reading") == reading(registry, d) or not store.has_epoch(since):
        return None
    then = registry.over(Overlay(), since)
    try:
        old = then.definition(d.name) if d.name in then.view_names() else None
    except InvalidView:
        return None
    if old is None or then.document(d.name).get("reading") != reading(then, old) or len(old.plan.stages) != len(d.plan.stages):
        return None
    leaves = OneSided()
    stages: list[Stage] = []
    for before, now in zip(old.plan.stages, d.plan.stages, strict=True):
        pairs = _pairs(before.definition, now.definition)
        if pairs is None or now.support or _defined_by(before, now.definition) != now:
            return None
        stages.append(_defined_by(now, _over_both(now.definition, pairs, leaves)))
    return Transition(OTHER_NAMES, replace(d.plan, stages=tuple(stages), known={}, uses={}), leaves)


def _defined_by(stage: Stage, definition: Node) -> Stage:
    """The stage with another definition, which is also that of the state it keeps."""
    if isinstance(definition, Aggregate) and stage.state is not None and stage.state.aggregate == stage.definition:
        return replace(stage, definition=definition, state=replace(stage.state, aggregate=definition))
    return replace(stage, definition=definition)


def _pairs(before: Node, now: Node) -> dict[Values, Values] | None:
    """The constant rows of a plan now, and those that stood in their place; None if something else differs, too."""
    if before.transform(_emptied) != now.transform(_emptied):
        return None
    found: dict[Values, Values] = {}
    todo = [(before, now)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if isinstance(a, Values) and isinstance(b, Values) and found.setdefault(b, a) != a:
            return None  # what is one thing now was two before
        todo += zip(a.inputs, b.inputs, strict=True)
    return {b: a for b, a in found.items() if a != b}


def _emptied(node: Node) -> Node:
    return replace(node, rows=()) if isinstance(node, Values) else node


def _over_both(node: Node, pairs: dict[Values, Values], leaves: OneSided) -> Node:
    def swap(n: Node) -> Node:
        if not isinstance(n, Values) or n not in pairs:
            return n
        old, new = Counter(pairs[n].rows), Counter(n.rows)
        gone, came = (replace(n, rows=tuple((x - y).elements())) for x, y in ((old, new), (new, old)))
        parts: list[Node] = [replace(n, rows=tuple((old & new).elements()))]
        parts += [leaves.moved(v, {}, side) for v, side in ((gone, GONE), (came, CAME)) if v.rows]
        return UnionAll(tuple(parts))

    return node.transform(swap)
