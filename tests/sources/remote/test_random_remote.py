"""Random views over two to six databases, none of them mirrored: after every refresh, by whatever strategy, the view is what an
independent engine makes of the databases; while others write, it is the join of one recorded state of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.servers.sites import LOGGED
from tests.sources.conftest import MakeSite
from tests.sources.remote.world import World, run


@pytest.mark.parametrize("seed", range(82))
def test_views_over_files(seed: int, tmp_path: Path, make_site: MakeSite) -> None:
    run(World(seed, tmp_path / "wh", make_site, ("sqlite",)), rounds=1 + (seed % 3 == 0))


@pytest.mark.parametrize("seed", range(5000, 5012))
def test_views_over_servers(seed: int, tmp_path: Path, make_site: MakeSite) -> None:
    run(World(seed, tmp_path / "wh", make_site, LOGGED), rounds=1)


@pytest.mark.parametrize("seed", range(7000, 7010))
def test_views_over_decoded_logs(seed: int, tmp_path: Path, make_site: MakeSite) -> None:
    run(World(seed, tmp_path / "wh", make_site, ("logical", "logical", "sqlite")), rounds=2)


@pytest.mark.parametrize("seed", range(6000, 6006))
def test_views_over_mirrors_and_others(seed: int, tmp_path: Path, make_site: MakeSite) -> None:
    run(World(seed, tmp_path / "wh", make_site, ("sqlite", "duckdb")), rounds=1)
