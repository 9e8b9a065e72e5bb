"""Figs 19 and 20: tuples deleted one transaction each, and what those cost that change the schema of the view."""

from __future__ import annotations

import random
from collections.abc import Iterator
from statistics import median
from typing import Any

import pyarrow.compute as pc
from benchmarks.schema_views.flights import BOUND, SEED, TYPES, Airlines, by_type, flights
from benchmarks.schema_views.measure import Bar, Figure, Setting, Took
from benchmarks.schema_views.relations import SIZES

import belvedere as bv

#: a change of the schema may cost so many times a change of data; what is above 1 is noise
SCHEMA = 1.5


def figure19(figure: Figure, setting: Setting) -> Iterator[str]:
    """Random tuples that are in the view, one after the other, against one recomputation at the end."""
    yield "loading"
    with bv.open(setting.directory / f"fig19-{figure.scale}", engine=setting.engine) as wh:
        airlines = Airlines.of_sizes(wh, [n * figure.scale for n in SIZES])
        yield "making the view"
        view = wh.create_view("prices", by_type(), language="schemasql")
        doomed = _some(airlines, setting.tuples + 1)
        _delete(wh, view, *doomed.pop(), Took())  # makes the plan
        took, again = Took(), Took()
        for n, (name, row) in enumerate(doomed, 1):
            _delete(wh, view, name, row, took)
            if n % 10 == 0:
                yield f"deleting tuple {n} of {len(doomed)}"
        for _ in range(setting.repeat):
            yield "recomputing"
            again.follow(view, "recompute")
        yield "verifying"
        figure.verified = view.verify().ok
    figure.samples = {"delete": took, "recompute": again}
    size, at = airlines.cells(), again.median / took.median
    for n in sorted({1, *range(50, len(doomed) + 1, 50), len(doomed)}):
        spent = sum(took.seconds[:n])
        figure.points.append({
            "deleted": n, "cumulative ms": spent * 1000, "recompute ms": again.median * 1000,
            "ratio": spent / again.median, "last read rows": took.rows_read[n - 1],
        })  # fmt: skip
    figure.facts = {
        "median ms of one": took.median * 1000, "values in the view": size,
        "crossover": f"after {at:,.1f} tuples, {at / size:.2%} of the view (the paper: 200, 25%)",
    }  # fmt: skip


def _some(airlines: Airlines, count: int) -> list[tuple[str, dict[str, Any]]]:
    """Random tuples that have a price in the view, with the relation of each; all are equally likely."""
    places: list[tuple[str, int]] = []
    for name, table in airlines.data.items():
        inside = pc.or_(*(pc.less_equal(table.column(t), BOUND) for t in TYPES)).to_pylist()
        places += [(name, n) for n, there in enumerate(inside) if there]
    chosen = random.Random(SEED).sample(places, min(count, len(places)))
    return [(name, airlines.data[name].slice(n, 1).to_pylist()[0]) for name, n in chosen]


def _delete(wh: bv.Warehouse, view: bv.View, name: str, row: dict[str, Any], took: Took) -> None:
    with wh.transaction() as tx:
        tx.delete(name, rows=[row])
    took.follow(view, "incremental")


def figure20(figure: Figure, setting: Setting) -> Iterator[str]:
    """The paper's sequence, several times: 10 tuples come to R1, all 10 of R2 go, all 11 of R1 go, 10 of R3 go. The last of
    R2 and the last of R1 each take a column from the view."""
    yield "loading"
    sizes = (1, 10, 100 * figure.scale, 1000 * figure.scale)
    rng = random.Random(SEED)
    with bv.open(setting.directory / f"fig20-{figure.scale}", engine=setting.engine) as wh:
        # every price is in the view, so the last tuple of a relation is the last of its column
        airlines = Airlines(wh, {f"AIRLINE_{n}": flights(range(s), rng, highest=BOUND) for n, s in enumerate(sizes, 1)})
        yield "making the view"
        view = wh.create_view("prices", by_type(), language="schemasql")
        kinds: dict[str, Took] = {k: Took() for k in ("insert", "delete", "delete, schema changes")}
        steps = _Steps(airlines, view)
        for n in range(setting.repeat + 1):
            yield f"round {n} of {setting.repeat}" if n else "a round that is not counted: it makes the plans"
            for kind, took in steps.round():
                if n:
                    _note(kinds[kind], took)
            steps.restore()
        yield "verifying"
        figure.verified = view.verify().ok
    figure.samples = dict(kinds)
    for kind, took in kinds.items():
        figure.points.append({
            "update": kind, "times": len(took.seconds), "median ms": took.median * 1000, "most ms": max(took.seconds) * 1000,
            "cpu ms": median(took.cpu) * 1000, "rows read": int(median(took.rows_read)),
        })  # fmt: skip
    ratio = kinds["delete, schema changes"].ratio(kinds["delete"], figure.clock)
    compared = f"schema change : data change ({figure.clock})"
    figure.facts = {"base tuples": sum(sizes), compared: ratio, "the paper": "2,000 ms : 250 ms = 8"}
    text = f"a change of the schema costs at most {SCHEMA} of a change of data"
    figure.bars = [Bar(text, ratio <= SCHEMA, f"{ratio:.2f}")]


class _Steps:
    """The updates of one round, and back."""

    def __init__(self, airlines: Airlines, view: bv.View) -> None:
        self.wh, self.view, self.data = airlines.wh, view, airlines.data
        self.more = flights(range(1, 11), random.Random(SEED + 1), highest=BOUND).to_pylist()
        self.first = {n: self.data[n].slice(0, 10).to_pylist() for n in ("AIRLINE_1", "AIRLINE_2", "AIRLINE_3")}

    def round(self) -> Iterator[tuple[str, Took]]:
        for row in self.more:
            yield self._step("insert", "AIRLINE_1", row)
        for name, rows in (
            ("AIRLINE_2", self.first["AIRLINE_2"]),
            ("AIRLINE_1", [*self.more, *self.first["AIRLINE_1"]]),
            ("AIRLINE_3", self.first["AIRLINE_3"]),
        ):
            for row in rows:
                yield self._step("delete", name, row)

    def restore(self) -> None:
        with self.wh.transaction() as tx:
            for name, rows in self.first.items():
                tx.insert(name, rows)
        self.view.refresh()

    def _step(self, kind: str, name: str, row: dict[str, Any]) -> tuple[str, Took]:
        columns = self.view.columns
        with self.wh.transaction() as tx:
            if kind == "insert":
                tx.insert(name, [row])
            else:
                tx.delete(name, rows=[row])
        took = Took()
        took.follow(self.view, "incremental")
        return (kind if self.view.columns == columns else f"{kind}, schema changes"), took


def _note(kept: Took, one: Took) -> None:
    kept.seconds += one.seconds
    kept.cpu += one.cpu
    kept.rows_read += one.rows_read
    kept.bytes_written += one.bytes_written
