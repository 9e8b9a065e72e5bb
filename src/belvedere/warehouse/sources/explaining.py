"""What explain says of a view's remote joins: from what is known here, nobody is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from belvedere.maintenance.remote import RemoteJoin
from belvedere.planning.sources.choice import CHOICES, Decision, choose
from belvedere.planning.sources.drawing import svg
from belvedere.planning.sources.explain import facts, text
from belvedere.sources.maintain.graph import view_graph
from belvedere.sources.maintain.visit import Asked
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.sources.joins import join_view, table_info
from belvedere.warehouse.sources.learned import learned


@dataclass(frozen=True)
class Outlook:
    """A remote join, how it would be brought up to date, and what asking took last time. One table needs no decision."""

    join: RemoteJoin
    decision: Decision | None
    asked: tuple[Asked, ...]


def outlooks(core: Core, registry: Registry, d: Definition) -> list[Outlook]:
    """With changes like those of the last time, or one in each table if there was none."""
    known = registry.all_collections()
    found = []
    for join in d.remotes:
        kept = learned(core.store, join.name, core.store.epoch)
        asked = tuple(kept.asked) if kept is not None else ()
        if kept is None or len(join.leaves) == 1:
            found.append(Outlook(join, None, asked))
            continue
        view = join_view(join, known)
        leaves = zip(view.parts, join.leaves, strict=True)
        infos = {p.alias: table_info(leaf, known, kept.rows.get(p.alias, 0.0)) for p, leaf in leaves}
        last = kept.memory.deltas if kept.memory is not None else {}
        deltas = {p.alias: int(last.get(p.alias, 0)) for p in view.parts}
        if not any(deltas.values()):
            deltas = dict.fromkeys(deltas, 1)
        graph = kept.experience.applied_to(view_graph(view, infos, deltas))
        found.append(Outlook(join, choose(graph, allowed=CHOICES), asked))
    return found


def describe(core: Core, registry: Registry, d: Definition) -> list[dict[str, Any]]:
    """As data."""
    found = []
    for o in outlooks(core, registry, d):
        plain: dict[str, Any] = {
            "name": o.join.name, "tables": [g.name for g in o.join.leaves], "columns": list(o.join.columns),
            "conditions": [str(c) for c in o.join.conditions], "text": _text(o),
        }  # fmt: skip
        found.append(plain | (facts(o.decision, _real(o)) if o.decision is not None else {}))
    return found


def _real(o: Outlook) -> list[Asked]:
    return [a for a in o.asked if a.kind != "read"]


def _text(o: Outlook) -> str:
    if o.decision is None:
        return "one table: its changes are enough, and nothing else is asked"
    reads = [a for a in o.asked if a.kind == "read"]
    whole = [f"measured: read {a.to} whole, {a.rows_out:,} rows, {a.seconds:.4f} s" for a in reads]
    return "\n".join([text(o.decision, _real(o)), *whole])


def lines(remotes: list[dict[str, Any]]) -> list[str]:
    """For a person."""
    out = []
    for r in remotes:
        out.append(f"  remote join {r['name']} ({', '.join(r['columns'])}) of {', '.join(r['tables'])}")
        out += [f"    where {c}" for c in r["conditions"]]
        out += [f"    {x}" for x in r["text"].splitlines()]
    return out


def drawing(core: Core, registry: Registry, d: Definition) -> str | None:
    """The view graphs, one below the other; None if no remote join has two tables."""
    found = [svg(o.decision) for o in outlooks(core, registry, d) if o.decision is not None]
    if len(found) < 2:
        return found[0] if found else None
    width = 2 * 300
    inner = [s.replace("<svg ", f'<svg y="{i * 640}" ', 1) for i, s in enumerate(found)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{640 * len(found)}">'
    return "\n".join([head, *inner, "</svg>"])
