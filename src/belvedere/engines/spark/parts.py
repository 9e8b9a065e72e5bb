"""Rows that Spark's workers fetch from elsewhere, part by part: a data source in Python; how to read a part, others know."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from belvedere import errors
from belvedere.errors import BelvedereError, EngineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

P = TypeVar("P")

NAME = "belvedere_parts"
_SAID = re.compile(r"<<part (\w+): (.*?) part>>", re.S)


def frame_of(session: SparkSession, parts: Sequence[P], read: Callable[[P], Iterable[pa.Table]], rows: pa.Schema) -> DataFrame:
    """One task for each part. Parts and `read` travel to the workers with the class, not as options, which plans would show:
    there may be passwords in them."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.pandas.types import from_arrow_schema

    shape = from_arrow_schema(rows, prefer_timestamp_ntz=True)
    known = NAME

    class Reader(DataSourceReader):
        def partitions(self) -> Sequence[InputPartition]:
            return [InputPartition(i) for i in range(len(parts))]

        def read(self, partition: InputPartition) -> Iterator[Any]:
            try:
                for table in read(parts[partition.value]):
                    yield from table.to_batches()
            except BelvedereError as e:
                raise RuntimeError(f"<<part {type(e).__name__}: {e} part>>") from None

    class Parts(DataSource):
        @classmethod
        def name(cls) -> str:
            return known

        def schema(self) -> Any:
            return shape

        def reader(self, schema: Any) -> DataSourceReader:
            return Reader()

    session.dataSource.register(Parts)
    return session.read.format(NAME).load()


def said(error: EngineError) -> BelvedereError:
    """What a worker had to say, if it was one of ours who could not read a part."""
    found = _SAID.search(str(error.__cause__))
    kind = getattr(errors, found[1], None) if found else None
    return kind(found[2]) if found and isinstance(kind, type) and issubclass(kind, BelvedereError) else error
