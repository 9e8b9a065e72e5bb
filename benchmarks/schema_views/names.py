"""Renames and drops of what gives the view its names: they must cost the same over ten rows and over a million.

Four views: relations or columns of the base become columns or relations of the view.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
from benchmarks.schema_views.flights import SEED, city
from benchmarks.schema_views.measure import Bar, Figure, Setting, Took

import belvedere as bv

COUNT = 4
NAMES = tuple(f"N{n}" for n in range(1, COUNT + 1))
_RELATIONS = "from air-> R, air::R T"
_COLUMNS = "from wide::prices-> C, wide::prices T where C <> 'Destination'"
VIEWS = {
    "relation → column": f"create view v(Destination, R) as select T.Destination, T.Price {_RELATIONS}",
    "relation → relation": f"create view R(Destination, Price) as select T.Destination, T.Price {_RELATIONS}",
    "column → column": f"create view v(Destination, C) as select T.Destination, T.C {_COLUMNS}",
    "column → relation": f"create view C(Destination, Price) as select T.Destination, T.C {_COLUMNS}",
}


def names(figure: Figure, setting: Setting) -> Iterator[str]:
    """Every view at every size; what must be equal are the counts."""
    found: dict[tuple[str, str, int], Took] = {}
    right = []
    for rows in setting.rows:
        for view, text in VIEWS.items():
            yield f"{rows:,} rows: {view}"
            place = setting.directory / f"names-{rows}-{list(VIEWS).index(view)}"
            for change, took, ok in _one(place, setting, text, view.startswith("relation"), rows):
                found[view, change, rows] = took
                right.append(ok)
    figure.verified = all(right)
    for (view, change, rows), took in found.items():
        figure.samples[f"{view}, {change}, {rows} rows"] = took
        figure.points.append({
            "name": view, "change": change, "rows": rows, "ms": took.median * 1000, "cpu ms": median(took.cpu) * 1000,
            "rows read": _only(took.rows_read), "bytes": _only(took.bytes_written),
        })  # fmt: skip
    _judge(figure, setting)


def _one(place: Path, setting: Setting, text: str, of_relations: bool, rows: int) -> Iterator[tuple[str, Took, bool]]:
    with bv.open(place, engine=setting.engine) as wh:
        (_load_relations if of_relations else _load_columns)(wh, rows)
        view = wh.create_view("kept", text, language="schemasql")
        renamed, dropped = Took(), Took()
        for n in range(2 * setting.repeat):
            old, new = (NAMES[0], "M") if n % 2 == 0 else ("M", NAMES[0])
            with wh.transaction() as tx:
                if of_relations:
                    tx.rename_relation(f"air.{old}", f"air.{new}")
                else:
                    tx.rename_attribute("wide.prices", old, new)
            renamed.follow(view, "incremental")
        yield "rename", renamed, view.verify().ok
        for name in NAMES[1:]:
            with wh.transaction() as tx:
                if of_relations:
                    tx.drop_relation(f"air.{name}")
                else:
                    tx.drop_attribute("wide.prices", name)
            dropped.follow(view, "incremental")
        yield "drop", dropped, view.verify().ok


def _load_relations(wh: bv.Warehouse, rows: int) -> None:
    """So many rows in all, in relations with a price each."""
    rng = random.Random(SEED)
    for n, name in enumerate(NAMES):
        mine = rows // COUNT + (n < rows % COUNT)
        wh.create_table(f"air.{name}", "Destination string, Price int")
        wh.load(f"air.{name}", pa.table({"Destination": _cities(mine), "Price": _prices(rng, mine)}))


def _load_columns(wh: bv.Warehouse, rows: int) -> None:
    """One relation of so many rows, with a column for each name."""
    rng = random.Random(SEED)
    wh.create_table("wide.prices", "Destination string, " + ", ".join(f"{n} int" for n in NAMES))
    wh.load("wide.prices", pa.table({"Destination": _cities(rows), **{n: _prices(rng, rows) for n in NAMES}}))


def _cities(count: int) -> Any:
    return pa.array([city(n) for n in range(count)], pa.string())


def _prices(rng: random.Random, count: int) -> Any:
    return pa.array(rng.choices(range(100, 2000), k=count), pa.int32())


def _only(counts: list[int]) -> int | str:
    """The count, if it is always the same."""
    return counts[0] if len(set(counts)) == 1 else f"{min(counts):,} to {max(counts):,}"


def _judge(figure: Figure, setting: Setting) -> None:
    """Counts equal at all sizes; the time at the largest size to that at the smallest is told."""
    small, large = min(setting.rows), max(setting.rows)
    differ, ratios = [], []
    for view in VIEWS:
        for change in ("rename", "drop"):
            mine = [p for p in figure.points if (p["name"], p["change"]) == (view, change)]
            if len({(p["rows read"], p["bytes"]) for p in mine}) > 1:
                differ.append(f"{view}, {change}")
            by_rows = {p["rows"]: p[f"{'cpu ' if figure.clock == 'cpu' else ''}ms"] for p in mine}
            ratios.append(by_rows[large] / by_rows[small])
    text = f"as many rows read and bytes written over {large:,} rows as over {small:,}"
    figure.bars = [Bar(text, not differ, "equal" if not differ else "not for " + "; ".join(differ))]
    figure.facts = {f"{figure.clock} at {large:,} : at {small:,}": f"median {median(ratios):.2f}, at most {max(ratios):.2f}"}
