"""What is known of data files without reading them. Files never change, so it is asked once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from belvedere.errors import EngineError


@dataclass(frozen=True)
class Footer:
    columns: frozenset[str]
    rows: int
    groups: int = 1


class Footers:
    """Footers by path; forgets the oldest when it holds too many."""

    def __init__(self, limit: int = 20_000) -> None:
        self._limit = limit
        self._known: dict[str, Footer] = {}

    def __getitem__(self, path: str) -> Footer:
        found = self._known.get(path)
        if found is None:
            try:
                meta = pq.read_metadata(path)
            except (OSError, pa.ArrowInvalid) as e:
                raise EngineError(f"cannot read the data file {path}: {e}") from e
            found = Footer(frozenset(meta.schema.to_arrow_schema().names), meta.num_rows, meta.num_row_groups)
            if len(self._known) >= self._limit:
                self._known.pop(next(iter(self._known)))
            self._known[path] = found
        return found

    def drop(self, path: str) -> int:
        """It is not read any more, or not often. Of how many chunks its footer told."""
        gone = self._known.pop(path, None)
        return 0 if gone is None else gone.groups * len(gone.columns)

    def groups(self, paths: Iterable[str]) -> int:
        return sum(self[p].groups for p in paths)

    def rows(self, paths: Iterable[str]) -> int:
        return sum(self[p].rows for p in paths)
