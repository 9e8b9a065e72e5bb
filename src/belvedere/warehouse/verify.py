"""Does the maintained view equal the view recomputed? The comparison runs in the engine; only differences come back."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from belvedere.algebra.ops import Consolidate, Negate, UnionAll, keep
from belvedere.changes.zset import difference, negate, negative, positive
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.resolve import Overlay, Resolver

#: sums of floats may differ by the order of summation
FLOAT_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Verification:
    """missing: rows that the view lacks; extra: rows that it should not have; both with their number in `_w`."""

    view: str
    epoch: int
    engine: str
    missing: pa.Table
    extra: pa.Table
    mode: str = "full"

    @property
    def ok(self) -> bool:
        return bool(self.missing.num_rows == 0 and self.extra.num_rows == 0)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return f"{self.view}: equals recomputation ({self.mode}, on {self.engine}, epoch {self.epoch})"
        return f"{self.view}: {self.missing.num_rows} rows missing, {self.extra.num_rows} rows too many (epoch {self.epoch})"


def verify(core: Core, d: Definition, epoch: int, engine: str, instead: Overlay | None = None) -> Verification:
    """Compare the stored view with its definition evaluated over what it reads, both as of the epoch it was brought up to.
    `instead` replaces collections that it reads."""
    resolver = Resolver(core.store, until=epoch, overlay=instead)
    names = d.node.schema.names[: len(d.columns)]
    gap = Consolidate(UnionAll((keep(d.node, names), Negate(d.visible))))
    found, _ = core.engine(engine).run(gap, resolver, measured=False)
    shown = [*d.columns, "_w"]
    missing, extra = positive(found).rename_columns(shown), negate(negative(found)).rename_columns(shown)
    if found.num_rows and any(pa.types.is_floating(f.type) or pa.types.is_nested(f.type) for f in found.schema):
        missing, extra = difference(missing, extra, tolerance=FLOAT_TOLERANCE)
    return Verification(d.name, epoch, engine, missing, extra)
