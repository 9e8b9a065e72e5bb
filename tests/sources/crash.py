"""Work on sources that is interrupted in test_kill.py. Each piece runs in a process of its own, which dies where told to."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.forks import FORKS

import belvedere as bv
import belvedere.store.store


def start(path: Path, url: str, what: str, point: str | None = None, *, in_files: bool = False) -> BaseProcess:
    process = FORKS.Process(target=_run, args=(str(path), url, what, point, in_files))
    process.start()
    return process


def in_process(path: Path, url: str, what: str, point: str | None = None, *, in_files: bool = False) -> bool:
    """Do the work in a new process; was it killed? A failure of any other kind is raised. `in_files`: all runs are files, however
    few rows they have."""
    process = start(path, url, what, point, in_files=in_files)
    process.join(120)
    if process.exitcode not in (0, -9):
        raise AssertionError(f"{what} ended with exit code {process.exitcode}; its error is on stderr")
    return process.exitcode == -9


def _run(path: str, url: str, what: str, point: str | None, in_files: bool) -> None:
    if in_files:
        belvedere.store.store.FEW = 0
    if point is not None:
        os.environ["BELVEDERE_KILL"] = point
    with bv.open(path, engine="duckdb") as wh:
        SCENARIOS[what](wh, url)


def attach(wh: bv.Warehouse, url: str) -> None:
    wh.attach("s", url, mirror=True)


def sync(wh: bv.Warehouse, url: str) -> None:
    wh.sync()


def refresh(wh: bv.Warehouse, url: str) -> None:
    wh.refresh()


def detach(wh: bv.Warehouse, url: str) -> None:
    wh.drop_view("v")
    wh.detach("s")


def create(wh: bv.Warehouse, text: str) -> None:
    wh.create_view("v", text)


def on_and_on(wh: bv.Warehouse, url: str) -> None:
    """Until somebody kills it."""
    while True:
        wh.refresh()


SCENARIOS: dict[str, Callable[[bv.Warehouse, str], None]] = {
    "attach": attach, "sync": sync, "refresh": refresh, "detach": detach, "create": create, "on and on": on_and_on,
}  # fmt: skip
