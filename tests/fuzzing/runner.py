"""The command line of a random kit whose cases are compared with a reference interpreter: many seeds in several processes, a
failure with the one command that replays it, and a replay that makes it small. A kit says what is its own: its `session` makes
cases of seeds (`case`), runs them (`run`), and knows `coverage` and how many cases a seed gives (`per_seed`)."""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from tests.fuzz.session import memory_folder
from tests.fuzzing.failure import Failure

CHUNK = 5


@dataclass(frozen=True)
class Options:
    engine: str = "duckdb"
    views: int | None = None
    shrink_seconds: float = 60.0
    folder: str | None = None

    @property
    def parent(self) -> Path | None:
        return Path(self.folder) if self.folder else None


@dataclass(frozen=True)
class Kit:
    """`module` is what follows `python -m`; the functions must be found by name, since workers are other processes."""

    module: str
    about: str
    session: Callable[[Options], AbstractContextManager[Any]]
    program: Callable[[Any, str], str]
    shrink: Callable[[Any, Callable[[Any], Any], float], Any]
    summary: Callable[[Any], Iterable[str]]

    def replay_command(self, failure: Failure, options: Options) -> str:
        """The one command that shows the failure again."""
        seed = failure.case.seed + (f":{failure.view}" if failure.view else "")
        more = f" --engine {options.engine}" if options.engine != "duckdb" else ""
        more += f" --views {options.views}" if options.views else ""
        return f"python -m {self.module} --replay {seed}{more}"

    def main(self, argv: list[str] | None = None) -> int:
        args = self._arguments(argv)
        console = Console()
        folder = memory_folder()  # workers are stopped, not asked to leave, so what they made is removed here
        try:
            options = Options(args.engine, args.views, args.shrink, str(folder))
            return self._replay(console, args.replay, options) if args.replay else self._fuzz(console, args, options)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _arguments(self, argv: list[str] | None) -> argparse.Namespace:
        raw = argparse.RawDescriptionHelpFormatter
        parser = argparse.ArgumentParser(prog=f"python -m {self.module}", description=self.about, formatter_class=raw)
        parser.add_argument("--cases", type=int, default=1000, help="how many cases")
        parser.add_argument("--seed", type=int, default=0, help="the first seed")
        parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
        parser.add_argument("--jobs", type=int, default=1)
        parser.add_argument("--views", type=int, help="views per seed")
        parser.add_argument("--replay", metavar="SEED", help="run SEED or SEED:VIEW again, and make a failure small")
        parser.add_argument("--keep-going", action="store_true", help="do not stop at the first failure")
        parser.add_argument("--shrink", type=float, default=60.0, metavar="SECONDS", help="time to make a failure small")
        return parser.parse_args(argv)

    def _replay(self, console: Console, seed: str, options: Options) -> int:
        with self.session(options) as session:
            case = session.case(seed)
            failure = session.run(case)
        if failure is None:
            say(console, self.program(case, options.engine), "", f"{seed}: nothing wrong")
            return 0
        say(console, f"failed: {failure}")
        self._minimise(console, failure, options)
        return 1

    def _minimise(self, console: Console, failure: Failure, options: Options) -> None:
        with self.session(options) as session:
            small = self.shrink(failure, session.run, options.shrink_seconds)
        say(console, "", "as small as it gets:", "", self.program(small.case, options.engine), "", small)

    def _fuzz(self, console: Console, args: argparse.Namespace, options: Options) -> int:
        with self.session(options) as session:
            per_seed, total = session.per_seed, session.coverage
        worlds = -(-args.cases // per_seed)
        failures: list[Any] = []
        told = 0
        begin = time.perf_counter()
        columns = (TextColumn("fuzz"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("cases", total=worlds * per_seed)
            for coverage, found in self._outcomes(args.seed, worlds, args.jobs, options):
                total.update(coverage)
                progress.update(task, advance=coverage.cases)
                for failure in found:
                    say(progress.console, f"failed: {failure}", f"replay: {self.replay_command(failure, options)}", "")
                failures += found
                told = self._tell(console, told, total.cases, worlds * per_seed, len(failures))
                if failures and not args.keep_going:
                    break
        seconds = time.perf_counter() - begin
        state = "clean" if not failures else f"{len(failures)} seeds failed"
        say(console, f"{total.cases:,} cases in {seconds:.0f} s ({total.cases / max(seconds, 1e-9):.1f}/s), {state}")
        say(console, *self.summary(total))
        if failures and args.shrink > 0 and not args.keep_going:
            self._minimise(console, failures[0], options)
        return 1 if failures else 0

    def _tell(self, console: Console, told: int, done: int, total: int, failed: int) -> int:
        """Into a file goes a line for every twentieth instead of a bar; how many were done when a line was last written."""
        if console.is_terminal or (done - told) * 20 < total:
            return told
        say(console, f"{done:,} of {total:,} cases, {failed} seeds failed")
        return done

    def _outcomes(self, first: int, worlds: int, jobs: int, options: Options) -> Iterator[tuple[Any, list[Any]]]:
        last = first + worlds
        chunks = [(self, options, [str(s) for s in range(n, min(n + CHUNK, last))]) for n in range(first, last, CHUNK)]
        if jobs == 1:
            yield from map(_work, chunks)
            return
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            yield from pool.imap_unordered(_work, chunks)


def _work(job: tuple[Kit, Options, list[str]]) -> tuple[Any, list[Any]]:
    """One chunk of seeds: what it covered, and what failed."""
    kit, options, seeds = job
    with kit.session(options) as session:
        failures = [f for f in (session.run(session.case(s)) for s in seeds) if f is not None]
        return session.coverage, failures


def say(console: Console, *lines: object) -> None:
    for line in lines:
        console.print(str(line), markup=False, highlight=False, soft_wrap=True)
