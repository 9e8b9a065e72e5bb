"""TPC-H data at scale 0.01, made once per session, and a series of batches over it."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.tpch.tables import generate

SCALE = 0.01


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(SCALE, tmp_path_factory.mktemp("tpch"))
