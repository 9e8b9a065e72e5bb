"""The tour's last page: a table, and a summary that hides nothing."""

from __future__ import annotations

from statistics import median

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from belvedere.cli.demo.shop import TELLS
from belvedere.cli.demo.tour import Line, Tour
from belvedere.cli.output import count


def duration(seconds: float) -> str:
    """
    >>> duration(0.0042), duration(0.25), duration(12.345)
    ('4 ms', '250 ms', '12.3 s')
    """
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def table(tour: Tour, *, recomputed_on: str) -> Table:
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    made.add_column("view")
    made.add_column("batch", justify="right")
    made.add_column("strategy")
    made.add_column("engine")
    for name in ("rows read", "time", f"recompute on {recomputed_on}", "speed-up"):
        made.add_column(name, justify="right")
    made.add_column("")
    for line in sorted(tour.lines, key=lambda one: (list(TELLS).index(one.view), one.batch)):
        made.add_row(*_cells(line))
    return made


def _cells(line: Line) -> tuple[RenderableType, ...]:
    verdict = Text("verified", style="green") if line.verified else Text("DIFFERS", style="bold red")
    strategy, engine = (line.strategy, line.engine) if line.worked else ("not touched", "")
    return (
        line.view, f"{line.batch:,}", strategy, engine, f"{line.rows_read:,}", duration(line.seconds),
        duration(line.recompute), f"{line.speedup:,.1f}×" if line.worked else "", verdict,
    )  # fmt: skip


def summary(tour: Tour, *, recomputed_on: str) -> str:
    """What the table says, in words, the unflattering part too."""
    wrong = [line for line in tour.lines if not line.verified]
    worked = [line for line in tour.lines if line.worked]
    slower = [line for line in worked if line.speedup < 1]
    said = [f"{tour.rows:,} rows loaded, {len(worked)} refresh{'' if len(worked) == 1 else 'es'}, {tour.seconds:.0f} s in all."]
    if wrong:
        names = ", ".join(f"{line.view} after {line.batch:,} changes" for line in wrong)
        said.append(f"{len(wrong)} DIFFER from their recomputation: {names}. That is a fault; please report it.")
    else:
        said.append("Every view equals its recomputation, row by row.")
    if len(worked) < len(tour.lines):
        said.append(f"{count(len(tour.lines) - len(worked), 'time')} a batch could not matter to a view, so nothing was done.")
    if worked:
        said.append(_pace(median(line.speedup for line in worked), recomputed_on))
    if 0 < len(slower) < len(worked):
        names = ", ".join(f"{line.view} ({line.batch:,} rows, {line.strategy})" for line in slower)
        said.append(f"Not faster than recomputing: {names}.")
    return " ".join(said)


def _pace(speedup: float, recomputed_on: str) -> str:
    if speedup >= 1:
        return f"At the median, a refresh was {speedup:,.1f} times as fast as recomputing on {recomputed_on}."
    return (
        f"At the median, a refresh took {1 / speedup:,.1f} times as long as recomputing on {recomputed_on}, which counts storing "
        "the result as free: on data this small, maintenance does not pay."
    )


def show(console: Console, tour: Tour, *, recomputed_on: str) -> None:
    console.print(Group(Text(), table(tour, recomputed_on=recomputed_on), Text(summary(tour, recomputed_on=recomputed_on))))
