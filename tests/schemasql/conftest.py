"""One warehouse for all tests that only read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.schemasql.support import AIRLINES, ODD, UNIVERSITIES, opened


@pytest.fixture(scope="session")
def universities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with opened(tmp_path_factory.mktemp("universities") / "wh", {**UNIVERSITIES, **ODD}) as wh:
        yield wh


@pytest.fixture(scope="session")
def airlines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with opened(tmp_path_factory.mktemp("airlines") / "wh", AIRLINES) as wh:
        yield wh
