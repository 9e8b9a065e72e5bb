"""Computing a view from scratch: its first extent, a recomputation, or a new shape after the shape of its inputs changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get, gets
from belvedere.planning.choice import Choice, Option, choose
from belvedere.planning.cost import Work
from belvedere.store.commit import Commit
from belvedere.store.model import Collection
from belvedere.store.store import Store
from belvedere.warehouse.ability import able_engines, summary
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.report import Refresh, Step
from belvedere.warehouse.resolve import Overlay, Resolver
from belvedere.warehouse.run import run_stage
from belvedere.warehouse.schemas.branches import short, text_of
from belvedere.warehouse.sources.dropping import drop_remotes

OTHER_NAMES = "the SchemaSQL view that it reads has other names in it now"


def shape_reason(store: Store, registry: Registry, d: Definition) -> str | None:
    """Why the stored stages no longer fit the definition, or None if they do."""
    settled = registry.settled(d.name)
    if settled is None or settled.definitions.get(d.name) is not d:
        return _shape_reason(registry, d)
    if d.name not in settled.fitting:
        reason = _shape_reason(registry, d)
        if reason is not None:
            return reason
        settled.fitting.add(d.name)
    return None


def _shape_reason(registry: Registry, d: Definition) -> str | None:
    doc = registry.document(d.name)
    computed = doc.get("computed", {})
    for name, p in d.parameters.items():
        if computed.get(name) != p.document():
            return f"its parameter {name!r} was bound to {p.text!r} since it was computed"
    if doc["stages"] != list(d.stage_names):
        return "what it reads has another shape now"
    known = registry.all_collections()
    if any(r.name not in known for r in d.remotes):
        return "it reads other tables of other databases now"
    for stage in d.plan.stages:
        stored = known.get(stage.name)
        if stored is None or stored.schema != stage.definition.schema:
            return "its columns have changed with what it reads"
    if d.schema is None and doc.get("identity") != identity(registry, d):
        return "a column or table that it reads was replaced by another of the same name"
    for name, code in d.functions.items():
        if doc.get("functions", {}).get(name) != code:
            return f"function {name} was registered with other code since it was computed"
    # the last, so that whoever can follow names knows that there is nothing else
    return OTHER_NAMES if d.schema is None and doc.get("reading") != reading(registry, d) else None


def identity(registry: Registry, d: Definition) -> dict[str, list[int]]:
    """What a view's stages read that is not its own, by permanent ids."""
    return columns_of(registry, [s.definition for s in d.plan.stages], own=d.stage_names)


def columns_of(registry: Registry, nodes: Iterable[Node], own: Iterable[str] = ()) -> dict[str, list[int]]:
    """Ids of the collections read, with the ids of the columns read, in the order of the plan."""
    known, left_out = registry.all_collections(), set(own)
    found: dict[str, list[int]] = {}
    for node in nodes:
        for n in node.walk():
            if isinstance(n, Get) and n.name not in left_out:
                c = known[n.name]
                found.setdefault(str(c.id), []).extend(c.schema[x].id for x in n.columns)
    return found


def document(registry: Registry, d: Definition) -> dict[str, Any]:
    """What is kept of a view that was just computed: its definition, and what exactly it was computed from."""
    made = {**d.document(), "identity": identity(registry, d)}
    if d.schema is not None:
        made["sources"] = d.schema.digest
    elif (read := reading(registry, d)) is not None:
        made["reading"] = read
    return {**made, "computed": made["parameters"]}


def reading(registry: Registry, d: Definition) -> str | None:
    """What a reader of a SchemaSQL view computes, with the names that stand in its plan; None where it reads none."""
    if all(registry.outline(v) is None for v in d.views):
        return None
    return short(text_of(s.definition) for s in d.plan.stages)


def shape(registry: Registry, commit: Commit, overlay: Overlay, d: Definition) -> list[Collection]:
    """Make the stages' collections, empty, as the definition wants them."""
    for name in registry.document(d.name)["stages"] if d.name in registry.view_names() else ():
        if name not in d.stage_names and name in registry.all_collections():
            commit.drop_collection(name)
            overlay.dropped.add(name)
    drop_remotes(registry, commit, overlay, d.name, keep={r.name for r in d.remotes})
    made = []
    for stage in d.plan.stages:
        schema = stage.definition.schema
        stored = registry.all_collections().get(stage.name)
        if stored is not None and stored.schema == schema:
            commit.replace(stored)
        else:
            if stored is not None:
                commit.drop_collection(stage.name)
            stored = commit.create_collection(stage.name, "stage", schema, sort=stage.sort)
            overlay.collections[stage.name] = stored
        overlay.tables.pop(stage.name, None)
        overlay.files.pop(stage.name, None)
        overlay.replaced.add(stage.name)
        made.append(stored)
    return made


def rebuild(
    core: Core, registry: Registry, commit: Commit, overlay: Overlay, d: Definition, engine: str | None, reason: str,
    *, wish: str | None = None,
) -> Refresh:  # fmt: skip
    """Evaluate every stage over the new state and put it in place of the old content. `wish` is the engine that the user asked
    for, where `engine` was chosen."""
    _forget_stages(core, commit, d)
    targets = shape(registry, commit, overlay, d)
    commit.touch(d.plan.reads)
    resolver = Resolver(core.store, until=commit.base, overlay=overlay)
    steps: list[Step] = []
    written = size = 0
    choice: Choice | None = None
    for stage, target in zip(d.plan.stages, targets, strict=True):
        rows = float(sum(resolver.size(n) for n in gets(stage.definition)))
        able = able_engines(core, [stage.definition], core.allowed(engine))
        choice = choose({"recompute": Work(rows)}, {"recompute": able}, core.costs())
        node = Consolidate(stage.definition)
        step, runs = run_stage(
            core, commit, overlay, target, node, "evaluated from what it reads", resolver, choice.chosen.engine,
            rows_in=int(rows), wish=wish,
        )  # fmt: skip
        steps.append(step)
        written += sum(r.rows for r in runs)
        size += sum(r.bytes for r in runs)
    commit.put_doc("view", d.name, document(registry, d))
    final = Choice(choice.chosen if choice else Option("recompute", "duckdb", 0, 0), reason, ())
    return summary(d, "recompute", final, steps, int(sum(s.rows_in for s in steps)), written, size)


def _forget_stages(core: Core, commit: Commit, d: Definition) -> None:
    """What is in memory of rows that are about to be replaced."""
    for name in d.stage_names:
        stored = core.store.collection(name, commit.base)
        if stored is not None:
            core.small().forget(r.path for r in core.store.runs(stored, commit.base))
