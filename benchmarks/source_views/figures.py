"""The figures of the paper's section 4, each as lines to print and bars that must be met."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import pyarrow as pa
from benchmarks.source_views.databases import Databases
from benchmarks.source_views.here import Here
from benchmarks.source_views.measure import Survey
from tests.planning.graphs import grid

from belvedere.changes.names import WEIGHT
from belvedere.planning.sources.costing import Costing
from belvedere.planning.sources.experience import Experience
from belvedere.planning.sources.plan import BATCH, GROUPING
from belvedere.planning.sources.search import enumerated, greedy
from belvedere.planning.sources.strategies import batch
from belvedere.sources.maintain.prepare import prepared
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.maintain.visit import NEW, Asked, Work, visit

FIT = 0.95
NEAR = 0.10
MILLISECONDS, TIMES = 60.0, 100.0


@dataclass
class Figure:
    """A figure: what was measured, and (bar, met)."""

    title: str
    lines: list[str] = field(default_factory=list)
    bars: list[tuple[str, bool]] = field(default_factory=list)


def figure11(databases: Databases, view: JoinView, here: Here, delay: float, rounds: int) -> Figure:
    """Queries to DS0 along 0-1, of 2, 4 and 6 attributes and 100 to 1,000 rows: measured, and as the regression has them."""
    figure = Figure("Fig 11: the cost function of DS0 along the join with DS1")
    least: dict[tuple[int, int], Asked] = {}
    with databases.snapshots(delay) as (snapshots, changes):
        now = [c for c in view.conditions if c.parts == {"0", "1"}]
        for _ in range(rounds):
            for card in range(100, 1001, 100):
                for parts in (("1",), ("1", "2"), ("1", "2", "3")):
                    work = prepared(view, snapshots, changes, here, tuples=True)
                    work.clock = databases.clock.now
                    visit(work, [_numbers(work, parts, card, databases.rows)], ["1"], "0", NEW, "probe", now)
                    asked = work.asked[0]
                    point = (asked.rows, asked.attributes)
                    least[point] = min(least.get(point, asked), asked, key=lambda a: a.seconds)
    known = Experience(keep=1.0)
    for asked in least.values():
        known.observe(asked)
    hop = (frozenset("1"), "0")
    function, network = known.fits[hop].function(None), known.network["0"].value(0.0)

    def estimated(a: Asked) -> float:
        values = a.rows * a.attributes + a.rows_out * a.attributes_out
        return function.seconds(a.rows, a.attributes) + network * values

    total = sum(a.seconds for a in least.values())
    off = sum(abs(estimated(a) - a.seconds) for a in least.values())
    mean = total / len(least)
    spread = sum((a.seconds - mean) ** 2 for a in least.values())
    unexplained = sum((estimated(a) - a.seconds) ** 2 for a in least.values())
    for attr in (2, 4, 6):
        points = [least[card, attr] for card in (100, 400, 700, 1000)]
        shown = ", ".join(f"{p.rows}: {p.seconds * 1e3:.1f} ({estimated(p) * 1e3:.1f})" for p in points)
        figure.lines.append(f"{attr} attributes, rows: ms measured (estimated): {shown}")
    figure.lines.append(f"J = {function}, network {network * 1e6:.2f} µs a value; R² {1 - unexplained / spread:.3f}")
    share = 1 - off / total
    figure.bars.append((f"{share:.1%} of the measured cost explained, at least {FIT:.0%}", share >= FIT))
    return figure


def _numbers(work: Work, parts: tuple[str, ...], card: int, rows: int) -> pa.Table:
    """Rows as an intermediate result would hold them: the columns of the given tables, all for the same numbers."""
    step = rows // card
    numbers = pa.array(range(0, card * step, step), pa.int64())
    names = [s.name for s in work.view.slots_of(*parts)]
    return pa.table([*[numbers] * len(names), pa.array([1] * card, pa.int64())], names=[*names, WEIGHT])


def plans(survey: Survey, *, batch_wins: bool = False) -> Figure:
    """Best, worst and chosen; batch against grouping."""
    figure = Figure(survey.title)
    batches, groups = survey.of(BATCH), survey.of(GROUPING)
    for label, costed in [("batch, best by estimate", batches[0]), ("batch, worst by estimate", batches[-1])]:
        figure.lines.append(f"{label}: {costed.measured:.3f} s measured, {costed.estimated:.3f} s estimated ({costed.name})")
    for g in groups:
        figure.lines.append(f"grouping {g.name}: {g.measured:.3f} s measured, {g.estimated:.3f} s estimated")
    ratio = sum(p.estimated for p in survey.plans) / sum(p.measured for p in survey.plans)
    spread = max(p.measured for p in survey.plans) / survey.best.measured
    counts = f"{len(batches)} batch plans of {survey.queries[BATCH]} queries, {len(groups)} grouping plans of "
    figure.lines.append(
        f"{counts}{survey.queries[GROUPING]}; dearest {spread:.2f} times the cheapest; all estimates together {ratio:.1%} of "
        f"what was measured; work at the view at most {survey.at_view:.3f} s"
    )
    for label, costed in [("chosen", survey.chosen), ("best measured", survey.best)]:
        figure.lines.append(f"{label}: {costed.strategy} {costed.name}, {costed.measured:.3f} s")
    above = survey.distance
    figure.bars.append((f"the chosen plan is {above:.1%} above the best measured, at most {NEAR:.0%}", above <= NEAR))
    figure.bars.append((f"all plans give the same change of the view ({survey.rows_out:,} rows)", survey.agree))
    if batch_wins:
        best = min(b.measured for b in batches), min(g.measured for g in groups)
        said = f"the best batch plan ({best[0]:.3f} s) beats the best grouping plan ({best[1]:.3f} s)"
        figure.bars.append((said, best[0] < best[1]))
        figure.bars.append(("the chooser sees it", survey.decision.plan.strategy == BATCH))
    return figure


def figure17() -> Figure:
    """Greedy against optimal against enumeration: the costs that they find, and the time that they take."""
    figure = Figure("Fig 17: greedy search, and the time of optimization for 9 nodes and 12 edges")
    ratios, times = [], []
    for seed in range(3):
        graph = grid(seed)
        took = {}
        for name, search in (("optimal", None), ("greedy", greedy), ("enumeration", enumerated)):
            took[name] = float("inf")
            for _ in range(3 if name != "enumeration" else 1):
                began = time.process_time()
                plan = batch(Costing(graph), search) if search else batch(Costing(graph))
                took[name] = min(took[name], time.process_time() - began)
            took[name + " cost"] = plan.seconds
        ratios.append(took["enumeration"] / took["optimal"])
        times.append(took["optimal"] * 1e3)
        figure.lines.append(
            f"graph {seed}: optimal {took['optimal'] * 1e3:.1f} ms, greedy {took['greedy'] * 1e3:.1f} ms, enumeration "
            f"{took['enumeration'] * 1e3:,.0f} ms; costs {took['optimal cost']:.3f}, {took['greedy cost']:.3f}, "
            f"{took['enumeration cost']:.3f} s"
        )
        same = abs(took["optimal cost"] - took["enumeration cost"]) <= 1e-6 * took["enumeration cost"]
        figure.bars += [] if same else [(f"graph {seed}: the optimum is the enumeration's", False)]
    middle = sorted(ratios)[len(ratios) // 2]
    figure.bars.append((f"optimal in {max(times):.1f} ms at most, under {MILLISECONDS:.0f}", max(times) < MILLISECONDS))
    figure.bars.append((f"{middle:,.0f} times faster than enumeration (median), at least {TIMES:.0f}", middle >= TIMES))
    return figure
