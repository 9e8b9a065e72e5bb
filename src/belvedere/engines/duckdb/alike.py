"""Plans of the same shape over few rows, run as one: a statement costs DuckDB more than the rows do.

Each plan looks up its own rows first, as it would alone. What the plans hold alike is read once; what each has of its own becomes
one table, whose rows carry the number of their plan (`engines/alike`). So the statement is the same whichever of the plans take
part, and is prepared once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, Values
from belvedere.algebra.scalar import Scalar, integer
from belvedere.algebra.types import BigInt, Column, Schema, to_arrow
from belvedere.engines.alike import CONSTANTS, MEMBER, NotAlike, Skeleton, constant_name, leaf_name, lifted, skeleton
from belvedere.engines.arrow import WEIGHT, arrow_schema, negated, stored_column
from belvedere.engines.duckdb.narrow import Family
from belvedere.engines.result import Metrics, shared
from belvedere.engines.scan import Scan
from belvedere.store.small_runs import SmallRuns

#: rows that the plans have of their own, all together, with what they all start from counted for each of them: with more, it is
#: no longer the statements that cost
ROWS = 65_536
#: lifted plans, and the constants of plans, that are kept
LIMIT, VALUES = 64, 1_024

Ask = Callable[[Get], Scan]
Found = tuple[pa.Table, Metrics]
#: a shape, and what is the same in all plans
_Key = tuple[Node, tuple[Get | None, ...], tuple[Scalar | None, ...]]


class Runner(Protocol):
    """What is needed of the engine."""

    def narrowed_first(self, node: Node, ask: Ask, family: Family | None = None) -> tuple[Ask, Metrics]: ...

    def in_steps(self, node: Node, ask: Ask) -> Found: ...


@dataclass
class Alike:
    """Lifts plans, and keeps what it lifted last."""

    runs: SmallRuns
    _lifted: OrderedDict[_Key, Node] = field(default_factory=OrderedDict)
    #: what constants are, a row for each plan's
    _values: OrderedDict[tuple[Scalar, ...], pa.Table] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, runner: Runner, plans: Sequence[Node], asks: Sequence[Ask]) -> Begun:
        """What is to be evaluated for these plans, once each has looked up its rows. Raises NotAlike where it is better to run
        each by itself."""
        shapes = [skeleton(p) for p in plans]
        if any(s.node != shapes[0].node for s in shapes):
            raise NotAlike("the plans have other shapes")
        whole = _in_common(shapes, [[ask(g) for g in s.leaves] for s, ask in zip(shapes, asks, strict=True)])
        family = Family(frozenset(g for g in whole if g is not None))
        near = [runner.narrowed_first(p, ask, family) for p, ask in zip(plans, asks, strict=True)]
        scans = [[ask(g) for g in s.leaves] for s, (ask, _) in zip(shapes, near, strict=True)]
        leaves = _in_common(shapes, scans)
        own = [at for at, get in enumerate(leaves) if get is None]
        common = sum(scans[0][at].rows for at, get in enumerate(leaves) if get is not None and get.version == "delta")
        if sum(found[at].rows for found in scans for at in own) + common * len(plans) > ROWS:
            raise NotAlike("too many rows")
        by_number = zip(*(s.constants for s in shapes), strict=True)
        constants = tuple(cs[0] if all(c == cs[0] for c in cs) else None for cs in by_number)
        first, _ = near[0]
        if not own and None not in constants:
            return Begun(runner, plans, plans[0], first, [looked_up for _, looked_up in near])
        node = self._lift(shapes[0], leaves, constants)
        held = {leaf_name(at): self._gathered(shapes, scans, at) for at in own}
        held[CONSTANTS] = self._constants(runner, [s.constants for s in shapes])
        spent = [_spent(s, found, own, looked) for s, found, (_, looked) in zip(shapes, scans, near, strict=True)]
        return Begun(runner, plans, node, lambda get: held[get.name] if get.name in held else first(get), spent)

    def _lift(self, shape: Skeleton, leaves: tuple[Get | None, ...], constants: tuple[Scalar | None, ...]) -> Node:
        key = (shape.node, leaves, constants)
        with self._lock:
            known = self._lifted.get(key)
            if known is None:
                known = self._lifted[key] = lifted(shape, leaves, constants)
                if len(self._lifted) > LIMIT:
                    self._lifted.popitem(last=False)
            else:
                self._lifted.move_to_end(key)
            return known

    def _gathered(self, shapes: Sequence[Skeleton], scans: Sequence[Sequence[Scan]], at: int) -> Scan:
        """The rows of a leaf, of all plans."""
        types = shapes[0].leaves[at].types
        schema = Schema((Column(MEMBER, BigInt(), 1), *(Column(c.name, c.type, n) for n, c in enumerate(types, 2))))
        wanted = pa.schema([*(pa.field(f"c{c.id}", to_arrow(c.type)) for c in schema), WEIGHT])
        found = [scan[at] for scan in scans]
        named = [tuple(scan.physical(c) for c in shape.leaves[at].columns) for shape, scan in zip(shapes, found, strict=True)]
        parts = [(member, names, t) for member, (names, s) in enumerate(zip(named, found, strict=True)) for t in self._tables(s)]
        table = _stacked(parts, wanted) if parts else wanted.empty_table()
        keys = {self._key(s.leaves[at], scan) for s, scan in zip(shapes, found, strict=True)}
        key = keys.pop() if len(keys) == 1 else ()
        return Scan(
            schema, tables=(table,), rows=table.num_rows, consolidated=all(s.consolidated for s in found),
            positive=all(s.positive for s in found), key=(MEMBER, *key) if key else (), counted=True,
        )  # fmt: skip

    @staticmethod
    def _key(get: Get, scan: Scan) -> tuple[str, ...]:
        """The key of a scan by the names that the plan has for its columns; none if it does not have all."""
        visible = {source: c.name for source, c in zip(get.columns, get.types, strict=True)}
        return tuple(visible[k] for k in scan.key) if visible.keys() >= set(scan.key) else ()

    def _tables(self, scan: Scan) -> list[pa.Table]:
        every = [*(self.runs.read(f) for f in scan.files), *(negated(self.runs.read(f)) for f in scan.negative), *scan.tables]
        return [t for t in every if t.num_rows]

    def _constants(self, runner: Runner, rows: Sequence[tuple[Scalar, ...]]) -> Scan:
        """The numbers of the plans, each with its constants, as the engine reads them."""
        types = [Column(constant_name(at), c.type, at + 2) for at, c in enumerate(rows[0])]
        values = pa.concat_tables(self._valued(runner, rows, types))
        numbers, ones = pa.array(range(len(rows)), pa.int64()), pa.repeat(pa.scalar(1, pa.int64()), len(rows))
        schema = Schema((Column(MEMBER, BigInt(), 1), *types))
        table = pa.Table.from_arrays([numbers, *values.columns, ones], names=[*(f"c{c.id}" for c in schema), WEIGHT.name])
        return Scan(schema, tables=(table,), rows=len(rows), consolidated=True, positive=True, key=(MEMBER,), counted=True)

    def _valued(self, runner: Runner, rows: Sequence[tuple[Scalar, ...]], types: Sequence[Column]) -> list[pa.Table]:
        """A row of values for each row of constants."""
        known = {row: found for row in rows if (found := self._values.get(row)) is not None}
        unknown = [row for row in dict.fromkeys(rows) if row not in known]
        if unknown:
            schema = Schema((Column(MEMBER, BigInt()), *types))
            said = Values(schema, tuple((integer(n), *row) for n, row in enumerate(unknown)))
            table = runner.in_steps(said, _nothing)[0].sort_by(MEMBER).drop_columns([MEMBER, WEIGHT.name])
            known |= {row: table.slice(n, 1) for n, row in enumerate(unknown)}
            with self._lock:
                self._values.update((row, known[row]) for row in unknown)
                while len(self._values) > VALUES:
                    self._values.popitem(last=False)
        return [known[row] for row in rows]


@dataclass
class Begun:
    """Plans that are evaluated as one: this one, over these leaves."""

    runner: Runner
    plans: Sequence[Node]
    node: Node
    ask: Ask
    #: what each of them took by itself
    spent: Sequence[Metrics]
    _done: Found | None = None

    def run(self) -> None:
        self._done = self.runner.in_steps(self.node, self.ask)

    def found(self) -> Together:
        """The rows of the plans, and the cost of each."""
        table, metrics = self._done or self.runner.in_steps(self.node, self.ask)
        told = [mine.add(part) for mine, part in zip(self.spent, shared(metrics, len(self.plans)), strict=True)]
        if self.node is self.plans[0]:
            return Together(self.plans, told, table, None)
        return Together(self.plans, told, table.drop_columns([MEMBER]), table.column(MEMBER).to_numpy())


@dataclass
class Together:
    """The rows of all plans; by row, the plan that it is of, unless all have the same rows."""

    plans: Sequence[Node]
    spent: Sequence[Metrics]
    rows: pa.Table
    numbers: npt.NDArray[np.int64] | None

    @cached_property
    def counts(self) -> list[int]:
        """How many rows each plan has."""
        if self.numbers is None:
            return [self.rows.num_rows] * len(self.plans)
        return [int(n) for n in np.bincount(self.numbers, minlength=len(self.plans))]

    def __getitem__(self, at: int) -> Found:
        return self._form(at, self._parts[at]) if self.counts[at] else _form(self.plans[at]).empty_table(), self.spent[at]

    def _form(self, at: int, part: pa.Table) -> pa.Table:
        return part if self.numbers is None else pa.Table.from_arrays(part.columns, schema=_form(self.plans[at]))

    @cached_property
    def _parts(self) -> list[pa.Table]:
        if self.numbers is None:
            return [self.rows] * len(self.plans)
        rows = self.rows.take(pa.array(np.argsort(self.numbers, kind="stable")))
        ends = np.cumsum(self.counts).tolist()
        return [rows.slice(start, end - start) for start, end in zip([0, *ends], ends, strict=False)]


def _stacked(parts: Sequence[tuple[int, tuple[str, ...], pa.Table]], wanted: pa.Schema) -> pa.Table:
    """Rows of several plans, each with the columns that these are called, below the numbers of their plans."""
    numbers = np.repeat([member for member, _, _ in parts], [t.num_rows for _, _, t in parts])
    _, names, first = parts[0]
    if all(n == names and t.schema.equals(first.schema) for _, n, t in parts):
        parts = [(0, names, pa.concat_tables([t for _, _, t in parts]))]  # what has one form is one table

    def columns(names: tuple[str, ...], t: pa.Table) -> list[pa.ChunkedArray]:
        kinds = wanted.types[1:-1]
        return [*(stored_column(t, name, kind) for name, kind in zip(names, kinds, strict=True)), t.column(WEIGHT.name)]

    plain = pa.schema(list(wanted)[1:])
    rows = pa.concat_tables([pa.Table.from_arrays(columns(names, t), schema=plain) for _, names, t in parts])
    return pa.Table.from_arrays([pa.array(numbers, pa.int64()), *rows.columns], schema=wanted)


def _spent(shape: Skeleton, scans: Sequence[Scan], own: Sequence[int], looked_up: Metrics) -> Metrics:
    """What a plan took by itself: its lookups, and the rows that are its own."""
    read = Metrics()
    for at in own:
        get, scan = shape.leaves[at], scans[at]
        read.files += scan.opened
        if not scan.counted:
            read.scanned[get.name] = read.scanned.get(get.name, 0) + scan.rows
    read.rows_read = read.fetched = sum(read.scanned.values())
    return looked_up.add(read)


def _in_common(shapes: Sequence[Skeleton], scans: Sequence[Sequence[Scan]]) -> tuple[Get | None, ...]:
    """By place: the leaf, if it is the same for all plans and holds the same."""
    by_place = zip(zip(*(s.leaves for s in shapes), strict=True), zip(*scans, strict=True), strict=True)
    return tuple(_common(gets, found) for gets, found in by_place)


def _common(gets: Sequence[Get], scans: Sequence[Scan]) -> Get | None:
    """The leaf, if it is the same for all plans and holds the same."""
    first = scans[0]
    same = all(g is gets[0] or g == gets[0] for g in gets) and all(s is first or _same(s, first) for s in scans)
    return gets[0] if same else None


def _same(s: Scan, first: Scan) -> bool:
    """Whether two scans are of the same runs."""
    return s == first and len(s.tables) == len(first.tables) and all(a is b for a, b in zip(s.tables, first.tables, strict=True))


def _form(plan: Node) -> pa.Schema:
    """What a result of the plan looks like; the plan remembers it."""
    known: pa.Schema | None = plan.__dict__.get("_form")
    if known is None:
        known = plan.__dict__["_form"] = arrow_schema(plan.schema)
    return known


def _nothing(get: Get) -> Scan:
    raise KeyError(get.name)
