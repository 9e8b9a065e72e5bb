"""The table of lowerings. Importing it fails if an operator of the algebra has none: dispatch that cannot forget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from belvedere.algebra import ops as algebra
from belvedere.algebra.node import OPERATORS, Node
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.lowering import Lowering
from belvedere.engines.sql.ops import (
    aggregate,
    closure,
    consolidate,
    explode,
    filter_,
    get,
    join,
    keys,
    outer_join,
    project,
    semi_join,
    share,
    tally,
    top_k,
    union_all,
    values,
    weights,
    window,
)

LOWERINGS: dict[type[Node], Callable[[Any, Lowering], Block]] = {
    algebra.Aggregate: aggregate.lower,
    algebra.Closure: closure.lower,
    algebra.Consolidate: consolidate.lower,
    algebra.Explode: explode.lower,
    algebra.Filter: filter_.lower,
    algebra.Get: get.lower,
    algebra.Join: join.lower,
    algebra.Keys: keys.lower,
    algebra.Negate: weights.negate,
    algebra.OuterJoin: outer_join.lower,
    algebra.Positive: consolidate.positive,
    algebra.Project: project.lower,
    algebra.Scale: weights.scale,
    algebra.SemiJoin: semi_join.lower,
    algebra.Share: share.lower,
    algebra.Tally: tally.lower,
    algebra.TopK: top_k.lower,
    algebra.UnionAll: union_all.lower,
    algebra.Values: values.lower,
    algebra.Window: window.lower,
}


def missing(table: dict[type[Node], Any]) -> list[str]:
    """Operators of the algebra that a dispatch table lacks."""
    return [op.__name__ for op in OPERATORS if op not in table and op.__module__.startswith(algebra.__name__)]


if missing(LOWERINGS):
    raise TypeError(f"no lowering to SQL for {', '.join(missing(LOWERINGS))}: add one in engines/sql/ops")
