"""A fresh warehouse per test, in memory-backed storage where there is any; servers and sessions are shared."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.postgres import postgres
from tests.warehouse.helpers import CITIES, CUSTOMERS, ORDERS, order

import belvedere as bv


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty directory, gone after the test."""
    memory = "/dev/shm"
    base = memory if os.access(memory, os.W_OK) else None
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


@pytest.fixture
def shop(wh: bv.Warehouse) -> bv.Warehouse:
    """Orders (a key), customers (a key) and cities (a bag), with a few rows."""
    fill(wh)
    return wh


def fill(wh: bv.Warehouse) -> None:
    wh.create_table("orders", ORDERS, key="id")
    wh.create_table("customers", CUSTOMERS, key="id")
    wh.create_table("cities", CITIES)
    with wh.transaction() as tx:
        tx.insert("orders", [order(1, 7, "9.50", "a"), order(2, 7, "1.25"), order(3, 8, "4.00", "b"), order(4, None, "2.00")])
        tx.insert("customers", [{"id": 7, "city": "Bern", "vip": True}, {"id": 8, "city": "Oslo", "vip": False},
                                {"id": 9, "city": None, "vip": None}])  # fmt: skip
        oslo = {"name": "Oslo", "country": "NO"}
        tx.insert("cities", [{"name": "Bern", "country": "CH"}, oslo, oslo])


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The Spark session that a first warehouse starts, lent to the others. Its directory is that of the test run."""
    with bv.open(tmp_path_factory.mktemp("session") / "wh", engine="spark") as first:
        yield first.spark


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url
