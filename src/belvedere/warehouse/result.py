"""The answer to a query, in the form its reader wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Get
from belvedere.changes.zset import expand, to_rows
from belvedere.engines.scan import Scan
from belvedere.errors import BelvedereError
from belvedere.objects.model import ObjectModel
from belvedere.objects.result import ResultType
from belvedere.warehouse.core import Core


class Result:
    """Rows of a query or a view. Evaluated when first asked for; `.df()` stays on Spark."""

    def __init__(
        self,
        core: Core,
        node: Node,
        resolve: Callable[[Get], Scan],
        columns: Sequence[str],
        order: Sequence[Any] = (),
        engine: str = "duckdb",
        objects: tuple[ResultType, ObjectModel] | None = None,
    ) -> None:
        self._core, self._node, self._resolve = core, node, resolve
        self._columns, self._order, self._engine = tuple(columns), tuple(order), engine
        self._objects = objects
        self._table: pa.Table | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns

    def arrow(self) -> pa.Table:
        """A pyarrow Table."""
        if self._table is None:
            z, _ = self._core.engine(self._engine).run(Consolidate(self._node), self._resolve, measured=False)
            table = expand(z)
            if self._order:
                keys = [(k.column, "descending" if k.descending else "ascending") for k in self._order]
                table = table.take(_sorted(table, keys, [k.nulls_first for k in self._order]))
            # columns that only the order needs stand at the end
            self._table = table.select(list(range(len(self._columns)))).rename_columns(list(self._columns))
        return self._table

    def rows(self) -> list[dict[str, Any]]:
        """Plain Python rows."""
        return to_rows(self.arrow())

    def objects(self) -> Any:
        """What an OQL query gives, as plain Python: collections of the right kind, records, Oids, or a single value."""
        if self._objects is None:
            raise BelvedereError("objects() is for queries and views in OQL; use rows(), arrow() or pandas() here")
        from belvedere.languages.oql.decode import decode

        found, model = self._objects
        return decode(self.arrow(), found.type, found.members, model)

    def pandas(self) -> Any:
        """A pandas DataFrame."""
        return self.arrow().to_pandas()

    def df(self) -> Any:
        """A Spark DataFrame."""
        return self._core.spark.dataframe(self._node, self._resolve, self._columns, self._order)

    def __len__(self) -> int:
        return int(self.arrow().num_rows)


def _sorted(table: pa.Table, keys: list[tuple[str, str]], nulls_first: list[bool]) -> Any:
    """Row numbers in order; each key with its own place for NULLs."""
    frame: dict[str, Any] = {}
    order: list[tuple[str, str]] = []
    for i, ((column, direction), first) in enumerate(zip(keys, nulls_first, strict=True)):
        frame[f"null{i}"], frame[f"value{i}"] = pc.is_null(table.column(column)), table.column(column)
        order += [(f"null{i}", "descending" if first else "ascending"), (f"value{i}", direction)]
    return pc.sort_indices(pa.table(frame), sort_keys=order)
