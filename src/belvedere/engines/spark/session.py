"""The Spark session: found or started on first use, quiet, bound to the loopback address.

The engine works in a session of its own beside the user's (same Spark, other settings and temporary names), so neither
disturbs the other. Works on classic Spark and over Spark Connect: only DataFrame and SQL APIs are used.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from belvedere.engines.spark.java import java_problem
from belvedere.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: what results depend on, and what lookups need; set in the engine's own session
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.fieldId.write.enabled": "true",
    "spark.sql.parquet.filterPushdown": "true",
    # an IN list becomes equalities on pages instead of one wide range
    "spark.sql.parquet.pushdown.inFilterThreshold": "1000",
    # listing many small files is no Spark job
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
}

#: many small steps in one job: no broadcast, no adaptive stage of its own, all in one partition so that nothing is exchanged, and
#: no code made for a few rows: to make and to compile it takes longer than the rest of the job
SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
LARGE = {
    "spark.sql.adaptive.enabled": "true",
    # of what lies compressed in files: in memory it is many times that
    "spark.sql.autoBroadcastJoinThreshold": "10m",
    "spark.sql.shuffle.partitions": "8",
}


def start(memory: str, cores: int) -> SparkSession:
    """The session that is active, or a new local one."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    problem = java_problem()
    if problem is not None:
        raise EngineError(f"{problem} Without it, everything that runs in-process works with engine='duckdb'")
    builder = SparkSession.builder.master(f"local[{cores}]").appName("belvedere")
    for name, value in {**SETTINGS, **_LOCAL, "spark.driver.memory": memory}.items():
        builder = builder.config(name, value)
    with _quiet() as log, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return builder.getOrCreate()
        except Exception as e:
            raise EngineError(f"Spark does not start: {e}\n{_tail(log)}") from e


_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # metrics of finished queries are read from the UI's REST API, which listens on the loopback address only
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "200",
    "spark.sql.ui.retainedExecutions": "200",
    "spark.log.level": "OFF",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.shuffle.partitions": "8",
}


def private(session: SparkSession, mode: Mapping[str, str]) -> SparkSession:
    """A session of the engine's own on the same Spark."""
    own = session.newSession()
    for name, value in {**SETTINGS, **mode}.items():
        own.conf.set(name, value)
    return own


@contextmanager
def _quiet() -> Iterator[str]:
    """While Java starts, its standard error goes to a file: it inherits the handle, and keeps it."""
    handle, path = tempfile.mkstemp(prefix="belvedere-spark-", suffix=".log")
    saved = os.dup(2)
    # workers that call Python functions run this very Python, with its libraries
    ours = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    added = {k: v for k, v in ours.items() if k not in os.environ}
    os.environ.update(added)
    os.dup2(handle, 2)
    try:
        yield path
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(handle)
        os.unlink(path)
        for name in added:
            os.environ.pop(name, None)


def _tail(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as f:
        return "".join(f.readlines()[-15:])
