"""What a statement cost on Spark, by public means only.

Classic Spark: the status tracker counts the jobs of a job group, and the UI's REST API (on the loopback address) tells the
rows that left each Parquet scan. Spark Connect: a DataFrame's execution info tells the same rows; jobs are not told, so
each action counts as one. Where neither answers, the rows behind the scans are reported: an upper bound.
"""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from belvedere.engines.result import Metrics
from belvedere.engines.spark.frames import Frames

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

_TRIES = 50


class Meter:
    """Measures statements of one Spark."""

    def __init__(self, session: SparkSession) -> None:
        self.context = _context(session)
        self._api = _api(self.context)
        self._seen = 0
        if self._api:
            # the first answer takes the server seconds, which need not be waited for
            threading.Thread(target=self._executions, daemon=True).start()

    @contextmanager
    def group(self) -> Iterator[str]:
        """Jobs started inside belong to the token that is given."""
        token = f"belvedere-{uuid4().hex}"
        if self.context is None:
            yield token
            return
        before = [self.context.getLocalProperty(k) for k in _PROPERTIES]
        self.context.setJobGroup(token, token)
        try:
            yield token
        finally:
            for name, value in zip(_PROPERTIES, before, strict=True):
                self.context.setLocalProperty(name, value)  # type: ignore[arg-type]

    def read(self, token: str, frames: Frames, frame: DataFrame | None = None) -> Metrics:
        """The jobs and rows of a finished statement."""
        metrics = Metrics(scanned=dict(frames.memory))
        metrics.files = sum(len(files) for _, files, _ in frames.files.values())
        metrics.jobs = len(self.context.statusTracker().getJobIdsForGroup(token)) if self.context is not None else 1
        scans: list[tuple[str, int, int]] | None = []
        if frames.files:  # without files there is nothing to ask for
            scans = self._scans(token) if self._api else _connect_scans(frame) if frame is not None else None
        if scans is None:
            for name, rows in frames.rows.items():
                metrics.scanned[name] = max(metrics.scanned.get(name, 0), rows)
        else:
            for description, rows, size in scans:
                name = _collection(description, frames)
                metrics.scanned[name] = metrics.scanned.get(name, 0) + rows
                metrics.bytes_read += size
        metrics.rows_read = metrics.fetched = sum(metrics.scanned.values())
        return metrics

    def _scans(self, token: str) -> list[tuple[str, int, int]] | None:
        """(description, rows, bytes of the files) of each Parquet scan of the statement's finished executions."""
        if self.context is not None and not self.context.statusTracker().getJobIdsForGroup(token):
            return []
        for _ in range(_TRIES):
            found = [e for e in self._executions() or [] if e.get("description") == token]
            if found and all(e.get("status") != "RUNNING" for e in found):
                return [s for e in found for s in _scans_of(e)]
        return None

    def _executions(self) -> list[dict[str, Any]] | None:
        """The executions that the server knows beyond those seen, or all of them where some were dropped."""
        for offset in dict.fromkeys((self._seen, 0)):
            answer = _get(f"{self._api}/sql?details=true&planDescription=false&offset={offset}&length=1000")
            if answer:
                self._seen = max(0, offset + len(answer) - 20)
                return answer
        return None


_PROPERTIES = ("spark.jobGroup.id", "spark.job.description")


def _context(session: SparkSession) -> SparkContext | None:
    """The context of classic Spark; Spark Connect has none."""
    if "connect" in type(session).__module__:
        return None
    return session.sparkContext


def _api(context: SparkContext | None) -> str | None:
    url = context.uiWebUrl if context is not None else None
    return f"{url}/api/v1/applications/{context.applicationId}" if url and context is not None else None


def _get(url: str) -> list[dict[str, Any]] | None:
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            answer = json.load(response)
    except (urllib.error.URLError, OSError, ValueError):
        return None
    return answer if isinstance(answer, list) else None


def _scans_of(execution: dict[str, Any]) -> list[tuple[str, int, int]]:
    found = []
    for node in execution.get("nodes", []):
        if "Scan parquet" in node.get("nodeName", ""):
            values = {m["name"]: m["value"] for m in node.get("metrics", [])}
            rows = int(str(values.get("number of output rows", "0")).replace(",", ""))
            found.append((str(node.get("desc", "")), rows, _bytes(str(values.get("size of files read", "0")))))
    return found


def _bytes(text: str) -> int:
    """
    >>> _bytes("17.1 MiB"), _bytes("512.0 B"), _bytes("0")
    (17930649, 512, 0)
    """
    number, _, unit = text.strip().split("\n")[-1].partition(" ")
    factor = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}.get(unit.split(" ")[0], 1)
    try:
        return int(float(number.replace(",", "")) * factor)
    except ValueError:
        return 0


def _connect_scans(frame: DataFrame) -> list[tuple[str, int, int]] | None:
    info = frame.executionInfo if "connect" in type(frame).__module__ else None
    if info is None or info.metrics is None:
        return None
    found = []
    _, graph = info.metrics.extract_graph()
    for plan in graph.values():
        if "Scan parquet" in plan.name:
            values = {m.name: m.value for m in plan.metrics}
            rows = int(values.get("numOutputRows", values.get("number of output rows", 0)))
            found.append((plan.name, rows, int(values.get("filesSize", values.get("size of files read", 0)))))
    return found


def _collection(description: str, frames: Frames) -> str:
    """The collection whose first file a scan's description names."""
    for name, files, _ in frames.files.values():
        if f"file:{files[0]}" in description:
            return name
    names = {name for name, _, _ in frames.files.values()}
    return names.pop() if len(names) == 1 else ""
