"""A worker over many cases: databases in files, and for one chunk of seeds in eight MariaDB and PostgreSQL beside them, that by
triggers and by its decoded log."""

from __future__ import annotations

import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.fuzz.session import memory_folder
from tests.fuzzing.failure import Failure
from tests.fuzzing.runner import CHUNK
from tests.servers.mariadb import mariadb
from tests.servers.sites import LOGGED, LogicalSite, MariaSite, PostgresSite, Site, SQLiteSite
from tests.sources.remote.world import World, run
from tests.support.postgres import postgres

ROUNDS = 3
#: of so many chunks one has servers
SERVED = 8
STARTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "postgres": postgres,
    "logical": lambda: postgres(wal_level="logical", max_replication_slots=50),
    "mariadb": mariadb,
}


@dataclass
class Coverage:
    cases: int = 0
    sizes: Counter[int] = field(default_factory=Counter)
    systems: Counter[str] = field(default_factory=Counter)
    strategies: Counter[str] = field(default_factory=Counter)

    def update(self, other: Coverage) -> None:
        self.cases += other.cases
        for mine, theirs in ((self.systems, other.systems), (self.strategies, other.strategies)):
            mine.update(theirs)
        self.sizes.update(other.sizes)


@dataclass(frozen=True)
class View:
    name: str
    text: str


@dataclass(frozen=True)
class Case:
    seed: str
    systems: tuple[str, ...] = ("sqlite",)
    rounds: int = ROUNDS
    views: tuple[View, ...] = ()


class Session:
    """Use as a context manager; servers are started when first wanted, and gone afterwards."""

    per_seed = 1

    def __init__(self, parent: Path | None = None) -> None:
        self.coverage = Coverage()
        self.parent = parent
        self._stack = ExitStack()
        self._servers: dict[str, Any] = {}
        self._made = 0
        self._decoded: list[LogicalSite] = []

    def __enter__(self) -> Session:
        # a worker that is stopped must stop its servers
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def case(self, seed: str) -> Case:
        served = int(seed) // CHUNK % SERVED == SERVED - 1
        return Case(seed, (*LOGGED, "logical") if served else ("sqlite",))

    def run(self, case: Case) -> Failure | None:
        folder = memory_folder(self.parent)
        world: World | None = None
        try:
            world = World(int(case.seed), folder / "wh", lambda system: self._site(folder, system), case.systems)
            run(world, case.rounds)
        except Exception as e:
            wrong = isinstance(e, AssertionError)
            said = Case(case.seed, case.systems, case.rounds, (View("v", world.text),) if world is not None else ())
            check = "other rows" if wrong else f"error {type(e).__name__}"
            return Failure(said, "v", world.step if world is not None else -1, check, str(e))
        finally:
            self.coverage.cases += 1
            for site in self._decoded:
                site.forget()
            self._decoded.clear()
            if world is not None:
                self.coverage.sizes[len(world.names)] += 1
                self.coverage.systems.update(_kind(s) for s in world.sites.values())
                self.coverage.strategies.update(world.strategies)
            shutil.rmtree(folder, ignore_errors=True)
        return None

    def _site(self, folder: Path, system: str) -> Site:
        self._made += 1
        name = f"d{self._made}"
        if system == "sqlite":
            (folder / name).mkdir()
            return SQLiteSite(str(folder / name))
        if system not in self._servers:
            self._servers[system] = self._stack.enter_context(STARTS[system]())
        server = self._servers[system]
        if system == "logical":
            site = LogicalSite(server, name)
            self._decoded.append(site)
            return site
        return PostgresSite(server, name) if system == "postgres" else MariaSite(server, name)


def _kind(site: Site) -> str:
    return "logical" if isinstance(site, LogicalSite) else site.system
