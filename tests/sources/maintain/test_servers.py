"""The strategies over PostgreSQL, MariaDB and SQLite, mixed at random."""

from __future__ import annotations

import pytest
from tests.servers.sites import LOGGED
from tests.sources.maintain.setting import MakeSite, agree


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_all_strategies_agree_across_systems(seed: int, make_site: MakeSite) -> None:
    agree(seed, make_site, LOGGED)
