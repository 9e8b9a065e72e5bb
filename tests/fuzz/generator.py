"""A seed → a case: a small database, views over it (some over other views), and transactions.

Nothing but the seed decides; the same seed gives the same case on every machine. Each part draws from a generator of its own,
so that a change of one part leaves the others as they were.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from tests.fuzz.model import Case, State, TableSpec, Transaction, ViewSpec, applied
from tests.fuzz.operators import OPERATORS
from tests.fuzz.random_changes import random_changes, random_row, random_statements
from tests.fuzz.scope import Col, Names, Query, Relation, Scope, Tally
from tests.fuzz.values import KINDS, kind_of

#: grows whenever a seed comes to stand for something else; seeds.txt names it
VERSION = 5
VIEWS = 8
SEQUENCES = 8
MAX_TABLE_ROWS = 13


def generate(
    seed: str, *, views: int = VIEWS, sequences: int = SEQUENCES, ops: Iterable[str] | None = None, tally: Tally | None = None
) -> Case:
    """What a seed stands for: that many views, and that many sequences of changes."""
    tables = random_tables(random.Random(f"{seed}/tables"))
    specs = random_views(seed, tables, views, ops, tally or Tally())
    rng = random.Random(f"{seed}/changes")
    together = rng.random() < 0.5
    return Case(seed, tables, specs, random_transactions(rng, tables, sequences), together)


def once_failed(text: str) -> list[str]:
    """The seeds listed in such a file that still mean what they meant when they failed."""
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [seed for version, seed in lines if int(version) == VERSION]


def random_tables(rng: random.Random) -> tuple[TableSpec, ...]:
    """Two or three tables: some with a key, some bags with duplicates, some empty."""
    result = []
    for n in range(rng.choice([2, 2, 2, 3])):
        key = f"n{n}0" if rng.random() < 0.5 else None
        kinds = ["int", "int" if rng.random() < 0.4 else "string"]
        kinds += rng.choices(list(KINDS), [6, 2, 4, 4, 4, 2, 1, 3, 2, 1, 1], k=rng.randint(1, 4))
        columns = [(key, "bigint")] if key else []
        columns += [(f"{KINDS[k].prefix}{n}{i + 1}", KINDS[k].ddl) for i, k in enumerate(kinds)]
        spec = TableSpec(f"t{n}", tuple(columns), key, ())
        size = rng.choice([0, 2, 4, 5, 6, 7, 7])
        rows = [random_row(rng, spec, key_value=i) for i in range(size)]
        if not key and rows:
            rows += [rng.choice(rows) for _ in range(rng.randint(0, 2))]
        result.append(TableSpec(spec.name, spec.columns, key, tuple(rows)))
    return tuple(result)


def random_views(
    seed: str, tables: tuple[TableSpec, ...], count: int, ops: Iterable[str] | None, tally: Tally
) -> tuple[ViewSpec, ...]:
    relations = [Relation(t.name, tuple(_column(n, ddl) for n, ddl in t.columns), MAX_TABLE_ROWS) for t in tables]
    wanted = tuple(OPERATORS[o] for o in ops) if ops else tuple(OPERATORS.values())
    chain: dict[str, int] = {}
    result: list[ViewSpec] = []
    for n in range(count):
        rng = random.Random(f"{seed}/view/{n}")
        own = Tally()
        usable = tuple(r for r in relations if chain.get(r.name, 0) < 2 and (r.name not in chain or rng.random() < 0.4))
        path = random_path(seed, n, [o.name for o in wanted])
        depth = rng.choice([0, 1, 1, 2])
        scope = Scope(rng, usable, wanted, depth, own, Names(columns=1000 * (n + 1)), path=path)
        query = scope.query()
        if query is None:
            continue
        name = f"v{n}"
        reads = tuple(dict.fromkeys(scope.names.reads))
        chain[name] = 1 + max((chain.get(r, 0) for r in reads), default=0)
        relations.append(Relation(name, query.cols, query.size))
        mode = "immediate" if rng.random() < 0.12 else "deferred"
        result.append(ViewSpec(name, query.text, _types(query), reads, mode, tuple(sorted(own.used)), rng.random() < 0.5))
        tally.update(own)
    return tuple(result)


def random_path(seed: str, view: int, names: list[str]) -> list[str]:
    """Three operators, each around the next. Over the seeds every pair comes up equally often, in an order that looks random:
    the outer two run through all pairs, and for each middle one the outer one decides the inner one."""
    number = (int(seed) if seed.isdecimal() else random.Random(seed).randrange(10**6)) * VIEWS + view
    turn, place = divmod(number, len(names) ** 2)
    shuffled = random.Random(turn).sample(range(len(names) ** 2), len(names) ** 2)
    outer, middle = divmod(shuffled[place], len(names))
    return [names[outer], names[middle], names[(7 * middle + 11 * turn - outer) % len(names)]]


def _column(name: str, ddl: str) -> Col:
    """A map decides nothing: SQL compares none."""
    return Col(name, ddl, "", KINDS[kind_of(ddl)].bound + 6, exact=not ddl.startswith("map"))


def _types(query: Query) -> tuple[tuple[str, str], ...]:
    return tuple((c.name, c.type) for c in query.cols)


def random_transactions(rng: random.Random, tables: tuple[TableSpec, ...], sequences: int) -> tuple[Transaction, ...]:
    """Several sequences, one after the other. The views' plans are made once and serve all of them."""
    state: State = {t.name: [dict(r) for r in t.rows] for t in tables}
    statements = {t.name: random_statements(rng, t) for t in tables}
    result = []
    for _ in range(sequences):
        length = rng.choice([1, 1, 1, 1, 2, 2, 3])
        for n in range(length):
            ends = n == length - 1
            transaction = Transaction(tuple(random_changes(rng, tables, statements, state)), ends or rng.random() < 0.3, ends)
            state = applied(state, transaction, tables)
            result.append(transaction)
    return tuple(result)
