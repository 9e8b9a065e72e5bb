"""What there is to tell about an OQL view beside its plan: its monoid algebra and class, the events that matter to it, and for
each event the plan that the first paper names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from belvedere.errors import Unsupported
from belvedere.languages.oql.binding import understand
from belvedere.languages.oql.derived import oid_projecting, oids_for, select_of
from belvedere.languages.oql.events import specify_events_to_monitor
from belvedere.languages.oql.monoid_algebra import classify, show
from belvedere.languages.oql.parser import parse
from belvedere.languages.oql.plans import chosen, is_condition
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.parameters import Parameter
from belvedere.objects.model import ObjectModel


def describe(
    name: str, text: str, names: Names, model: ObjectModel, parameters: Mapping[str, Parameter] | None = None
) -> dict[str, Any]:
    """As data: class, algebra, events with their plans, and the two derived views where the view has them."""
    seen = understand(text, names, model, parameters)
    kind = classify(seen.algebra)
    events = []
    for e in specify_events_to_monitor(seen.normal, model):
        condition = is_condition(e, seen.normal, model)
        ways = chosen(e, kind, condition=condition)
        plans = [f"plant Δ{state}" if action == "plant" else f"OIDs_for_{name} ⋈ Δ{state}" for action, state in ways]
        events.append({"event": str(e), "condition": condition, "plan": " and ".join(plans)})
    facts: dict[str, Any] = {"class": kind, "algebra": show(seen.algebra), "events": events, "derived": {}}
    query = parse(text).query
    try:
        if query is not None:
            select_of(query)
            facts["derived"] = {f"{d.definition.name}": d.text for d in (
                oids_for(name, query, names, model), oid_projecting(name, query, names, model))}  # fmt: skip
    except Unsupported:
        pass  # a grouped or combined view has none; its plan stands alone
    return facts


def lines(facts: dict[str, Any]) -> list[str]:
    """For a person."""
    out = [f"  a {facts['class']} view; events that matter to it"]
    width = max((len(e["event"]) for e in facts["events"]), default=0)
    out += [f"    {e['event']:<{width}}  {e['plan']}{'  (condition)' if e['condition'] else ''}" for e in facts["events"]]
    if not facts["events"]:
        out.append("    none: it reads nothing that can change")
    out += ["  in the monoid algebra"] + [f"    {x}" for x in facts["algebra"].splitlines()]
    return out


__all__ = ["describe", "lines"]
