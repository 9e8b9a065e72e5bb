"""Spark's errors as ours: the condition and its message, without the stack of the JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from belvedere.engines.function import complaint
from belvedere.errors import EngineError


@contextmanager
def spark_errors() -> Iterator[None]:
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as e:
        text = str(e).strip()
        first = text.split("\n\n")[0].split("\nJVM stacktrace")[0].strip()
        raise EngineError(complaint(text) or f"Spark: {first[:1000]}") from e
