"""A warehouse over several databases that are not mirrored, one random join view, and what it must hold.

The join graphs are those of tests/sources/maintain: chains, stars, cycles and others, of two to six databases. Above the join
there may be an aggregate, a distinct, a union, or a join with a table that is kept here.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from tests.servers.sites import Site
from tests.sources.maintain.cases import TYPES, Case, literal, make, row

import belvedere as bv
from belvedere.planning.sources.choice import NO_PATH
from belvedere.sources.mysql.snapshot import MySQLSnapshot
from belvedere.sources.postgres.snapshot import PostgresSnapshot
from belvedere.sources.sqlite.snapshot import SQLiteSnapshot

MakeSite = Callable[[str], Site]
SNAPSHOTS: tuple[Any, ...] = (SQLiteSnapshot, PostgresSnapshot, MySQLSnapshot)
STRATEGIES = ("auto", "auto", "batch", "grouping", "sequential", "recompute", "incremental")
TOPS = (
    "{}",
    "select o0, count(*) n, count(distinct o0) d from ({}) q group by o0",
    "select distinct o0 from ({}) q",
    "select * from ({}) q union all select * from ({}) p",
    "select q.*, l.word from ({}) q left join local l on l.id = q.o0",
    "select l.word, q.o0 from local l join ({}) q on l.id = q.o0 where q.o0 < 7 and l.word <> 'w3'",
)


class World:
    """Everything follows from the seed, but for what depends on the time that things take: which plan is the cheapest, and so how
    often others write in between."""

    def __init__(self, seed: int, path: Path, make_site: MakeSite, systems: tuple[str, ...]) -> None:
        self.random, self.others = random.Random(f"world {seed}"), random.Random(f"others {seed}")
        self.step = -1
        self.strategies: Counter[str] = Counter()
        self.case: Case = make(seed)
        numbers = [o for o in self.case.outputs if not o.endswith(".s")] or ["t0.id"]
        self.case.outputs = [numbers[0], *(o for o in self.case.outputs if o != numbers[0])]
        self.names = sorted({p.source for p in self.case.parts})
        self.sites = {n: make_site(self.random.choice(systems)) for n in self.names}
        #: a DuckDB file must not be written to while it is read
        self.written = [n for n, s in self.sites.items() if s.system != "duckdb"]
        self.keys: dict[str, list[int]] = {}
        self.fresh = 1000
        few = (4, 25) if len(self.case.parts) < 4 else (4, 9)
        for name, site in self.sites.items():
            kind = "integer" if site.system == "sqlite" else self.random.choice(["bigint", "bigint", "integer"])
            rows = [row(self.random, k) for k in range(self.random.randint(*few))]
            self.keys[name] = [int(str(r[0])) for r in rows]
            site.execute(
                f"create table items (id {kind} primary key, a {kind}, b bigint, s {site.text}, v {kind})",
                f"insert into items values {', '.join(map(literal, rows))}",
            )
        self.wh = bv.open(path, engine="duckdb")
        self.wh.create_table("local", "id bigint, word string", key="id")
        self.wh.load("local", [{"id": i, "word": f"w{i % 4}"} for i in range(5)])
        for name, site in self.sites.items():
            self.wh.attach(name, site.url)
        self.top = self.random.choice(TOPS)
        self.text = self.top.replace("{}", self._join(lambda p: f"{p.source}.{p.table}"))
        self.view = self.wh.create_view("v", self.text)
        self.asks = bool(self.view.definition.remotes)

    def _join(self, table: Callable[[Any], str]) -> str:
        columns = ", ".join(f"{o} as o{i}" for i, o in enumerate(self.case.outputs))
        return f"select {columns} from {', '.join(f'{table(p)} {p.alias}' for p in self.case.parts)} where {self.case.where}"

    def change(self, name: str, times: int, r: random.Random) -> None:
        """Inserts, deletes and updates, each a transaction."""
        keys = self.keys[name]
        for _ in range(times):
            kind = r.random()
            if kind < 0.45 or not keys:
                self.fresh += 1
                keys.append(self.fresh)
                self.sites[name].execute(f"insert into items values {literal(row(r, self.fresh))}")
            elif kind < 0.7:
                self.sites[name].execute(f"delete from items where id = {keys.pop(r.randrange(len(keys)))}")
            else:
                _, *values = row(r, 0)
                pairs = ", ".join(f"{c} = {literal([v])[1:-1]}" for c, v in zip("absv", values, strict=True))
                self.sites[name].execute(f"update items set {pairs} where id = {r.choice(keys)}")

    def change_some(self) -> None:
        """In any subset of the databases, and now and then in what is kept here."""
        for name in self.names:
            if self.random.random() < 0.6:
                self.change(name, self.random.randint(1, 5), self.random)
        if self.random.random() < 0.2:
            with self.wh.transaction() as tx:
                tx.merge("local", [{"id": self.random.randint(0, 4), "word": f"w{self.random.randint(0, 4)}"}])

    def refresh(self, strategy: str) -> None:
        if not self.asks and strategy in ("batch", "grouping", "sequential"):
            strategy = "auto"  # DuckDB files are always mirrored
        try:
            report = self.view.refresh(strategy=strategy)
        except bv.BelvedereError as e:
            if strategy != "grouping" or NO_PATH not in str(e):
                raise
            report = self.view.refresh(strategy="batch")
        self.strategies.update(a.strategy for a in report.asked)

    def expected(self) -> Counter[tuple[Any, ...]]:
        """The view over the databases as they are, by another engine that knows nothing of ours."""
        con = _other_engine().cursor()
        kinds = [pa.field(n, pa.string() if n == "s" else pa.int64()) for n in TYPES]
        for name, site in self.sites.items():
            rows = [dict(zip(TYPES, r, strict=True)) for r in site.fetch("select * from items")]
            con.register(name, pa.Table.from_pylist(rows, schema=pa.schema(kinds)))
        con.register("local", self.wh.query("select * from local").arrow())
        text = self.top.replace("{}", self._join(lambda p: p.source))
        return Counter(con.sql(text).fetchall())

    def found(self) -> Counter[tuple[Any, ...]]:
        return Counter(tuple(r.values()) for r in self.view.rows())

    def check(self) -> None:
        found, expected = self.found(), self.expected()
        said = f"missing {expected - found}, too many {found - expected}: {self.text}"
        assert found == expected, said

    def close(self) -> None:
        self.wh.close()


@lru_cache
def _other_engine() -> duckdb.DuckDBPyConnection:
    """Made once: each cursor of it has its own tables, and making one anew takes longer than what it is asked."""
    con = duckdb.connect()
    con.execute("set threads = 1")
    return con


@contextmanager
def disturbed(world: World) -> Iterator[None]:
    """While it lasts, somebody writes to a database before every question that any database is asked."""
    originals = [(c, method, getattr(c, method)) for c in SNAPSHOTS for method in ("ask", "changes", "read")]

    def writing(original: Callable[..., Any]) -> Callable[..., Any]:
        def asked(self: Any, *given: Any) -> Any:
            world.change(world.others.choice(world.written), 1, world.others)
            return original(self, *given)

        return asked

    for c, method, original in originals:
        setattr(c, method, writing(original))
    try:
        yield
    finally:
        for c, method, original in originals:
            setattr(c, method, original)


def run(world: World, rounds: int) -> None:
    """Changes and refreshes by random strategies, some of them while others write. `world.step` says how far it came."""
    try:
        world.check()
        for world.step in range(rounds):
            world.change_some()
            strategy = world.random.choice(STRATEGIES)
            if world.random.random() < 0.4 and world.written:
                with disturbed(world):
                    world.refresh(strategy)
                assert world.view.verify().ok, f"{strategy} while others wrote: {world.text}"
                world.refresh("auto")
            else:
                world.refresh(strategy)
            world.check()
        assert world.view.verify().ok, world.text
    finally:
        world.close()
