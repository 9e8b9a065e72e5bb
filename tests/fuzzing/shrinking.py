"""A failing case → a smaller one that fails the same way, for every kit.

Greedy: leave something out, keep the smaller case if it still fails with the same kind of failure. A pass goes on where the
last success was, as what stood before it has just been tried; it is over when a whole pass found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from time import monotonic
from typing import Any, TypeVar

F = TypeVar("F", bound=Any)
"""A kit's failure: its `case`, its `view`, and its `kind`, which must stay the same."""


def smallest(failure: F, candidates: Callable[[Any, str], Iterator[Any]], run: Callable[[Any], F | None], seconds: float) -> F:
    """The smallest failure found in the time given. `candidates`: smaller cases, the boldest first."""
    end = monotonic() + seconds
    best, improved = failure, True
    while improved:
        improved, at = False, 0
        while (better := _next(best, islice(enumerate(candidates(best.case, best.view)), at, None), run, end)) is not None:
            at, best = better
            improved = True
        if monotonic() > end:
            break
    return best


def _next(best: F, smaller: Iterator[tuple[int, Any]], run: Callable[[Any], F | None], end: float) -> tuple[int, F] | None:
    """The first of the smaller cases that fails in the same way, and its place."""
    for at, case in smaller:
        if monotonic() > end:
            return None
        found = run(case)
        if found is not None and found.kind == best.kind:
            return at, found
    return None


def shorter(entries: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The sequence with something left out: all, halves, quarters, …, single entries, from its end."""
    size = len(entries)
    while size:
        for start in range(len(entries) - size, -size, -size):
            yield (*entries[: max(start, 0)], *entries[start + size :])
        size //= 2
