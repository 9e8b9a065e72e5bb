"""The 22 views over TPC-H at two scales, after batches of the same size: what ten times the data does to a refresh."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.book.sheet import Sheet
from benchmarks.tpch.batches import Batches
from benchmarks.tpch.changes import send
from benchmarks.tpch.measure import open_warehouse
from benchmarks.tpch.plain import Plain
from benchmarks.tpch.queries import NAMES, query
from benchmarks.tpch.tables import generate, load

import belvedere as bv

SCALES = (0.1, 1.0)
#: q11, q15 and q22 compare with a sum, a greatest and an average of everything
WHOLE = ("q11", "q15", "q22")


@dataclass
class View:
    """What its refreshes took at one scale."""

    seconds: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    last: bv.Refresh | None = None


def at_scale(scale: float, orders: int, rounds: int, say: Callable[[str], None]) -> tuple[dict[str, View], list[str]]:
    """The views after the same batches, and those that are wrong at the end."""
    with tempfile.TemporaryDirectory(prefix="belvedere-grown-") as place:
        say(f"TPC-H at scale {scale:g}: loading")
        data = generate(scale, Path(place) / "data")
        plain = Plain(data, Path(place) / "plain.duckdb")
        with open_warehouse(Path(place), "duckdb") as wh:
            load(wh, data)
            for name in NAMES:
                say(f"TPC-H at scale {scale:g}: making {name}")
                wh.create_view(name, query(name, scale))
            views = {name: View() for name in NAMES}
            make = Batches(plain, 20261116)
            for turn in range(-1, rounds):  # the first round makes the plans
                say(f"TPC-H at scale {scale:g}: round {turn + 2} of {rounds + 1}")
                for batch in (make.rf1_and_rf2, make.updates):
                    changes = batch(orders)
                    send(wh, changes)
                    plain.apply(changes)
                    for name, view in views.items():
                        began = time.perf_counter()
                        report = wh.view(name).refresh(strategy="incremental")
                        if turn >= 0:
                            view.seconds.append(time.perf_counter() - began)
                            view.rows.append(report.rows_read)
                            view.last = report
            wrong = [f"{n} at scale {scale:g}" for n in NAMES if not wh.view(n).verify().ok]
        plain.close()
    return views, wrong


def measure(orders: int, rounds: int, most_time: float, most_rows: float, say: Callable[[str], None]) -> Sheet:
    """The sheet with its bars."""
    sheet = Sheet(f"TPC-H from scale {SCALES[0]:g} to {SCALES[1]:g}: {orders} orders come, {orders} go; {orders} random updates")
    (small, wrong), (large, also) = (at_scale(s, orders, rounds, say) for s in SCALES)
    times, rows = {}, {}
    for name in NAMES:
        a, b = small[name], large[name]
        times[name] = median(b.seconds) / median(a.seconds)
        rows[name] = median(b.rows) / max(median(a.rows), 1)
        assert b.last is not None
        sheet.points.append({
            "view": name, f"ms at {SCALES[0]:g}": median(a.seconds) * 1000, f"ms at {SCALES[1]:g}": median(b.seconds) * 1000,
            "times": times[name], f"rows read at {SCALES[0]:g}": int(median(a.rows)),
            f"rows read at {SCALES[1]:g}": int(median(b.rows)), "times as many": rows[name], "bytes read": b.last.bytes_read,
            "files": b.last.files, "jobs": b.last.jobs,
        })  # fmt: skip
    grown = median(times.values())
    sheet.bar(f"the median refresh grows at most {most_time:g} times", grown <= most_time, f"{grown:.2f}")
    narrow = {n: r for n, r in rows.items() if n not in WHOLE}
    middle, more = median(narrow.values()), [f"{n} {r:.1f}" for n, r in narrow.items() if r > most_rows]
    sheet.bar(f"rows read grow at most {most_rows:g} times, in the median", middle <= most_rows, f"{middle:.2f}")
    sheet.bar(f"rows read grow at most {most_rows:g} times, in each view without an aggregate of everything", not more,
              ", ".join(more) or "all")  # fmt: skip
    sheet.bar("all equal recomputation", not (wrong or also), ", ".join([*wrong, *also]) or "verified")
    return sheet
