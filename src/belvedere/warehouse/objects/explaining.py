"""What explain tells about a view in OQL: what its text says (`languages/oql/describe.py`), and what its events would run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get
from belvedere.languages.oql import describe as oql
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.names import WrittenNames
from belvedere.warehouse.objects.event_plans import Numbered, event_plans
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.resolve import Resolver


def describe(
    registry: Registry, d: Definition, resolver: Resolver, rows: int, beside: Callable[[Get], float], sql: Callable[[Node], str]
) -> dict[str, Any]:
    """As data. `rows`: so many changed rows are reckoned with; a lookup looks at so many more `beside` those that it finds;
    `sql` says how a plan is written."""
    names, model = WrittenNames(registry, registry.document(d.name)), registry.objects()
    facts = oql.describe(d.name, d.text, names, model, d.parameters)
    plans = Numbered(sql)
    for e in facts["events"]:
        e["runs"] = []
        for s in event_plans(d.plan, e.pop("of"), model, resolver, rows, beside):
            ways = [{"plan": plans.number(s.stage, w), "way": w.way, "rows": n, "taken": w is s.taken} for w, n in s.ways]
            e["runs"].append({"stage": s.stage.name, "says": str(s), "ways": ways})
    facts["plans"] = plans.shown
    facts["derived_sql"] = {name: sql(node) for name, node in facts.pop("plans of them").items()}
    return facts


def lines(facts: dict[str, Any]) -> list[str]:
    """For a person."""
    out = oql.lines(facts)
    for name, text in facts["derived_sql"].items():
        out += [f"  {name}, as SQL", *_indented(text)]
    for p in facts["plans"]:
        out += [f"  plan {p['number']} of {p['stage']}, {p['way']}: {p['rule']}", *_indented(str(p["sql"]))]
    return out


def _indented(text: str) -> list[str]:
    return [f"    {x}" for x in text.splitlines()]
