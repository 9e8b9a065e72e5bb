"""Starting Spark, and not starting it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.engines.cases import CASES, TABLES

from belvedere.engines.spark import SparkEngine, session
from belvedere.engines.spark.java import java_problem
from belvedere.errors import EngineError


def test_importing_the_engine_imports_no_spark() -> None:
    code = "import sys, belvedere.engines.spark as s; s.SparkEngine(); print('pyspark' in sys.modules, 'py4j' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_making_sql_needs_no_spark() -> None:
    code = (
        "import sys; from tests.engines.cases import CASES, TABLES; from belvedere.engines.spark import SparkEngine\n"
        "e = SparkEngine(); [e.sql(c.node(), TABLES) for c in CASES]; print('pyspark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**_environment()})
    assert done.stdout.split() == ["False"]


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}


def test_without_java_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    with pytest.raises(EngineError, match="openjdk-17-jre-headless"):
        SparkEngine().run(CASES[0].node(), TABLES)


def test_java_is_found_by_its_home(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    from pathlib import Path

    home = Path(str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", str(home))
    assert java_problem() is not None
    (home / "bin").mkdir()
    (home / "bin" / "java").write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n")
    (home / "bin" / "java").chmod(0o755)
    assert java_problem() is None


@pytest.mark.spark
def test_the_users_session_keeps_its_settings(spark_engine: SparkEngine) -> None:
    base = spark_engine.session
    before = {name: base.conf.get(name) for name in session.SMALL}
    views = {t.name for t in base.catalog.listTables()}
    spark_engine.run(CASES[0].node(), TABLES)
    assert {name: base.conf.get(name) for name in session.SMALL} == before
    assert {t.name for t in base.catalog.listTables()} == views


@pytest.mark.spark
def test_a_frame_of_the_user(spark_engine: SparkEngine) -> None:
    from belvedere.algebra.ops import SortKey

    node = next(c for c in CASES if c.name == "semi_join_true").node()
    frame = spark_engine.dataframe(node, TABLES, ["J", "select"], [SortKey("j", True, False), SortKey("s")])
    assert frame.columns == ["J", "select"]
    assert [tuple(r) for r in frame.collect()] == [(5, "five"), (3, ""), (3, ""), (3, "three"), (1, "one"), (None, "null")]
    assert str(spark_engine.schema_of(frame)) == "J int, select string"
