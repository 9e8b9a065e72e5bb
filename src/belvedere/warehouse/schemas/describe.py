"""What explain says about a SchemaSQL view beyond its stages."""

from __future__ import annotations

from typing import Any

from belvedere.languages.schemasql import algebra_text
from belvedere.warehouse.schemas.fragments import Schematic

#: so many branches and names are shown
SHOWN = 12


def describe(schema: Schematic) -> dict[str, Any]:
    """The paper's algebra, what each variable ranges over, and how fragments become relations."""
    layout = schema.layout
    return {
        "algebra": algebra_text(schema.bound),
        "relation": layout.relation_name if layout.relation is None else f"one for each {layout.relation}",
        "fixed": [a for _, a in layout.fixed],
        "columns": None if layout.pivot is None else f"one for each {layout.pivot}, holding {layout.data}",
        "branches": {s.name: [b.node.label for b in s.branches] for s in schema.bound.sources},
        "dictionaries": {c: [n for _, n in entries] for c, entries in sorted(schema.dictionaries.items())},
    }


def lines(facts: dict[str, Any]) -> list[str]:
    """For a person."""
    out = [f"  as algebra: {facts['algebra']}"]
    out.append(f"  relation: {facts['relation'] or 'the view itself'} ({', '.join(facts['fixed'])})")
    if facts["columns"]:
        out.append(f"  columns: {facts['columns']}")
    for source, branches in facts["branches"].items():
        out.append(f"  {source} ranges over {len(branches)} branches")
        out += [f"    {b}" for b in branches[:SHOWN]]
        out += [f"    … and {len(branches) - SHOWN} more"] if len(branches) > SHOWN else []
    for column, names in facts["dictionaries"].items():
        shown = ", ".join(map(repr, names[:SHOWN])) + (", …" if len(names) > SHOWN else "")
        out.append(f"  {column} is stored as ids, called {shown or 'nothing'}")
    return out
