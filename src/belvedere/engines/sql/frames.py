"""Window frames, read from the text that a WindowCall carries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from belvedere.errors import Unsupported

_BOUND = r"(unbounded\s+preceding|unbounded\s+following|current\s+row|.+?\s+preceding|.+?\s+following)"
_BETWEEN = re.compile(rf"\s*(rows|range)\s+between\s+{_BOUND}\s+and\s+{_BOUND}\s*", re.I | re.S)
_SINGLE = re.compile(rf"\s*(rows|range)\s+{_BOUND}\s*", re.I | re.S)


@dataclass(frozen=True)
class Frame:
    """ROWS or RANGE BETWEEN start AND end."""

    kind: str
    start: str
    end: str

    def spec(self) -> exp.WindowSpec:
        start, start_side = _split(self.start)
        end, end_side = _split(self.end)
        return exp.WindowSpec(kind=self.kind, start=start, start_side=start_side, end=end, end_side=end_side)


def parse_frame(text: str | None) -> Frame | None:
    """
    >>> parse_frame("rows between 1 preceding and current row")
    Frame(kind='ROWS', start='1 PRECEDING', end='CURRENT ROW')
    >>> parse_frame("range unbounded preceding")
    Frame(kind='RANGE', start='UNBOUNDED PRECEDING', end='CURRENT ROW')
    """
    if text is None:
        return None
    if found := _BETWEEN.fullmatch(text):
        return Frame(found[1].upper(), _tidy(found[2]), _tidy(found[3]))
    if found := _SINGLE.fullmatch(text):
        return Frame(found[1].upper(), _tidy(found[2]), "CURRENT ROW")
    raise Unsupported(f"the window frame {text!r} is not supported; write ROWS or RANGE BETWEEN … AND …")


def _tidy(bound: str) -> str:
    return " ".join(bound.split()).upper()


def _split(bound: str) -> tuple[str | exp.Expr, str | None]:
    if bound == "CURRENT ROW":
        return bound, None
    value, side = bound.rsplit(" ", 1)
    return value if value == "UNBOUNDED" else exp.maybe_parse(value, dialect="spark"), side
