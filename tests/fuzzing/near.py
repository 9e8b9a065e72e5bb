"""Random cases have few rows; lookups before the statement are for leaves with more. So for every other seed none is small."""

from __future__ import annotations

from belvedere.engines.duckdb import narrow

NEAR = narrow.NEAR


def narrow_by(seed: str) -> None:
    """Set for this process how large a leaf must be to be narrowed; the seed alone says it, so a replay does the same."""
    first = seed.partition(":")[0]
    number = int(first) if first.isdecimal() else len(first)  # cases written by hand have a name instead
    narrow.NEAR = 0 if number % 2 else NEAR
