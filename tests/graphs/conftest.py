"""A fresh warehouse for each test, in memory-backed storage where there is any."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import belvedere as bv


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty directory, gone after the test."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    directory = tempfile.mkdtemp(prefix="belvedere-test-", dir=base)
    try:
        yield Path(directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def wh(place: Path) -> Iterator[bv.Warehouse]:
    """An empty warehouse that stays in-process."""
    with bv.open(place / "wh", engine="duckdb") as opened:
        yield opened
