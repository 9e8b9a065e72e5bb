"""The work that is interrupted in test_kill.py. Each piece runs in a process of its own, which dies where it is told to.

Every scenario passes through real transactions and refreshes.
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.forks import FORKS

import belvedere as bv
import belvedere.store.store

TOTALS = "select customer, sum(amount) total, min(amount) low from orders group by customer"
OVER = "select count(*) n, max(total) top from totals"


def in_process(path: Path, what: str, point: str | None = None, *, in_files: bool = False) -> bool:
    """Do the work in a new process; was it killed? A failure of any other kind is raised. `in_files`: all runs are files, however
    few rows they have."""
    process = FORKS.Process(target=_run, args=(str(path), what, point, in_files))
    process.start()
    process.join(60)
    if process.exitcode not in (0, -9):
        raise AssertionError(f"{what} ended with exit code {process.exitcode}; its error is on stderr")
    return process.exitcode == -9


def _run(path: str, what: str, point: str | None, in_files: bool) -> None:
    if in_files:
        belvedere.store.store.FEW = 0
    if point is not None:
        os.environ["BELVEDERE_KILL"] = point
    with bv.open(path, engine="duckdb") as wh:
        wh.core.store.retention = 3
        SCENARIOS[what](wh)


def transaction(wh: bv.Warehouse, n: int | None = None) -> None:
    """Inserts and a deletion, with an immediate and a published view behind them."""
    number = 100 + wh.epoch if n is None else n
    with wh.transaction() as tx:
        tx.insert("orders", [{"id": 10 * number + i, "customer": i, "amount": number + i} for i in range(3)])
        tx.delete("orders", where=f"id = {10 * (number - 1)}")


def prepare(wh: bv.Warehouse) -> None:
    """Tables, an immediate view that is published, a deferred one over it, and a little history."""
    wh.create_table("orders", "id bigint, customer bigint, amount bigint", key="id")
    wh.create_view("totals", TOTALS, mode="immediate")
    wh.create_view("over", OVER)
    wh.view("totals").publish()
    for n in range(6):
        transaction(wh, n)


def refresh(wh: bv.Warehouse) -> None:
    """`over` is behind: six transactions changed what it reads."""
    wh.refresh()


def recompute(wh: bv.Warehouse) -> None:
    wh.view("over").refresh(strategy="recompute")


def rollback(wh: bv.Warehouse) -> None:
    """A transaction that fails when data files are written already."""
    try:
        with wh.transaction() as tx:
            tx.insert("orders", [{"id": 100_000, "customer": 1, "amount": 1}])
            tx.add_relation("extra", "x int")
            tx.commit.append(tx.registry.collection("orders"), tx.net("orders"))
            raise KeyError
    except KeyError:
        return


def many(wh: bv.Warehouse) -> None:
    """Enough for compaction, expiry and Iceberg snapshots."""
    for _ in range(24):
        transaction(wh)
        wh.refresh()
    wh.compact()


def nothing(wh: bv.Warehouse) -> None:
    """Opening is the work."""


SCENARIOS = {f.__name__: f for f in (prepare, transaction, refresh, recompute, rollback, many, nothing)}
