"""The work that is interrupted in test_crash.py. Each piece runs in a process of its own, which dies where it is told to."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.store.helpers import ArrowMerger, make, open_store, rows
from tests.support.forks import FORKS

from belvedere.store.parquet import write_table
from belvedere.store.physical import named_schema


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it had said by then."""

    returncode: int | None
    stdout: str
    stderr: str


def in_process(path: Path, what: str, kill: str | None = None, catalog: str | None = None, few: int = 0) -> Ended:
    """Do the work in a new process, which writes into files: what it said is there also when it is killed."""
    with tempfile.TemporaryDirectory() as said:
        process = FORKS.Process(target=_run, args=(said, what, str(path), kill, catalog, few))
        process.start()
        process.join(120)
        if process.is_alive():
            process.kill()
            process.join()
            raise AssertionError(f"{what} did not end within 120 s")
        stdout, stderr = (_read(Path(said) / name) for name in ("stdout", "stderr"))
        return Ended(process.exitcode, stdout, stderr)


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _run(said: str, what: str, path: str, kill: str | None, catalog: str | None, few: int) -> None:
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(os.path.join(said, name), os.O_WRONLY | os.O_CREAT), number)
    os.environ.pop("BELVEDERE_KILL", None)
    if kill is not None:
        os.environ["BELVEDERE_KILL"] = kill
    SCENARIOS[what](path, catalog, few)


def report(said: object) -> None:
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


def scenario(path: str, catalog: str | None, few: int, epochs: int = 12) -> None:
    """Passes every point, and reports every epoch right after it was published."""
    store = open_store(path, catalog, retention=3, few=few)
    orders = store.collection("orders") or make(store)
    stage = store.collection("stage") or make(store, "stage")
    report(store.epoch)
    for n in range(epochs):
        with store.begin() as tx:
            tx.append(orders, rows(orders, (n, n, "x")))
            tx.append(stage, rows(stage, (n, n, "y")))
            tx.put_doc("total", "t", {"n": tx.base})
            if n in (2, 6):
                file = os.path.join(tx.directory(), "plain.parquet")
                plain = rows(orders, (n, n, "p")).drop_columns(["_w"]).rename_columns(orders.schema.names)
                write_table(file, named_schema(orders.schema), plain)
                tx.publish_iceberg("plain", orders.schema, [file], [f for f, _ in store.iceberg_files("plain")])
            epoch = tx.publish()
        report(epoch)
        with store.begin() as tx:
            tx.append(orders, rows(orders, (999, n, "never")))
        if n % 2:
            store.maintain(ArrowMerger())
    report("done")


def orphan(path: str, catalog: str | None, few: int) -> None:
    """Dies with a transaction open."""
    store = open_store(path, catalog, retention=3, few=few)
    orders = make(store)
    tx = store.begin()
    tx.append(orders, rows(orders, (1, 1, "orphan")))
    os.kill(os.getpid(), signal.SIGKILL)


def longer(path: str, catalog: str | None, few: int) -> None:
    """Until collections are merged for the second time, now without a snapshot."""
    scenario(path, catalog, few, 18)


def quiet(path: str, catalog: str | None, few: int) -> None:
    """Snapshots are taken after the merges that they are due by, and the rows of those stay where they are."""
    store = open_store(path, catalog, retention=3, few=few)
    orders, due = store.collection("orders") or make(store), list[str]()
    report(store.epoch)
    for n in range(16):
        with store.begin() as tx:
            tx.append(orders, rows(orders, (n, n, "x")))
            epoch = tx.publish()
        report(epoch)
        store.maintain(ArrowMerger(), later=due.append)
        while due:
            store.take_snapshot(due.pop(), ArrowMerger())
    report("done")


SCENARIOS = {"quiet": quiet, "scenario": scenario, "longer": longer, "orphan": orphan}
