"""The series of batches that every view goes through."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.tpch.batches import EVEN, Batches
from benchmarks.tpch.changes import Batch

SERIES: tuple[Callable[[Batches], Batch], ...] = (
    lambda b: b.rf1(15),
    lambda b: b.rf2(15),
    lambda b: b.updates(120, EVEN),
    lambda b: b.small_deletes(),
    lambda b: b.everywhere(8),
    lambda b: b.empty(),
    lambda b: b.rf1_and_rf2(20),
    lambda b: b.updates(60),
)
