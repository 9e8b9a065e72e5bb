"""Run one plan and write its result as runs of a stage."""

from __future__ import annotations

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import gets
from belvedere.algebra.rewrite.empty import without_empty
from belvedere.engines.result import Engine
from belvedere.errors import OutOfMemory
from belvedere.store.commit import Commit
from belvedere.store.model import Collection, Run
from belvedere.store.parquet import to_physical
from belvedere.store.ready import Ready
from belvedere.warehouse.ahead import Ahead
from belvedere.warehouse.core import Core
from belvedere.warehouse.report import Step
from belvedere.warehouse.resolve import Overlay, Resolver

#: results expected to be larger than this are written by the engine itself, without passing through the driver
COLLECT_ROWS = 500_000


def run_stage(
    core: Core, commit: Commit, overlay: Overlay, target: Collection, node: Node, rule: str, resolver: Resolver, engine: str,
    *, rows_in: int, wish: str | None = None, ahead: Ahead | None = None,
) -> tuple[Step, list[Run]]:  # fmt: skip
    """The result lands in the commit, and in the overlay for those who read it next. Where the memory of this process is not
    enough, Spark does it, unless the user wishes otherwise. It may have been begun `ahead`."""
    try:
        return _run(core, commit, overlay, target, node, rule, resolver, core.engine(engine), rows_in, ahead)
    except OutOfMemory:
        if engine == "spark" or "spark" not in core.allowed(wish) or not core.spark_possible:
            raise
        moved = f"{rule}; moved to Spark, since DuckDB needs more memory than it may take"
        return _run(core, commit, overlay, target, node, moved, resolver, core.spark, rows_in)


def _run(
    core: Core, commit: Commit, overlay: Overlay, target: Collection, node: Node, rule: str, resolver: Resolver, runner: Engine,
    rows_in: int, ahead: Ahead | None = None,
) -> tuple[Step, list[Run]]:  # fmt: skip
    if is_large(node, resolver):
        ids = {c.name: c.id for c in target.schema}
        sort = [c.name for i in target.sort for c in target.schema if c.id == i]
        paths, metrics = runner.write(node, resolver, ids, sort, commit.directory())
        runs = commit.adopt(target, paths, arrangement=target.sort)
        overlay.files.setdefault(target.name, []).extend(runs)
        rows = sum(r.rows for r in runs)
    else:
        done = runner.run(node, resolver) if ahead is None else ahead.run(target.name, node, runner, resolver)
        table, metrics = done
        ready = None if ahead is None else ahead.ready(target.name, table)
        rows, runs = table.num_rows, land(core, commit, overlay, target, table, ready)
    step = Step(
        name=target.name, rule=rule, engine=runner.name, rows_in=rows_in, rows_out=rows, rows_read=metrics.rows_read,
        bytes_read=metrics.bytes_read, files=metrics.files, jobs=metrics.jobs, seconds=metrics.seconds, sql=metrics.sql,
        fetched=metrics.fetched,
    )  # fmt: skip
    return step, runs


def land(
    core: Core, commit: Commit, overlay: Overlay, target: Collection, table: pa.Table, ready: Ready | None = None
) -> list[Run]:
    """Rows of a stage's change into the commit and the overlay; they may be `ready` for that."""
    if not table.num_rows:
        return []
    if ready is None:
        [ready] = commit.ready([(target, to_physical(table, target))])
    run = commit.append(target, ready)
    core.keep(run, ready.rows)
    overlay.tables.setdefault(target.name, []).append(ready.rows)
    return [run]


def is_large(node: Node, resolver: Resolver) -> bool:
    """May the result be too large for the driver? An upper bound from what is read without lookups, as far as anything is read
    that does not hang on a change that there is not."""
    whole = [resolver.size(n) for n in gets(node) if not n.by]
    if max(whole, default=0) > COLLECT_ROWS:
        left = without_empty(node, lambda get: resolver(get).is_empty)
        whole = [resolver.size(n) for n in gets(left) if not n.by]
    return max(whole, default=0) > COLLECT_ROWS
