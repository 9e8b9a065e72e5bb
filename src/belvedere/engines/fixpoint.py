"""Closures in a plan: each is evaluated before the statement that reads it, and stands in it as a leaf in memory.

The engine computes seeds and steps by statements of its own; what they lead to is found in the driver (`reaching.py`), the same
way on both engines.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Closure, Get
from belvedere.algebra.types import Column, Schema
from belvedere.engines.reaching import reached
from belvedere.engines.result import WEIGHT, Metrics
from belvedere.engines.scan import Scan

#: names of closures that lie in memory begin so; no collection's name does
REACHED = "\0closure"

Ask = Callable[[Get], Scan]


class Run(Protocol):
    def __call__(self, node: Node, ask: Ask, /) -> tuple[pa.Table, Metrics]: ...


def has_closure(node: Node) -> bool:
    """Asked for every statement: a node remembers."""
    known: bool | None = node.__dict__.get("_has_closure")
    if known is None:
        known = node.__dict__["_has_closure"] = isinstance(node, Closure) or any(has_closure(i) for i in node.inputs)
    return known


def without_closures(node: Node, ask: Ask, run: Run) -> tuple[Node, Ask, Metrics]:
    """(the plan with leaves in the place of closures, its scans, what it took to evaluate them)."""
    if not has_closure(node):
        return node, ask, Metrics()
    spent = Metrics()

    def evaluate(closure: Closure, scans: Ask) -> pa.Table:
        nonlocal spent
        seeds, first = run(closure.seeds, scans)
        steps, second = run(closure.steps, scans)
        began = perf_counter()
        rows = reached(_present(seeds), _present(steps))
        spent = spent.add(first).add(second).add(Metrics(seconds=perf_counter() - began))
        return rows

    plan, scans, _ = _replaced(node, ask, evaluate)
    return plan, scans, spent


def parts(node: Node, ask: Ask) -> tuple[list[tuple[str, Node]], Ask]:
    """The plans that are lowered for a plan, each with a word for it, the last without; nothing is evaluated."""
    if not has_closure(node):
        return [("", node)], ask
    plan, scans, order = _replaced(node, ask, lambda closure, _: _sample())
    found: list[tuple[str, Node]] = []
    for number, closure in enumerate(order, 1):
        found += [(f"closure {number}: seeds", closure.seeds), (f"closure {number}: steps", closure.steps)]
    words = f"what the seeds lead to is read as closure{'s' if len(order) > 1 else ''}"
    return [*found, (words, plan)], scans


def shown(node: Node, ask: Ask, text: Callable[[Node, Ask], str]) -> str:
    """All texts of a plan, one after the other."""
    plans, scans = parts(node, ask)
    return ";\n\n".join(f"-- {word}\n{text(plan, scans)}" if word else text(plan, scans) for word, plan in plans)


def _replaced(node: Node, ask: Ask, evaluate: Callable[[Closure, Ask], pa.Table]) -> tuple[Node, Ask, list[Closure]]:
    """Inner closures first; equal ones once."""
    made: dict[str, Scan] = {}
    leaves: dict[Node, Get] = {}

    def scans(get: Get) -> Scan:
        return made[get.name] if get.name in made else ask(get)

    def swap(part: Node) -> Node:
        if not isinstance(part, Closure):
            return part
        if part not in leaves:
            name = f"{REACHED}{len(leaves) + 1}"
            made[name] = _scan(evaluate(part, scans), part.schema)
            leaves[part] = Get(name, part.schema, part.schema.names)
        return leaves[part]

    plan = node.transform(swap)
    return plan, scans, [c for c in leaves if isinstance(c, Closure)]


def _scan(rows: pa.Table, schema: Schema) -> Scan:
    numbered = Schema(tuple(Column(c.name, c.type, i) for i, c in enumerate(schema, 1)))
    columns = [rows.column(c.name) for c in schema]
    ones = pa.repeat(pa.scalar(1, pa.int64()), rows.num_rows)
    table = pa.Table.from_arrays([*columns, ones], names=[*(f"c{c.id}" for c in numbered), WEIGHT])
    return Scan(numbered, tables=(table,), rows=rows.num_rows, consolidated=True)


def _present(rows: pa.Table) -> pa.Table:
    """Rows whose weights sum to more than 0; duplicates may stay."""
    if not rows.num_rows or pc.min(rows.column(WEIGHT)).as_py() > 0:
        return rows
    names = [n for n in rows.column_names if n != WEIGHT]
    summed = rows.group_by(names).aggregate([(WEIGHT, "sum")])
    return summed.filter(pc.greater(summed.column(f"{WEIGHT}_sum"), 0)).select(names)


def _sample() -> pa.Table:
    """A row that stands for a closure which is not evaluated, in a text that is only shown."""
    empty = pa.array([None], pa.string())
    return pa.table({"src": empty, "state": pa.array([0], pa.int32()), "node": empty, "rank": pa.array([0], pa.int64())})
