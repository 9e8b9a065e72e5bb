"""A fresh warehouse per test, and a merger that needs no engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.helpers import ArrowMerger, open_store
from tests.support.postgres import postgres

from belvedere.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "wh") as opened:
        yield opened


@pytest.fixture
def brief(tmp_path: Path) -> Iterator[Store]:
    """A store that keeps five epochs."""
    with open_store(tmp_path / "brief", retention=5) as opened:
        yield opened


@pytest.fixture
def merger() -> ArrowMerger:
    return ArrowMerger()


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url
