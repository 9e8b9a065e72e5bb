"""Lines over two logarithmic axes, as SVG: what the book shows of ratios that span orders of magnitude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 40, 50
COLORS = ("#1b6ca8", "#c8553d", "#3d8361", "#8a5a9e", "#b8860b", "#555555")


@dataclass(frozen=True)
class Line:
    """A named line of (x, y), all above zero."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Mark:
    """Something that happens at an x."""

    x: float
    text: str


@dataclass(frozen=True)
class Axis:
    """A range of whole powers of ten, and where they are on the page.

    >>> axis = Axis.over([3, 40], 0, 100)
    >>> [(tick, axis.at(tick)) for tick in axis.ticks]
    [(1.0, 0.0), (10.0, 50.0), (100.0, 100.0)]
    """

    low: int
    high: int
    start: float
    end: float

    @staticmethod
    def over(values: Sequence[float], start: float, end: float) -> Axis:
        low, high = floor(log10(min(values))), ceil(log10(max(values)))
        return Axis(low, max(high, low + 1), start, end)

    @property
    def ticks(self) -> list[float]:
        return [10.0**n for n in range(self.low, self.high + 1)]

    def at(self, value: float) -> float:
        return self.start + (self.end - self.start) * (log10(value) - self.low) / (self.high - self.low)


def draw(title: str, across: str, up: str, lines: Sequence[Line], marks: Sequence[Mark] = ()) -> str:
    """A picture of the lines; marks are vertical."""
    points = [p for line in lines for p in line.points]
    x = Axis.over([p[0] for p in points], LEFT, WIDTH - RIGHT)
    y = Axis.over([p[1] for p in points], HEIGHT - BOTTOM, TOP)
    body = [*_frame(title, across, up, x, y), *(part for n, line in enumerate(lines) for part in _line(line, n, x, y))]
    for mark in marks:
        at = x.at(mark.x)
        body.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#888" stroke-dasharray="4 3"/>')
        body.append(_text(at + 4, TOP + 10, mark.text, size=10))
    inner = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{inner}\n</svg>\n'
    )


def _frame(title: str, across: str, up: str, x: Axis, y: Axis) -> list[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [_text(LEFT, 20, title, size=13)]
    for tick in x.ticks:
        at = x.at(tick)
        parts.append(f'<path d="M{at:.1f} {TOP}V{bottom}" stroke="#eee"/>')
        parts.append(_text(at, bottom + 16, _number(tick), anchor="middle"))
    for tick in y.ticks:
        at = y.at(tick)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{right}" stroke="#eee"/>')
        parts.append(_text(LEFT - 6, at + 4, _number(tick), anchor="end"))
    parts.append(_text((LEFT + right) / 2, HEIGHT - 12, across, anchor="middle"))
    parts.append(_text(LEFT - 55, TOP - 8, up))
    return parts


def _line(line: Line, number: int, x: Axis, y: Axis) -> list[str]:
    color = COLORS[number % len(COLORS)]
    places = [(x.at(a), y.at(b)) for a, b in line.points]
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
    dots = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{color}"/>' for a, b in places]
    label = _text(WIDTH - RIGHT + 12, TOP + 14 + 16 * number, line.name, color=color)
    return [f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="1.5"/>', *dots, label]


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, color: str = "#333") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{color}">{escape(text)}</text>'


def _number(value: float) -> str:
    """
    >>> _number(0.001), _number(1.0), _number(100000.0)
    ('0.001', '1', '100,000')
    """
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
