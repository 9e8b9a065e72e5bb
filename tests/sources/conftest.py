"""Servers for the whole session, a database of its own for each test, and a warehouse to attach it to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.servers.mariadb import MariaDB, MissingMariaDB, mariadb
from tests.servers.sites import LOGGED, SYSTEMS, DuckDBSite, LogicalSite, MariaSite, PostgresSite, Site, SQLiteSite
from tests.support.postgres import MissingPostgres, postgres

import belvedere as bv

MakeSite = Callable[[str], Site]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with ExitStack() as stack:
        try:
            yield stack.enter_context(postgres())
        except MissingPostgres as e:
            pytest.skip(str(e))


@pytest.fixture(scope="session")
def logical_server() -> Iterator[str]:
    """A PostgreSQL server that decodes its log. Tests leave slots behind."""
    with ExitStack() as stack:
        try:
            yield stack.enter_context(postgres(wal_level="logical", max_replication_slots=500, max_prepared_transactions=5))
        except MissingPostgres as e:
            pytest.skip(str(e))


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDB]:
    with ExitStack() as stack:
        try:
            yield stack.enter_context(mariadb())
        except MissingMariaDB as e:
            pytest.skip(str(e))


@pytest.fixture
def make_site(request: pytest.FixtureRequest, tmp_path: Path) -> MakeSite:
    """A database of a system, by its name; its server is started when first wanted."""

    def make(system: str) -> Site:
        name = f"t{uuid.uuid4().hex[:8]}"
        directory = tmp_path / name
        directory.mkdir()
        if system == "postgres":
            return PostgresSite(request.getfixturevalue("postgres_server"), name)
        if system == "logical":
            return LogicalSite(request.getfixturevalue("logical_server"), name)
        if system == "mariadb":
            return MariaSite(request.getfixturevalue("mariadb_server"), name)
        return SQLiteSite(str(directory)) if system == "sqlite" else DuckDBSite(str(directory))

    return make


@pytest.fixture(params=(*SYSTEMS, "logical"))
def site(request: pytest.FixtureRequest, make_site: MakeSite) -> Site:
    return make_site(request.param)


@pytest.fixture(params=(*LOGGED, "logical"))
def logged(request: pytest.FixtureRequest, make_site: MakeSite) -> Site:
    """A database that keeps change logs."""
    return make_site(request.param)


@pytest.fixture(params=("postgres", "mariadb", "logical"))
def concurrent(request: pytest.FixtureRequest, make_site: MakeSite) -> Site:
    """A database in which transactions run side by side."""
    return make_site(request.param)


@pytest.fixture
def wh(tmp_path: Path) -> Iterator[bv.Warehouse]:
    with bv.open(tmp_path / "wh", engine="duckdb") as opened:
        yield opened
