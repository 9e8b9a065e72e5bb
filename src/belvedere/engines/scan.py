"""What a Get reads: the physical side of a leaf, as the store's caller resolves it.

Files, runs in the catalog (`store/inlined.py`, told by their paths) and in-memory tables share one layout: a column is called
`c<id>`, the weight is `_w`. A run may lack a column that was added after it was written (NULL then) and may hold one that was
dropped since (ignored).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.algebra.types import Schema
from belvedere.store.inlined import is_inlined


@dataclass(frozen=True)
class Scan:
    """Runs whose weights, summed over equal rows, are the content of a collection in one version."""

    schema: Schema
    #: paths of runs
    files: tuple[str, ...] = ()
    #: those whose weights count with the other sign
    negative: tuple[str, ...] = ()
    #: runs held in memory
    tables: tuple[pa.Table, ...] = field(default=(), compare=False)
    #: known number of physical rows, files and tables together
    rows: int = 0
    #: no two equal rows, all weights positive
    consolidated: bool = False
    #: no row with a negative weight (equal rows may occur twice): nothing needs to be cancelled before a minimum is taken
    positive: bool = False
    #: columns in which no two rows agree; none if that is not known
    key: tuple[str, ...] = ()
    #: its rows are the finds of a lookup, which counted what it read
    counted: bool = False
    #: the column that large runs are sorted by in the first place, if they are
    leading: str = ""

    @property
    def is_positive(self) -> bool:
        return self.consolidated or self.positive

    @cached_property
    def is_empty(self) -> bool:
        return not self.files and not self.negative and not any(t.num_rows for t in self.tables)

    @cached_property
    def opened(self) -> int:
        """How many files there are to read; a run that lies in the catalog is none."""
        return sum(not is_inlined(f) for f in (*self.files, *self.negative))

    def physical(self, column: str) -> str:
        """The name that a column has in files: `c<id>`."""
        return f"c{self.schema[column].id}"


#: gives the scan behind a leaf; asked once for each leaf of a statement
Resolve: TypeAlias = Callable[[Get], Scan]
