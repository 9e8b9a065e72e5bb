"""Rows that views have gained together, made ready at once to be appended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.engines.arrow import WEIGHT
from belvedere.engines.result import Metrics
from belvedere.store.commit import Commit
from belvedere.store.model import Collection
from belvedere.store.parquet import to_physical
from belvedere.store.ready import Numbers, Ready, form_of

#: rows of one of them: with more, it is looked at by itself; and of all, which lie in memory twice until they are appended
MANY, ALL = 10_000, 131_072


class Gained(Protocol):
    """The rows of several plans; by row, the plan that it is of, unless all have the same rows."""

    @property
    def plans(self) -> Sequence[Node]: ...

    @property
    def spent(self) -> Sequence[Metrics]: ...

    @property
    def rows(self) -> pa.Table: ...

    @property
    def numbers(self) -> Numbers | None: ...

    @property
    def counts(self) -> list[int]: ...

    def __getitem__(self, at: int) -> tuple[pa.Table, Metrics]: ...


def make_ready(commit: Commit, targets: Sequence[Collection], gained: Gained) -> dict[str, Ready]:
    """What each of the collections gains, if that is anything."""
    if sum(gained.counts) > ALL:
        return {}
    some = [n for n, count in enumerate(gained.counts) if count]
    owners = [targets[n] for n in some]
    order = _in_common(owners, [gained.plans[n] for n in some])
    made = None
    if order is not None and gained.numbers is not None and max(gained.counts) <= MANY:
        place = np.zeros(len(targets), dtype=np.int64)
        place[some] = np.arange(len(some))
        columns = [*(gained.rows.column(at) for at in order), gained.rows.column(WEIGHT.name)]
        fitted = [a if a.type == f.type else a.cast(f.type) for a, f in zip(columns, owners[0].physical, strict=True)]
        whole = pa.Table.from_arrays(fitted, schema=owners[0].physical)
        made = commit.ready_parts(owners, whole, place[gained.numbers])
    if made is None:
        made = commit.ready([(c, to_physical(gained[n][0], c)) for c, n in zip(owners, some, strict=True)])
    return {c.name: ready for c, ready in zip(owners, made, strict=True)}


def _in_common(owners: Sequence[Collection], plans: Sequence[Node]) -> list[int] | None:
    """Where the columns of the collections are in the plans, if that and their form are the same for all."""
    if len({form_of(c) for c in owners}) != 1:
        return None
    found = {_places(c, plan) for c, plan in zip(owners, plans, strict=True)}
    return list(*found) if len(found) == 1 else None


def _places(owner: Collection, plan: Node) -> tuple[int, ...]:
    """The columns of a collection in its plan, which remembers them."""
    known: tuple[Collection, tuple[int, ...]] | None = plan.__dict__.get("_columns_of")
    if known is None or known[0] is not owner:
        names = plan.schema.names
        known = plan.__dict__["_columns_of"] = owner, tuple(names.index(x.name) for x in owner.schema)
    return known[1]
