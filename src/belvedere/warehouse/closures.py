"""Bringing a stored closure up to date: the procedure's questions as statements over what is stored.

A statement is run for many keys at once, and none where there is nothing to ask, so that a change of one edge is a handful of
lookups whatever the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.engines.result import Engine, Metrics
from belvedere.engines.scan import Scan
from belvedere.maintenance.closures import NODES, ROWS, ClosurePlans, given_schema
from belvedere.maintenance.patience import Patient
from belvedere.maintenance.reach import Moves, Outcome, Place, Ranked, Row, Step, follow
from belvedere.maintenance.stage_delta import StageDelta
from belvedere.store.commit import Commit
from belvedere.store.model import Collection, Run
from belvedere.store.physical import physical_schema
from belvedere.warehouse.core import Core
from belvedere.warehouse.report import Step as Report
from belvedere.warehouse.resolve import Overlay, Resolver, given_scan
from belvedere.warehouse.run import land


def run_closure(
    core: Core, commit: Commit, overlay: Overlay, target: Collection, plan: StageDelta, resolver: Resolver, engine: str,
    *, rows_in: int,
) -> tuple[Report, list[Run]]:  # fmt: skip
    """The change of a closure's stage lands in the commit, and in the overlay for those who read it next."""
    assert plan.closure is not None
    world = StoredWorld(core.engine(engine), resolver, plan.closure)
    table = _table(follow(world.moves(), Patient(world)), target)
    runs = land(core, commit, overlay, target, table)
    spent = world.spent
    step = Report(
        name=target.name, rule=plan.rule, engine=world.engine.name, rows_in=rows_in, rows_out=table.num_rows,
        rows_read=spent.rows_read, bytes_read=spent.bytes_read, files=spent.files, jobs=spent.jobs, seconds=spent.seconds,
        sql=spent.sql, fetched=spent.fetched,
    )  # fmt: skip
    return step, runs


@dataclass
class StoredWorld:
    """What `follow` asks, of stored collections."""

    engine: Engine
    resolver: Resolver
    plans: ClosurePlans
    spent: Metrics = field(default_factory=Metrics)

    def moves(self) -> Moves:
        """What came and what went."""
        seeds, steps = self._changed(self.plans.seeds), self._changed(self.plans.steps)
        return Moves(
            seeds_in={r[:-1] for r in seeds if r[-1] > 0}, seeds_out={r[:-1] for r in seeds if r[-1] < 0},
            steps_in={r[:-1] for r in steps if r[-1] > 0}, steps_out={r[:-1] for r in steps if r[-1] < 0},
        )  # fmt: skip

    def seeds(self, rows: Set[Row]) -> Iterable[Row]:
        return rows & {(src, state, node) for src, state, node in self._at(self.plans.seeds_at, {n for _, _, n in rows})}

    def steps_from(self, places: Set[Place]) -> Iterable[Step]:
        return [s for s in self._at(self.plans.steps_from, {n for _, n in places}) if (s[0], s[1]) in places]

    def steps_into(self, places: Set[Place]) -> Iterable[Step]:
        return [s for s in self._at(self.plans.steps_into, {n for _, n in places}) if (s[2], s[3]) in places]

    def rows_at(self, places: Set[Place]) -> Iterable[Ranked]:
        return [r for r in self._at(self.plans.rows_at, {n for _, n in places}) if (r[1], r[2]) in places]

    def ranks(self, rows: Set[Row]) -> Iterable[Ranked]:
        return self._present(self.plans.ranks, ROWS, [list(column) for column in zip(*rows, strict=True)])

    def size(self) -> int:
        return sum(self.resolver.size(g) for node in (self.plans.every_step, self.plans.every_row) for g in gets(node))

    def everything(self) -> tuple[Iterable[Step], Iterable[Ranked]]:
        steps, rows = (self._run(node, self.resolver) for node in (self.plans.every_step, self.plans.every_row))
        return self._there(steps), self._there(rows)

    # -- statements --------------------------------------------------------------------------------------------------

    def _changed(self, node: Node | None) -> list[tuple[Any, ...]]:
        """The rows of a change with their weights; none with a NULL, which is neither seed nor step."""
        if node is None:
            return []
        return [r for r in self._run(node, self.resolver) if None not in r]

    def _at(self, node: Node, nodes: set[str]) -> list[tuple[Any, ...]]:
        return self._present(node, NODES, [list(nodes)])

    def _present(self, node: Node, name: str, columns: list[list[Any]]) -> list[tuple[Any, ...]]:
        """The rows that a lookup finds for these keys, without weights."""
        physical = physical_schema(given_schema(name))
        arrays = [pa.array([*c], f.type) for c, f in zip((*columns, [1] * len(columns[0])), physical, strict=True)]
        given = given_scan(name, pa.Table.from_arrays(arrays, schema=physical))

        def scans(get: Get) -> Scan:
            return given if get.name == name else self.resolver(get)

        return self._there(self._run(node, scans))

    @staticmethod
    def _there(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return [r[:-1] for r in rows if r[-1] > 0 and None not in r]

    def _run(self, node: Node, scans: Any) -> list[tuple[Any, ...]]:
        table, metrics = self.engine.run(node, scans)
        self.spent = self.spent.add(metrics)
        return list(zip(*(c.to_pylist() for c in table.columns), strict=True))


def _table(outcome: Outcome, target: Collection) -> pa.Table:
    rows = [(*r, rank, -1) for r, rank in outcome.removed.items()] + [(*r, rank, 1) for r, rank in outcome.added.items()]
    arrays = [pa.array([r[i] for r in rows], f.type) for i, f in enumerate(target.physical)]
    return pa.Table.from_arrays(arrays, names=[*target.schema.names, "_w"])
