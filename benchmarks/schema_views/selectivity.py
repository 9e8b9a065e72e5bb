"""Fig 21: a relation with a tenth of the tuples is deleted under views of several selectivities."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.schema_views.flights import Airlines, bound_for, by_type
from benchmarks.schema_views.measure import Figure, Setting, in_turns
from benchmarks.schema_views.relations import SIZES

import belvedere as bv

SELECTIVITIES = (0.02, 0.1, 0.25, 0.5, 0.75, 1.0)


def figure21(figure: Figure, setting: Setting) -> Iterator[str]:
    """One view at a time, so that none waits for another."""
    yield "loading"
    right = []
    with bv.open(setting.directory / f"fig21-{figure.scale}", engine=setting.engine) as wh:
        airlines = Airlines.of_sizes(wh, [n * figure.scale for n in SIZES])
        whole = airlines.cells(bound_for(1))
        for selectivity in SELECTIVITIES:
            bound = bound_for(selectivity)
            yield f"selectivity {selectivity}: making the view"
            view = wh.create_view("prices", by_type(bound), language="schemasql")
            ways = {
                "incremental": (partial(airlines.drop, ["AIRLINE_1"]), "incremental"),
                "recompute": (partial(airlines.drop, ["AIRLINE_1"]), "recompute"),
            }
            restore = partial(airlines.make_again, ["AIRLINE_1"])
            found = yield from in_turns(wh, view, setting.repeat, f"selectivity {selectivity}", ways, restore)
            figure.compare(f"selectivity {selectivity}", {"selectivity": airlines.cells(bound) / whole}, found)
            right.append(view.verify().ok)
            wh.drop_view("prices")
    figure.verified = all(right)
    figure.facts |= {"base tuples": sum(SIZES) * figure.scale, "deleted": f"{airlines.data['AIRLINE_1'].num_rows:,} tuples"}
