"""A session on the cluster: an application of its own (spark://…), or a client of a Connect server (sc://…)."""

from __future__ import annotations

from typing import Any

from cluster import SETTINGS
from pyspark.sql import SparkSession


def session(url: str) -> Any:
    if url.startswith("sc://"):
        return SparkSession.builder.remote(url).getOrCreate()
    builder = SparkSession.builder.master(url).appName("belvedere on a cluster")
    for name, value in {**SETTINGS, "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
