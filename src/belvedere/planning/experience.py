"""What the refreshes of one view really took lately.

The cost model knows rows and engines. It does not know that a row of one view is joined and summed, one of another only copied,
nor that maintaining one view takes a dozen small statements, recomputing it a single one. So the last refreshes of a view are
remembered: by how much they were slower than the model said, and, for views of many small statements, how maintenance compares
with recomputation. What was seen is forgotten after a while, and tried again: data grow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from belvedere.planning.cost import CostModel, Expected, Work

#: refreshes by maintenance before they count, for the first ones also pay for making plans; how many refreshes are remembered
ENOUGH, KEPT = 3, 40
#: the reason of the refresh that a view begins with
FIRST_EXTENT = "first extent"
#: slower by so much is clearly slower
CLEARLY = 1.2
#: deltas of so many times the size, or less by as much, are alike; those that are nearer tell more, if there are a few of them:
#: what a row costs grows with the delta once rows have to be sorted and no longer fit in the processor's cache
ALIKE, NEAR = 8, (1.25, 2)
#: as many as that
A_FEW = 2
#: fewer objects that maintenance fetches are hardly felt; so many times as many, or less by as much, are alike
FETCHED, FETCHES_ALIKE = 100, 2
#: a first extent also makes plans and reads what nobody has read, and so do the first times that a view is computed again: the
#: next time may take so many times less
FIRST_TAKES, EARLY_TAKES = 5, 2
#: the last computations of a view that are remembered, however often it was maintained since
AGAIN = 9
#: of what was seen, one in so many was faster than what counts
FASTER = 3


class Seen(NamedTuple):
    """One refresh: the rows that came in, and the work it was expected to be. Of a view over graphs also the objects that
    maintenance was expected to fetch, and whether anything went. `first`: it was the view's first extent."""

    strategy: str
    rows: int
    seconds: float
    expected: Expected | None = None
    fetches: float | None = None
    deleting: bool = False
    first: bool = False


@dataclass
class Experience:
    """The last refreshes, oldest first. What the model says of the work that each was expected to be is asked when it is needed:
    the model learns, too, and by another one it would have said something else. Who is refreshed after others, in the same
    epoch, finds in memory what they have read: that tells less of one that comes first."""

    seen: deque[Seen] = field(default_factory=lambda: deque(maxlen=KEPT))
    #: refreshes that came after those of other views
    later: deque[Seen] = field(default_factory=lambda: deque(maxlen=KEPT))
    again: deque[Seen] = field(default_factory=lambda: deque(maxlen=AGAIN))

    @staticmethod
    def of(history: Iterable[Mapping[str, Any]]) -> Experience:
        """From the records of a view's refreshes, oldest first. What is before its first extent was another view of that name; a
        record without a time says nothing of it.

        >>> record = {"strategy": "recompute", "rows_in": 9, "seconds": 0.0, "reason": "first extent"}
        >>> [s[:3] for s in Experience.of([{**record, "seconds": 0.5}, record, {**record, "seconds": 0.7, "reason": "x"}]).seen]
        [('recompute', 9, 0.7)]
        """
        made = Experience()
        for r in history:
            first = r.get("reason") == FIRST_EXTENT
            if first:
                made.seen.clear()
                made.again.clear()
            if r["seconds"] > 0:
                expected = r.get("expected")
                work = (expected[0], expected[1], expected[2]) if expected else None
                fetches, deleting = r.get("estimated_fetches"), r.get("deleting", False)
                made.add(r["strategy"], r["rows_in"], r["seconds"], work, fetches=fetches, deleting=deleting, first=first)
        return made

    def add(
        self, strategy: str, rows_in: int, seconds: float, expected: Expected | None = None, *, later: bool = False,
        fetches: float | None = None, deleting: bool = False, first: bool = False,
    ) -> None:  # fmt: skip
        one = Seen(strategy, rows_in, seconds, expected, fetches, deleting, first)
        (self.later if later else self.seen).append(one)
        if strategy == "recompute":
            self.again.append(one)

    def factor(self, strategy: str, rows_in: int, model: CostModel, *, later: bool = False) -> float:
        """What to multiply the model's estimate by, for a delta of this size. A first refresh also makes plans, and machines have
        other things to do, so what was fast counts: a third of what was seen was faster. Not the least of it, which is lower the
        more often a way was taken, and would speak for the way that is taken most.

        >>> from belvedere.planning.cost import Line
        >>> e, model = Experience(), CostModel({"duckdb": Line(0.0, 0.001, 0.0)})
        >>> for seconds in (9.0, 2.5, 2.0):
        ...     e.add("incremental", 1000, seconds, ("duckdb", 1000, 0))
        >>> e.factor("incremental", 1200, model), e.factor("recompute", 1200, model), e.factor("incremental", 1, model)
        (2.0, 1.0, 1.0)
        >>> for seconds in (6.5, 6.0):
        ...     e.add("incremental", 1900, seconds, ("duckdb", 2000, 0))
        >>> e.factor("incremental", 2000, model), e.factor("incremental", 1000, model)
        (3.0, 2.0)
        >>> for seconds in (1.5, 2.5, 8.0):
        ...     e.add("incremental", 1000, seconds, ("duckdb", 1000, 0))
        >>> e.factor("incremental", 1000, model)
        2.0
        """
        first, after = (_ratios(seen, strategy, model) for seen in (self.seen, self.later))
        mine, others = (after, first) if later else (first, after)
        for times, enough in (*((times, A_FEW) for times in NEAR), (ALIKE, ENOUGH)):
            for seen in (mine, mine + others):
                near = [ratio for rows, ratio in seen if _alike(rows, rows_in, times)]
                if len(near) >= enough:
                    return _fast(near)
        return 1.0

    def against_maintenance(
        self, rows_in: int, fetches: float | None = None, *, deleting: bool = False, trying: bool = False
    ) -> str | None:
        """Why a delta of this size is better not maintained; None where nothing speaks against it. An edge takes as long as the
        objects that it leads to are many, and longer if it goes: then it has to be found out what else reaches them. So only
        refreshes that were to fetch about as much, and in which something went as well, tell of this one. Where recomputation
        is known from the first times alone, and may well be faster, it is worth `trying`.

        >>> e = Experience()
        >>> for seconds in (0.9, 0.06, 0.05):
        ...     e.add("incremental", 1, seconds, fetches=4000.0)
        >>> e.add("recompute", 500, 0.12, first=True)
        >>> e.against_maintenance(2, 5000.0), e.against_maintenance(2, 5000.0, trying=True)
        (None, 'lately maintenance took 0.050 s and recomputation 0.120 s at first, which may take less the next time')
        >>> e.add("recompute", 1, 0.02)
        >>> e.against_maintenance(2, 5000.0)
        'lately maintenance took 0.050 s and recomputation 0.020 s'
        >>> [e.against_maintenance(100, 5000.0), e.against_maintenance(1, 500.0), e.against_maintenance(1, 4000.0, deleting=True)]
        [None, None, None]
        """
        alike = [
            s.seconds
            for s in (*self.seen, *self.later)
            if s.strategy == "incremental" and s.deleting == deleting and _alike(s.rows, rows_in) and _as_dear(s.fetches, fetches)
        ]
        if len(alike) < ENOUGH or not self.again:
            return None
        mine, again = _fast(alike), [s for s in self.again if not s.first]
        # where nothing had changed there was nothing to look at, and that takes less
        known = felt if len(felt := [s for s in again if s.rows]) >= ENOUGH else again or self.again
        whole = _fast([s.seconds for s in known])
        hope = 1.0 if not trying or len(again) >= ENOUGH else EARLY_TAKES if again else FIRST_TAKES
        if mine * hope <= whole * CLEARLY:
            return None
        words = "" if mine > whole * CLEARLY else " at first, which may take less the next time"
        return f"lately maintenance took {mine:.3f} s and recomputation {whole:.3f} s{words}"


def _ratios(seen: Iterable[Seen], strategy: str, model: CostModel) -> list[tuple[int, float]]:
    """(rows that came in, by how much it was slower than the model says) for the refreshes of one way."""
    same = [(s.rows, s.seconds, s.expected) for s in seen if s.strategy == strategy and s.expected]
    known = [(rows, s, model.seconds(engine, Work(read, written))) for rows, s, (engine, read, written) in same]
    return [(rows, s / m) for rows, s, m in known if m > 0]


def _fast(seen: Sequence[float]) -> float:
    """
    >>> _fast([5.0, 4.0]), _fast([5.0, 4.0, 3.0, 6.0]), _fast([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    (4.0, 4.0, 3.0)
    """
    return sorted(seen)[(len(seen) - 1) // FASTER]


def _as_dear(one: float | None, other: float | None) -> bool:
    """Is about as much fetched? Where that is not known, it is as dear as any."""
    return one is None or other is None or _alike(max(one, FETCHED), max(other, FETCHED), FETCHES_ALIKE)


def _alike(one: float, other: float, times: float = ALIKE) -> bool:
    return one <= other * times and other <= one * times
