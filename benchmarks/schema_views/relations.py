"""Figs 17 and 18: base relations of several sizes are deleted; and for the crossover, growing parts of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.schema_views.flights import Airlines, by_city, by_type, cells
from benchmarks.schema_views.measure import Bar, Figure, Setting, crossover, in_turns

import belvedere as bv

SIZES = (100, 200, 300, 400)
#: which of them are deleted together besides, to reach most of the view
TOGETHER = ((2, 3), (0, 2, 3), (1, 2, 3))
PARTS = tuple(n / 10 for n in range(1, 10))
#: incremental must win at least up to this part of the view
WINS = 0.75


def figure17(figure: Figure, setting: Setting) -> Iterator[str]:
    """Two output relations."""
    yield "loading"
    with bv.open(setting.directory / f"fig17-{figure.scale}", engine=setting.engine) as wh:
        airlines = Airlines.of_sizes(wh, [n * figure.scale for n in SIZES])
        yield "making the view"
        view = wh.create_view("prices", by_type(), language="schemasql")
        figure.facts |= {"base tuples": sum(SIZES) * figure.scale, "values in the view": airlines.cells()}
        names = list(airlines.data)
        yield from _drops(figure, setting, airlines, view, [[n] for n in names] + [[names[i] for i in t] for t in TOGETHER])
        dropped = len(figure.points)
        yield from _parts(figure, setting, airlines, view)
        yield "verifying"
        figure.verified = view.verify().ok
    _judge(figure, dropped)


def figure18(figure: Figure, setting: Setting) -> Iterator[str]:
    """An output relation for each city."""
    yield "loading"
    with bv.open(setting.directory / f"fig18-{figure.scale}", engine=setting.engine) as wh:
        airlines = Airlines.of_sizes(wh, [n * figure.scale for n in SIZES])
        yield "making the view"
        view = wh.create_view("prices", by_city(), language="schemasql")
        figure.facts |= {"base tuples": sum(SIZES) * figure.scale, "relations of the view": len(view.relations())}
        yield from _drops(figure, setting, airlines, view, [[n] for n in airlines.data])
        yield "verifying"
        figure.verified = view.verify().ok
    worst = max(figure.ratio(p) for p in figure.points)
    figure.bars = [Bar("incremental always wins", worst < 1, f"at worst {worst:.2f} of recomputation, {figure.clock}")]


def _drops(
    figure: Figure, setting: Setting, airlines: Airlines, view: bv.View, groups: Sequence[Sequence[str]]
) -> Iterator[str]:
    for names in groups:
        ways = {
            "batched": (partial(airlines.drop, names), "incremental"),
            "tuples": (partial(airlines.delete_and_drop, names), "incremental"),
            "recompute": (partial(airlines.drop, names), "recompute"),
        }
        restore = partial(airlines.make_again, names)
        found = yield from in_turns(airlines.wh, view, setting.repeat, f"deleting {', '.join(names)}", ways, restore)
        tables = [airlines.data[n] for n in names]
        part = sum(map(cells, tables)) / airlines.cells()
        change = f"drop {sum(t.num_rows for t in tables):,}"
        figure.compare(change, {"change": change, "of the view": part}, found)


def _parts(figure: Figure, setting: Setting, airlines: Airlines, view: bv.View) -> Iterator[str]:
    for part in PARTS:
        rows = airlines.below(part)
        ways = {
            "batched": (partial(airlines.delete, rows), "incremental"),
            "recompute": (partial(airlines.delete, rows), "recompute"),
        }
        restore = partial(airlines.insert, rows)
        found = yield from in_turns(airlines.wh, view, setting.repeat, f"deleting {part:.0%} of the tuples", ways, restore)
        gone = sum(map(cells, rows.values())) / airlines.cells()
        change = f"delete {sum(t.num_rows for t in rows.values()):,}"
        figure.compare(change, {"change": change, "of the view": gone}, found)


def _judge(figure: Figure, dropped: int) -> None:
    """Deleted relations, as in the paper, and parts of all relations up to three quarters, each with a bar of its own."""
    ratios = [(p["of the view"], figure.ratio(p)) for p in figure.points]
    worst = max(ratio for _, ratio in ratios[:dropped])
    reached = max(x for x, _ in ratios[:dropped])
    at = crossover(ratios[dropped:])
    lowest = ratios[dropped][0]
    told = "none up to 90%" if at is None else f"{at:.0%} of the view" if at > lowest else f"below {lowest:.0%} of the view"
    figure.facts["crossover of tuples deleted from all relations"] = f"{told} (the paper: 25%, not batched)"
    bar = f"incremental wins when relations are deleted, up to {reached:.0%} of the view"
    parts = max(ratio for x, ratio in ratios[dropped:] if x <= WINS)
    figure.bars = [
        Bar(bar, worst < 1 and reached >= WINS, f"at worst {worst:.2f} of recomputation, {figure.clock}"),
        Bar(f"and when tuples are, up to {WINS:.0%}", parts < 1, f"at worst {parts:.2f} of recomputation, {figure.clock}"),
    ]
