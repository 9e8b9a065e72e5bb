"""The choice between maintaining a view and recomputing it: evaluation, writing, merging, and what this view took lately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from belvedere.planning.choice import Choice, choose
from belvedere.planning.cost import Work
from belvedere.store.model import SMALL
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.inputs import Inputs
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.writing import writing


def weigh(
    core: Core,
    d: Definition,
    inputs: Inputs,
    resolver: Resolver,
    reading: Mapping[str, Work],
    engines: Mapping[str, Sequence[str]],
    why_not: Mapping[str, str],
    *,
    later: bool = False,
) -> Choice:
    """reading: strategy → what evaluating reads, for those that are possible and allowed. `later`: other views are refreshed
    before, in the same epoch."""
    writes = writing(core, d, inputs, resolver)
    written = {"incremental": writes.maintaining, "recompute": writes.recomputing}
    work = {s: w + written[s] for s, w in reading.items()}
    factors = {}
    if len(work) > 1 and inputs.rows >= SMALL:  # for less, fixed costs and the noise of a clock would decide
        known = core.experience(d.name)
        factors = {s: known.factor(s, inputs.rows, core.costs(), later=later) for s in work}
    after = {"incremental": writes.merging}
    return choose(
        work, engines, core.costs(), after=after, factors=factors, afterwards=core.merges.factor(core.costs()), why_not=why_not
    )
