"""Options of the whole suite."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from tests.fuzzing.near import as_users_have_it

# thousands of tests in a process leave much that lives on, and looking through it again and again is a tenth of their time
gc.set_threshold(20_000, 20, 100)

#: where files lie in memory, and how much must be free there; servers' data are most of what tests write
MEMORY, ROOM = "/dev/shm", 4 << 30

# tests commit thousands of times, and none looks at what a disk keeps when the power goes; what kills a process is the same there
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


@pytest.fixture(autouse=True)
def _as_users_have_it() -> Iterator[None]:
    """Random cases change how leaves are looked up; what comes after them in the same process must not feel it."""
    yield
    as_users_have_it()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regold", action="store_true", help="rewrite the golden files with what the code gives now")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on Spark share one session in one process; one that forgets to say so would start others."""
    on_spark = (i for i in items if "spark_engine" in getattr(i, "fixturenames", ()))
    forgot = [i.nodeid for i in on_spark if i.get_closest_marker("spark") is None]
    if forgot:
        raise pytest.UsageError(f"not marked as spark: {', '.join(forgot)}")


@pytest.fixture(scope="session", autouse=True)
def _mistakes_are_errors() -> Iterator[None]:
    """Views that could not be refreshed together each do their own; here that is an error, unless a view is the reason."""
    from belvedere.warehouse import bundles

    def out(error: Exception) -> None:
        raise error

    told, bundles.unexpected = bundles.unexpected, out
    yield
    bundles.unexpected = told


@pytest.fixture(scope="session", autouse=True)
def _databases() -> Iterator[None]:
    """Warehouses share DuckDB's databases with whoever else is open; with this one open, no test has to make them anew."""
    from belvedere.engines.duckdb import DuckDBEngine

    engine = DuckDBEngine()
    engine._open(), engine._open_small()
    yield
    engine.close()


@pytest.fixture
def in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """All runs of warehouses that are opened from here on are files, however few rows they have."""
    monkeypatch.setattr("belvedere.store.store.FEW", 0)


@pytest.fixture
def regold(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regold"))


@pytest.fixture(scope="session")
def spark_engine() -> Iterator[Any]:
    """The Spark engine over the one session of the whole run."""
    from belvedere.engines.spark import SparkEngine

    engine = SparkEngine()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def spark(spark_engine: Any) -> Any:
    """The SparkSession itself."""
    return spark_engine.session
