"""A drawing of a view's stages, as SVG text."""

from __future__ import annotations

from html import escape
from typing import Any

WIDTH, HEIGHT, GAP_X, GAP_Y = 190, 44, 60, 22


def svg(facts: dict[str, Any]) -> str:
    """Inputs at the left, stages in order, the view at the right."""
    depth: dict[str, int] = {}
    edges: list[tuple[str, str]] = []
    for s in facts.get("stages", ()):
        for r in s["reads"]:
            depth.setdefault(r, 0)
            edges.append((r, s["name"]))
        depth[s["name"]] = 1 + max((depth[r] for r in s["reads"]), default=0)
    last = facts["stages"][-1]["name"] if facts.get("stages") else facts["view"]
    top = facts["view"] + " (view)"
    depth[top] = depth.get(last, 0) + 1
    edges.append((last, top))
    columns: dict[int, list[str]] = {}
    for name, level in depth.items():
        columns.setdefault(level, []).append(name)
    place = {
        n: (20 + level * (WIDTH + GAP_X), 20 + i * (HEIGHT + GAP_Y)) for level, ns in columns.items() for i, n in enumerate(ns)
    }
    width = 40 + (max(columns) + 1) * (WIDTH + GAP_X) - GAP_X
    height = 40 + max(map(len, columns.values())) * (HEIGHT + GAP_Y) - GAP_Y
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">']
    for a, b in edges:
        (x1, y1), (x2, y2) = place[a], place[b]
        out.append(f'<line x1="{x1 + WIDTH}" y1="{y1 + HEIGHT // 2}" x2="{x2}" y2="{y2 + HEIGHT // 2}" stroke="#567"/>')
    for name, (x, y) in place.items():
        fill = "#dff0e2" if name == top else "#eef3fb" if depth[name] else "#f6f2e6"
        shown = name if len(name) <= 26 else name[:25] + "…"
        out.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{fill}" stroke="#567"/>')
        out.append(f'<text x="{x + WIDTH // 2}" y="{y + HEIGHT // 2 + 4}" text-anchor="middle">{escape(shown)}</text>')
    return "\n".join([*out, "</svg>"])
