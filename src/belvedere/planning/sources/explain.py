"""A decision for people: view graph, chosen plan with the estimate of each query, runners-up, and what it really cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from belvedere.planning.sources.choice import Decision
from belvedere.planning.sources.experience import Seen
from belvedere.planning.sources.graph import ViewGraph

RUNNERS_UP = 5


def facts(decision: Decision, asked: Iterable[Seen] = ()) -> dict[str, Any]:
    """Everything, as plain values."""
    return {"graph": graph_facts(decision.graph), **decision.to_dict(), "measured": [_measured(a) for a in asked]}


def graph_facts(graph: ViewGraph) -> dict[str, Any]:
    return {
        "nodes": [
            {"name": n.name, "source": n.source, "rows": n.cardinality, "attributes": n.attributes, "changed": n.delta}
            for n in graph.nodes
        ],
        "edges": [
            {"from": a, "to": b, "factor": d.factor, "cost": [d.cost.start, d.cost.per_attribute, d.cost.per_value]}
            for (a, b), d in graph.directions().items()
        ],
        "network": dict(graph.network),
        "carry": graph.carry,
    }


def _measured(a: Seen) -> dict[str, Any]:
    return {
        "from": list(a.origins), "to": a.to, "rows": a.rows, "attributes": a.attributes, "rows_out": a.rows_out,
        "seconds": a.seconds,
    }  # fmt: skip


def text(decision: Decision, asked: Iterable[Seen] = ()) -> str:
    """Lines for a terminal."""
    lines = ["view graph:"]
    for n in decision.graph.nodes:
        where = f" in {n.source}" if n.source else ""
        lines.append(f"  {n.name}{where}: {n.cardinality:,.0f} rows, {n.attributes} attributes, {n.delta:,.0f} changed")
    for (a, b), d in decision.graph.directions().items():
        lines.append(f"  {a} → {b}: join factor {d.factor:.3g}, cost {d.cost}")
    lines += [f"plan: {decision.plan}", f"  because {decision.reason}"]
    lines += [f"  {i}. {q}" for i, q in enumerate(decision.plan.queries, 1)]
    if decision.others:
        lines += ["runners-up:", *(f"  {p}" for p in decision.others[:RUNNERS_UP])]
    lines += [f"note: {n}" for n in decision.notes]
    real = list(asked)
    if real:
        total = sum(q.seconds for q in real)
        lines.append(f"measured: {len(real):,} queries, {total:.4f} s (estimated {decision.plan.seconds:.4f} s)")
        for q in real:
            sent = f"{q.rows:,} rows of {q.attributes} from {', '.join(q.origins)}"
            lines.append(f"  {q.to}: {sent} → {q.rows_out:,} rows, {q.seconds:.4f} s")
    return "\n".join(lines)
