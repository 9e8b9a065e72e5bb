"""What an operator sees while it writes its SQL: the relations there are, fresh names, inputs of some depth, and a tally of
which operator was put inside which."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.fuzz.values import KINDS, kind_of, literal

if TYPE_CHECKING:
    from tests.fuzz.operators.base import Operator

MAX_ROWS = 60_000
NESTING = 0.35


@dataclass(frozen=True)
class Col:
    """A column or expression. `sql` is how to write it here; `bound` limits its size, so that nothing overflows;
    an expression that is not `exact` (a sum of averages) may differ in the last digit and must not decide anything."""

    name: str
    type: str
    sql: str = ""
    bound: int = 4
    exact: bool = True

    @property
    def kind(self) -> str:
        return kind_of(self.type)


@dataclass(frozen=True)
class Relation:
    """A table or view by name; `size` bounds its rows."""

    name: str
    cols: tuple[Col, ...]
    size: int


@dataclass(frozen=True)
class Query:
    """A complete select."""

    text: str
    cols: tuple[Col, ...]
    size: int


@dataclass(frozen=True)
class Input:
    """Something in the from clause, with an alias; its columns are written alias.name."""

    sql: str
    alias: str
    cols: tuple[Col, ...]
    size: int


@dataclass
class Tally:
    """How often each operator was used, and directly inside which other."""

    used: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)

    def update(self, other: Tally) -> None:
        self.used.update(other.used)
        self.pairs.update(other.pairs)


@dataclass
class Names:
    """Counters for fresh names, shared by a whole view."""

    aliases: int = 0
    columns: int = 0
    reads: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Scope:
    rng: random.Random
    relations: tuple[Relation, ...]
    operators: tuple[Operator, ...]
    depth: int
    tally: Tally = field(default_factory=Tally)
    names: Names = field(default_factory=Names)
    outer: str = ""
    path: list[str] = field(default_factory=list)

    def alias(self) -> str:
        self.names.aliases += 1
        return f"x{self.names.aliases}"

    def fresh(self, ddl: str) -> str:
        """A column name that begins as names of its kind do."""
        self.names.columns += 1
        return f"{KINDS[kind_of(ddl)].prefix}{self.names.columns}"

    def query(self) -> Query | None:
        """An operator over inputs of lesser depth: the next of the path, or a random one. None if none could be made."""
        wanted = [o for o in self.operators if self.path and o.name == self.path[0]]
        for attempt in range(12):
            forced = bool(wanted) and attempt < 10
            op = wanted[0] if forced else self.rng.choices(self.operators, [o.weight for o in self.operators])[0]
            before = self.mark()
            rest = self.path[1 : 3 if attempt < 5 else 2] if forced else []
            inner = replace(self, depth=self.depth - 1, outer=op.name, path=rest)
            self.path.clear()
            made = op.sql(self.rng, inner)
            if made is not None and made.size <= MAX_ROWS and not inner.path:
                self.tally.used[op.name] += 1
                if self.outer:
                    self.tally.pairs[self.outer, op.name] += 1
                return made
            self.restore(before)
        return None

    def mark(self) -> tuple[Counter[str], Counter[tuple[str, str]], list[str], list[str]]:
        """What to go back to if what is made next is thrown away."""
        return self.tally.used.copy(), self.tally.pairs.copy(), list(self.names.reads), list(self.path)

    def restore(self, mark: tuple[Counter[str], Counter[tuple[str, str]], list[str], list[str]]) -> None:
        self.tally.used, self.tally.pairs, self.names.reads, path = mark
        self.path[:] = path

    def relation(self, want: Callable[[Relation], bool] = lambda _: True) -> Input | None:
        """A table or view, under a new alias."""
        fitting = [r for r in self.relations if want(r)]
        if not fitting:
            return None
        found = self.rng.choice(fitting)
        self.names.reads.append(found.name)
        alias = self.alias()
        text = self.tested(found) if self.rng.random() < 0.25 else found.name
        return Input(f"{text} {self.rng.choice(['', 'as '])}{alias}", alias, qualified(found.cols, alias), found.size)

    def tested(self, found: Relation) -> str:
        """A relation behind one plain test: rows that fail it cannot matter, and what is known of a change tells so."""
        plain = [c for c in found.cols if c.exact and c.kind in ("int", "bigint", "decimal", "string", "date")]
        if not plain:
            return found.name
        c = self.rng.choice(plain)
        kind = KINDS[c.kind]
        op = self.rng.choice(["=", "=", "<", "<=", ">", ">="])
        return f"(select * from {found.name} where {c.name} {op} {literal(self.rng.choice(kind.domain), kind.ddl)})"

    def input(self, want: Callable[[Sequence[Col]], bool] = lambda _: True) -> Input | None:
        """Something to select from: what the path wants next, a relation, or while there is depth left, another query."""
        for _ in range(6):
            if self.path or (self.depth > 0 and self.rng.random() < NESTING):
                before = self.mark()
                inner = self.query()
                if inner is not None and want(inner.cols):
                    return self.embed(inner)
                self.restore(before)
            else:
                found = self.relation(lambda r: want(r.cols))
                if found is not None:
                    return found
        return self.relation(lambda r: want(r.cols))

    def embed(self, inner: Query) -> Input:
        """A query as a subquery in from."""
        alias = self.alias()
        return Input(f"({inner.text}) as {alias}", alias, qualified(inner.cols, alias), inner.size)

    def inputs(self, count: int) -> list[Input]:
        """Several inputs whose product stays small; what the path wants comes anywhere among them."""
        found: list[Input] = []
        path = list(self.path)
        self.path.clear()
        place = self.rng.randrange(count)
        product = 1
        for n in range(count):
            if n == place:
                self.path[:] = path
            before = self.mark()
            more = self.input()
            if more is None or product * max(more.size, 1) > MAX_ROWS:
                self.restore(before)
                room = MAX_ROWS // product
                more = self.relation(lambda r, room=room: r.size <= room)  # type: ignore[misc]
            if more is None:
                break
            found.append(more)
            product *= max(more.size, 1)
        return found

    def outputs(self, cols: Iterable[Col]) -> tuple[list[str], tuple[Col, ...]]:
        """Select items under names that are unique; a plain column sometimes keeps its own name, without an alias."""
        items: list[str] = []
        out: list[Col] = []
        for c in cols:
            taken = {o.name for o in out}
            bare = c.sql.split(".")[-1]
            if c.sql.count(".") == 1 and bare == c.name and c.name not in taken and self.rng.random() < 0.4:
                items.append(c.sql)
                out.append(replace(c, sql=""))
            else:
                name = self.fresh(c.type)
                items.append(f"{c.sql} {self.rng.choice(['', 'as '])}{name}")
                out.append(replace(c, name=name, sql=""))
        return items, tuple(out)


def qualified(cols: Iterable[Col], alias: str) -> tuple[Col, ...]:
    return tuple(replace(c, sql=f"{alias}.{c.name}") for c in cols)


def some(rng: random.Random, cols: Sequence[Col], low: int = 1, high: int = 4) -> list[Col]:
    """Some of the columns, in order."""
    count = min(len(cols), rng.randint(low, high))
    chosen = sorted(rng.sample(range(len(cols)), count))
    return [cols[i] for i in chosen]
