"""What a refresh would do, and why: the stages, the change rule of each, and the very SQL that would run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get, gets
from belvedere.errors import BelvedereError, InvalidView
from belvedere.maintenance.closures import GIVEN
from belvedere.maintenance.stage_delta import Facts, StageDelta, ways
from belvedere.planning.cost import Work
from belvedere.planning.estimate import cheapest, rows_read
from belvedere.store.model import Collection
from belvedere.warehouse.ability import able_engines
from belvedere.warehouse.core import Core
from belvedere.warehouse.graph_views import describe as graphs
from belvedere.warehouse.graph_views.relevance import fetches
from belvedere.warehouse.inputs import look
from belvedere.warehouse.objects import explaining as objects
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.schemas import describe as schemas
from belvedere.warehouse.schemas.readers import anew_reason, moving
from belvedere.warehouse.schemas.transition import Transition
from belvedere.warehouse.sources import explaining as remote
from belvedere.warehouse.weigh import weigh
from belvedere.warehouse.widen import widening

if TYPE_CHECKING:
    from belvedere.warehouse.view import View


def describe(view: View) -> dict[str, Any]:
    """Everything that explain shows, as data."""
    core, registry = view.warehouse.core, view.warehouse.registry
    try:
        d = registry.definition(view.name)
    except InvalidView as e:
        return {"view": view.name, "status": "invalid", "reason": str(e)}
    epoch = core.store.epoch
    since = view.epoch
    resolver = Resolver(core.store, until=epoch, since=since)
    inputs = look(core.store, registry, registry.overlay, d, since, epoch)
    # with nothing pending, show what a change of anything that it reads would do
    any_change = Facts(d.plan.reads, d.plan.reads, d.plan.reads, fanout=inputs.fanout if d.graph is None else None)
    facts = inputs.facts() if inputs.relevant else any_change
    moved = moving(core.store, registry, d, since)
    broken = anew_reason(core.store, registry, d, moved)
    added = widening(core.store, registry, d, since) if broken and moved is None else None
    allowed = core.allowed(None)
    stages: list[dict[str, Any]] = []
    plans: list[Node] = []
    anew, beside = broken if added is None else None, core.beside(resolver)
    for stage in d.plan.stages:
        found = ways(stage, facts) if not anew else (StageDelta(Consolidate(stage.definition), "evaluated from what it reads"),)
        if not found:
            continue
        plan = cheapest(found, resolver.size, inputs.rows, beside)
        facts = facts.plus(stage, deleting=True)
        plans += [node for _, node in plan.named]
        stages.append({"name": stage.name, "kind": stage.kind, "reads": sorted(stage.reads), "definition": str(stage.definition),
                       "rule": plan.rule, "plan": "\n".join(_with(w, str(n)) for w, n in plan.named), "named": plan.named,
                       "ways": [f"{p.way}: {p.rule}, about {rows_read(p.node, resolver.size, inputs.rows, beside):,.0f} rows"
                                for p in found] if len(found) > 1 else []})  # fmt: skip
    definitions: list[Node] = [s.definition for s in d.plan.stages]
    work, engines = {}, {}
    if not anew:
        work["incremental"] = Work(sum(rows_read(p, resolver.size, inputs.rows, beside) for p in plans))
        engines["incremental"] = able_engines(core, plans, allowed)
    known = registry.all_collections()
    work["recompute"] = Work(sum(resolver.size(n) for node in definitions for n in gets(node) if n.name in known))
    engines["recompute"] = able_engines(core, definitions, allowed)
    choice = weigh(core, d, inputs, resolver, work, engines, inputs.blocked)
    engine = choice.chosen.engine

    def write(node: Node) -> str:
        return _sql(core, known, engine, node, resolver)

    for s in stages:
        named = s.pop("named")
        s["sql"] = ";\n\n".join(_with(f"-- {w}" if w else "", write(n)) for w, n in named)
    return {
        "view": view.name, "status": view.status, "language": d.language, "mode": d.mode, "epoch": since, "text": d.text,
        "reads": {n: sorted({c for g in definitions for x in g.walk() if isinstance(x, Get) and x.name == n for c in x.columns})
                  for n in sorted(d.plan.reads)},
        "tests": {n: [" and ".join(f"{t.column} {t.op} {t.value}" for t in i.tests) or "every row" for i in uses]
                  for n, uses in sorted(d.interests.items()) if n in d.plan.reads},
        "pending": {n: inputs.size[n] for n in sorted(inputs.relevant)}, "nothing_to_do": inputs.why_not,
        "anew": anew, "added": moved.reason if isinstance(moved, Transition) else str(added) if added is not None else None,
        "strategy": choice.chosen.strategy, "engine": engine, "why": anew or choice.reason,
        "options": [str(choice.chosen), *map(str, choice.others)], "stages": stages, "tail": str(d.plan.tail),
        "oql": objects.describe(registry, d, resolver, max(1, inputs.rows), beside, write) if d.language == "oql" else None,
        "reason": view.reason, "remote": remote.describe(core, registry, d),
        "schemasql": schemas.describe(d.schema) if d.schema is not None else None,
        "lorel": graphs.describe(d.graph.spec, fetches(core, d.graph, known, epoch)) if d.graph is not None else None,
    }  # fmt: skip


def _with(word: str, text: str) -> str:
    """What one of several plans is, above it."""
    return f"{word}\n{text}" if word else text


def _sql(core: Core, known: dict[str, Collection], engine: str, node: Node, resolver: Resolver) -> str:
    """A plan as the engine would run it now."""
    leaves = [g for g in gets(node) if not g.name.startswith(GIVEN)]
    if not all(g.name in known and set(g.columns) <= set(known[g.name].schema.names) for g in leaves):
        return "-- reads a stage that gets its present columns in the same refresh"
    ready = engine == "duckdb" or core.spark_started
    return core.engine(engine).sql(node, resolver) if ready else _on_duckdb(core, node, resolver)


def _on_duckdb(core: Core, node: Node, resolver: Resolver) -> str:
    try:
        return f"-- Spark has not started yet; the in-process form of the same plan:\n{core.duckdb.sql(node, resolver)}"
    except BelvedereError as e:
        return f"-- runs on Spark only: {e}"


def text(facts: dict[str, Any]) -> str:
    """For a person."""
    lines = [f"view {facts['view']}: {facts['status']}"]
    if facts["status"] == "invalid":
        return "\n".join([*lines, f"  {facts['reason']}"])
    lines.append(f"  {facts['language']}, {facts['mode']}, up to epoch {facts['epoch']}")
    lines.append("  feels changes of")
    for name, columns in facts["reads"].items():
        lines.append(f"    {name} ({', '.join(columns)}) where {' or '.join(facts['tests'].get(name, ['every row']))}")
    lines += remote.lines(facts["remote"])
    if facts["oql"]:
        lines += objects.lines(facts["oql"])
    if facts["schemasql"]:
        lines += schemas.lines(facts["schemasql"])
    if facts["lorel"]:
        lines += graphs.lines(facts["lorel"])
    if facts["added"]:
        lines.append(f"  next refresh: {facts['added']}; then the change of what it reads")
    elif facts["anew"]:
        lines.append(f"  next refresh: recompute ({facts['anew']})")
    elif facts["pending"]:
        lines.append("  pending: " + ", ".join(f"{n} {r:,} rows" for n, r in facts["pending"].items()))
        lines.append(f"  next refresh: {facts['strategy']} on {facts['engine']} ({facts['why']})")
    else:
        lines.append(f"  nothing to do: {facts['nothing_to_do']}; a change of all that it reads would run")
    lines += [f"    {o}" for o in facts["options"]]
    for s in facts["stages"]:
        lines += [f"  stage {s['name']} ({s['kind']}): {s['rule']}"]
        lines += [f"    {w}" for w in s["ways"]]
        lines += [f"    {x}" for x in s["definition"].splitlines()]
        lines += ["    it runs:" if facts["anew"] else "    its change:"] + [f"      {x}" for x in s["plan"].splitlines()]
        lines += ["    as SQL:"] + [f"      {x}" for x in s["sql"].splitlines()]
    lines += ["  read as"] + [f"    {x}" for x in facts["tail"].splitlines()]
    return "\n".join(lines)


def mermaid(facts: dict[str, Any]) -> str:
    """A flow chart of the stages."""
    ids: dict[str, str] = {}

    def node(name: str) -> str:
        return ids.setdefault(name, f"n{len(ids)}")

    def label(s: str) -> str:
        return s.replace('"', "&quot;")

    lines = ["flowchart LR"]
    for s in facts.get("stages", ()):
        box = f'{node(s["name"])}(["{label(s["name"])}: {label(s["kind"])}"])'
        lines += [f'  {node(r)}["{label(r)}"] --> {box}' for r in s["reads"]]
    last = facts["stages"][-1]["name"] if facts.get("stages") else facts["view"]
    lines.append(f'  {node(last)} --> {node("view " + facts["view"])}[["{label(facts["view"])}"]]')
    return "\n".join(lines)
