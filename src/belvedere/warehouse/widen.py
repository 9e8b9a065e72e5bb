"""`select *` follows added columns: where that is a matter of metadata, the stored view gets the columns, and nothing is read.

A column that was added to a table is NULL in every row that was there. So a view that is stored as a plain bag, and whose new
columns are nothing but such columns passed on, is what it was with NULL in them; its changes since then are propagated as
always. That the rest of it is the same is proved, not guessed: asked for the old columns only, the new definition must be the
old one, over the very same columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Explode, Filter, Get, Join, OuterJoin, Project, Scale, SemiJoin, UnionAll, keep
from belvedere.algebra.rewrite import rewrite
from belvedere.algebra.types import Column, Schema
from belvedere.errors import InvalidView
from belvedere.maintenance.stages import Stage
from belvedere.store.commit import Commit
from belvedere.store.store import Store
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.rebuild import columns_of, document
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.resolve import Overlay


@dataclass(frozen=True)
class Widening:
    """The columns that a view's stage gets."""

    stage: Stage
    added: tuple[str, ...]

    def __str__(self) -> str:
        return f"added {', '.join(self.added)}, which old rows do not have: metadata only"


def widening(store: Store, registry: Registry, d: Definition, since: int) -> Widening | None:
    """How the stored view, as of an epoch, becomes one of its present shape without reading anything; None if it cannot."""
    doc = registry.document(d.name)
    if d.schema is not None:
        return None  # it has its own way to follow what it ranges over
    same = doc["stages"] == list(d.stage_names) and doc.get("functions", {}) == d.functions
    if not same or doc.get("computed", {}) != d.document()["parameters"] or not store.has_epoch(since):
        return None
    stage, then = d.plan.stages[-1], registry.over(Overlay(), since)
    stored = registry.all_collections().get(stage.name)
    if stage.kind != "bag" or stored is None or d.name not in then.view_names():
        return None
    try:
        stages = then.definition(d.name).plan.stages
    except InvalidView:
        return None
    if [s.name for s in stages] != list(d.stage_names):
        return None
    before = stages[-1].definition
    kept, now = before.schema, stage.definition.schema
    if stored.schema != kept or any(c.name not in now or now[c.name].type != c.type for c in kept):
        return None
    old = [_bare(s.definition, s.definition.schema.names) for s in stages]
    new = [*(_bare(s.definition, s.definition.schema.names) for s in d.plan.stages[:-1]), _bare(stage.definition, kept.names)]
    if old != new or columns_of(then, old) != columns_of(registry, new):
        return None
    added = tuple(n for n in now.names if n not in kept)
    if not added or not all(_absent(stage.definition, n, registry, then) for n in added):
        return None
    return Widening(stage, added)


def widen(registry: Registry, commit: Commit, overlay: Overlay, d: Definition, found: Widening) -> None:
    """Give the stage its columns."""
    stored = registry.collection(found.stage.name)
    known = {c.name: c.id for c in stored.schema}
    columns = tuple(Column(c.name, c.type, known.get(c.name, 0)) for c in found.stage.definition.schema)
    overlay.collections[stored.name] = commit.alter_collection(replace(stored, schema=Schema(columns)))
    commit.touch(d.plan.reads)
    commit.put_doc("view", d.name, document(registry, d))


def _bare(node: Node, names: tuple[str, ...]) -> Node:
    """The node for these columns, without projections that change nothing, so that equal plans look equal."""

    def rule(n: Node) -> Node:
        if isinstance(n, Project) and n.input.schema.names == tuple(s.column for _, s in n.items) == n.schema.names:
            return n.input
        return n

    return rewrite(keep(node, names)).transform(rule)


def _absent(node: Node, name: str, now: Registry, then: Registry) -> bool:
    """Whether a column of a node is NULL in whatever the node gave then: it is passed on from columns that were not there."""
    for leaf, column in _origins(node, name):
        if leaf is None:
            return False
        here, there = now.collection(leaf.name), then.all_collections().get(leaf.name)
        source = leaf.source(column)
        if there is None or there.id != here.id or source not in here.schema or here.schema[source].id in there.column_ids():
            return False
    return True


def _origins(node: Node, name: str) -> Iterator[tuple[Get | None, str]]:
    """The leaves that a column is passed on from; None for one that is computed."""
    match node:
        case Get():
            yield node, name
        case Project(input=i, items=items):
            column = dict(items)[name].column
            yield from _origins(i, column) if column is not None else [(None, name)]
        case Filter(input=i) | Scale(input=i) | Consolidate(input=i) | SemiJoin(left=i):
            yield from _origins(i, name)
        case Explode(input=i) if name in i.schema:
            yield from _origins(i, name)
        case Join(left=a, right=b) | OuterJoin(left=a, right=b):
            yield from _origins(a if name in a.schema else b, name)
        case UnionAll(parts=parts):
            at = node.schema.names.index(name)
            for p in parts:
                yield from _origins(p, p.schema.names[at])
        case _:
            yield None, name
