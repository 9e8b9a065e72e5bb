"""Several plans as one, for an engine whose statements cost more than the rows they work on.

The rows of all plans are one bag: each has the number of its plan, and columns of the same type share their places, NULL where a
plan has none. Law: a union all of plans is the sum of their rows, and the number tells them apart again. What two plans have in
common under a name is worked out once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Project, Share, UnionAll
from belvedere.algebra.scalar import Scalar, col, integer, null
from belvedere.algebra.types import DataType, Schema

#: the column that holds the number of the plan
PLAN = "plan"

#: a type, and the how-manieth column of it
Place = tuple[DataType, int]


def bundled(plans: Sequence[Node]) -> Node:
    """One plan for all of them."""
    apart = _Apart()
    nodes = [p.transform(apart) for p in plans]
    places = _places(plans)
    return UnionAll(tuple(_placed(n, node, places) for n, node in enumerate(nodes)))


def apart(rows: pa.Table, plans: Sequence[Node]) -> list[pa.Table]:
    """The rows of each plan, with its own columns and the weight."""
    names = {place: f"c{n}" for n, place in enumerate(_places(plans))}
    numbers = rows.column(PLAN)
    found = []
    for n, plan in enumerate(plans):
        mine = rows.filter(pc.equal(numbers, n))
        columns = [mine.column(names[p]) for p in _of(plan.schema)]
        found.append(pa.Table.from_arrays([*columns, mine.column("_w")], names=[*plan.schema.names, "_w"]))
    return found


class _Apart:
    """Gives parts with a name of their own a name that is theirs in all plans: the same part has the same one."""

    def __init__(self) -> None:
        self._names: dict[Node, str] = {}

    def __call__(self, node: Node) -> Node:
        if not isinstance(node, Share):
            return node
        stem = node.name.rpartition("_")[0] or node.name
        return Share(node.input, self._names.setdefault(node.input, f"{stem}_{len(self._names) + 1}"))


def _of(schema: Schema) -> list[Place]:
    seen: Counter[DataType] = Counter()
    found = []
    for c in schema:
        found.append((c.type, seen[c.type]))
        seen[c.type] += 1
    return found


def _places(plans: Sequence[Node]) -> list[Place]:
    """Those that some plan needs."""
    return list(dict.fromkeys(p for plan in plans for p in _of(plan.schema)))


def _placed(number: int, node: Node, places: list[Place]) -> Node:
    mine: dict[Place, Scalar] = {p: col(c) for p, c in zip(_of(node.schema), node.schema, strict=True)}
    items = [(f"c{n}", mine[p] if p in mine else null(p[0])) for n, p in enumerate(places)]
    return Project(node, ((PLAN, integer(number)), *items))
