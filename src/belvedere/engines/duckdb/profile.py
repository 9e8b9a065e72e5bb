"""What a statement read, from DuckDB's own profile.

For a Parquet scan DuckDB tells how many row groups it opened of how many. The rows of the opened row groups are what had
to be decoded, so those are counted, and not only the rows that were left after filters. A scan that is stopped early, because
nobody wants its rows, tells only of the row groups that it came to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from belvedere.engines.duckdb.scans import Scans
from belvedere.engines.result import Metrics


def read_profile(text: str, scans: Scans, seconds: float, sql: str) -> Metrics:
    metrics = Metrics(seconds=seconds, sql=sql, scanned=dict(scans.memory), fetched=sum(scans.memory.values()))
    profile = json.loads(text)
    metrics.bytes_read = int(profile.get("io", {}).get("total_bytes_read", 0))
    for operator in _walk(profile.get("operator", [])):
        info = operator.get("extra_info", {})
        if info.get("Function") != "READ_PARQUET":
            continue
        name, files = _source(str(info.get("Filename(s)", "")), scans)
        metrics.files += len(files)
        rows = _rows(operator, scans.footers.rows(files), scans.footers.groups(files))
        metrics.scanned[name] = metrics.scanned.get(name, 0) + rows
        metrics.fetched += min(rows, int(operator.get("rows_scanned", rows)))
    metrics.rows_read = sum(metrics.scanned.values())
    return metrics


def _walk(operators: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for o in operators:
        yield o
        yield from _walk(o.get("children", []))


def _source(names: str, scans: Scans) -> tuple[str, tuple[str, ...]]:
    """The collection and files of a scan, by the first file that the profile names."""
    best = max((f for f in scans.reads if names.startswith(f)), key=len, default=None)
    return scans.reads[best] if best is not None else ("", ())


def _rows(operator: dict[str, Any], total: int, groups: int) -> int:
    opened = int(operator.get("row_groups_scanned", 0))
    if not int(operator.get("total_row_groups_to_scan", 0)) or not groups:
        return 0
    return max(int(operator.get("rows_scanned", 0)), min(total, -(-total * opened // groups)))
