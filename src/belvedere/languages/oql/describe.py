"""What there is to tell about an OQL view beside its plan: its monoid algebra and class, the events that matter to it, and for
each event the plan that the first paper names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from belvedere.algebra.node import Node
from belvedere.errors import Unsupported
from belvedere.languages.oql import ast
from belvedere.languages.oql.binding import bind, understand
from belvedere.languages.oql.derived import oid_projecting, oids_for, parameters_in
from belvedere.languages.oql.events import specify_events_to_monitor
from belvedere.languages.oql.monoid_algebra import classify, show
from belvedere.languages.oql.parser import parse
from belvedere.languages.oql.plans import chosen, is_condition
from belvedere.languages.oql.text import program as written
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.parameters import Parameter
from belvedere.objects.model import ObjectModel


def describe(
    name: str, text: str, names: Names, model: ObjectModel, parameters: Mapping[str, Parameter] | None = None
) -> dict[str, Any]:
    """As data: class, algebra, events (each also as the Event `of`) with the paper's plans, and the two derived views, as text
    and as our algebra, where the view has them."""
    seen = understand(text, names, model, parameters)
    kind = classify(seen.algebra)
    events = []
    for e in specify_events_to_monitor(seen.normal, model):
        condition = is_condition(e, seen.normal, model)
        ways = chosen(e, kind, condition=condition)
        plans = [f"plant Δ{state}" if action == "plant" else f"OIDs_for_{name} ⋈ Δ{state}" for action, state in ways]
        events.append({"of": e, "event": str(e), "condition": condition, "plan": " and ".join(plans)})
    facts: dict[str, Any] = {"class": kind, "algebra": show(seen.algebra), "events": events, "derived": {}, "plans of them": {}}
    program = parse(text)
    query = program.query
    try:
        if query is not None:
            made = [make(name, query, names, model, seen.translator) for make in (oids_for, oid_projecting)]
            facts["derived"] = {d.definition.name: d.text for d in made}
            facts["plans of them"] = {
                d.definition.name: _bound(replace(program, query=d.query), names, model, parameters or {}) for d in made
            }
    except Unsupported:
        pass  # a grouped or combined view has none; its plan stands alone
    return facts


def _bound(program: ast.Program, names: Names, model: ObjectModel, parameters: Mapping[str, Parameter]) -> Node:
    used = parameters_in(program)
    given = {n: p for n, p in parameters.items() if n in used}
    return bind(written(program), names, model, parameters=given).node


def lines(facts: dict[str, Any]) -> list[str]:
    """For a person, once `runs` has been added to the events."""
    out = [f"  a {facts['class']} view; events that matter to it"]
    width = max((len(e["event"]) for e in facts["events"]), default=0)
    for e in facts["events"]:
        runs = "; ".join(f"{r['says']} (plan {' or '.join(str(w['plan']) for w in r['ways'])})" for r in e["runs"])
        out.append(f"    {e['event']:<{width}}  in the paper {e['plan']}{' (condition)' if e['condition'] else ''}")
        out.append(f"    {'':<{width}}  here {runs or 'nothing to do'}")
    if not facts["events"]:
        out.append("    none: it reads nothing that can change")
    out += ["  in the monoid algebra"] + [f"    {x}" for x in facts["algebra"].splitlines()]
    return out


__all__ = ["describe", "lines"]
