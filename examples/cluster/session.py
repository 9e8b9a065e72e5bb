"""A session on the cluster: an application of its own (spark://…), or a client of a Connect server (sc://…)."""

from __future__ import annotations

import os
import sys
from typing import Any

from cluster import SETTINGS
from pyspark.sql import SparkSession


def session(url: str) -> Any:
    if url.startswith("sc://"):
        return SparkSession.builder.remote(url).getOrCreate()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # functions run on the workers in this Python, with its packages
    builder = SparkSession.builder.master(url).appName("belvedere on a cluster")
    for name, value in {**SETTINGS, "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
