"""The view graph as SVG: nodes on a circle, the chosen order as thick arrows."""

from __future__ import annotations

from html import escape
from math import cos, pi, sin

from belvedere.planning.sources.choice import Decision

RADIUS, MARGIN, NODE = 190, 110, 34
HEAD = (
    '<defs><marker id="to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L8 4L0 8z" fill="#2a6"/></marker></defs>'
)


def svg(decision: Decision) -> str:
    """Join factors at the edges; an arrow for every query of the plan."""
    nodes = decision.graph.nodes
    size = 2 * (RADIUS + MARGIN)
    middle = size / 2
    turn = [2 * pi * i / len(nodes) - pi / 2 for i in range(len(nodes))]
    place = {n.name: (middle + RADIUS * cos(a), middle + RADIUS * sin(a)) for n, a in zip(nodes, turn, strict=True)}
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size + 24}" font-family="sans-serif" font-size="12">',
        HEAD,
    ]
    for e in decision.graph.edges:
        (x1, y1), (x2, y2) = place[e.left], place[e.right]
        out.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#bcc"/>')
        label = f"{e.forward.factor:.3g} / {e.backward.factor:.3g}"
        out.append(f'<text x="{(x1 + x2) / 2:.0f}" y="{(y1 + y2) / 2 - 6:.0f}" text-anchor="middle" fill="#567">{label}</text>')
    for origin, to in sorted({(o, q.to) for q in decision.plan.queries if q.to for o in q.origins}):
        out.append(_arrow(place[origin], place[to]))
    for n in nodes:
        x, y = place[n.name]
        fill = "#dff0e2" if n.delta else "#eef3fb"
        out.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{NODE}" fill="{fill}" stroke="#567"/>')
        name = n.name if len(n.name) <= 24 else n.name[:23] + "…"
        out.append(f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(name)}</text>')
        out.append(f'<text x="{x:.0f}" y="{y + 15:.0f}" text-anchor="middle" fill="#567">Δ {n.delta:,.0f}</text>')
    plan = decision.plan
    caption = f"{plan.strategy}: {plan.asked:,.0f} queries, about {plan.seconds:.3f} s"
    out.append(f'<text x="{middle:.0f}" y="{size + 12}" text-anchor="middle">{escape(caption)}</text>')
    return "\n".join([*out, "</svg>"])


def _arrow(a: tuple[float, float], b: tuple[float, float]) -> str:
    """A bent line from rim to rim, so that both directions of an edge can be told apart."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = max((dx * dx + dy * dy) ** 0.5, 1.0)
    ux, uy = dx / length, dy / length
    x1, y1 = a[0] + ux * NODE, a[1] + uy * NODE
    x2, y2 = b[0] - ux * NODE, b[1] - uy * NODE
    mx, my = (x1 + x2) / 2 - uy * 22, (y1 + y2) / 2 + ux * 22
    return (
        f'<path d="M{x1:.0f} {y1:.0f}Q{mx:.0f} {my:.0f} {x2:.0f} {y2:.0f}" fill="none" stroke="#2a6" stroke-width="2" '
        'marker-end="url(#to)"/>'
    )
