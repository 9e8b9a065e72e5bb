"""The types of CSV columns when no schema says them: the narrowest of a short list that fits every value of the file."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.types import Column, DataType, Schema

# In this order; the first that fits every value wins. A number with a leading zero is a code, not a number.
_CANDIDATES: tuple[tuple[DataType, str], ...] = (
    (T.Boolean(), r"^(?i:true|false)$"),
    (T.BigInt(), r"^-?(0|[1-9][0-9]{0,17})$"),
    (T.Decimal(38, 0), r"^-?(0|[1-9][0-9]{0,37})$"),
    (T.Double(), r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$"),
    (T.Date(), r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
    (T.Timestamp(), r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$"),
)


def infer_text(batches: Iterable[pa.RecordBatch], names: list[str]) -> Schema:
    """Look at every value once; a column without any value is a string."""
    possible: dict[str, list[tuple[DataType, str]]] = {n: list(_CANDIDATES) for n in names}
    seen: set[str] = set()
    for batch in batches:
        for name, values in zip(names, batch.columns, strict=True):
            if values.null_count == len(values):
                continue
            seen.add(name)
            possible[name] = [(t, p) for t, p in possible[name] if _fits(values, p)]
    return Schema(tuple(Column(n, possible[n][0][0] if n in seen and possible[n] else T.String()) for n in names))


def _fits(values: pa.Array, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(values, pattern)).as_py() is True
