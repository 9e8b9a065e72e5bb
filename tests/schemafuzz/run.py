"""Random SchemaSQL views and random changes of data and schema against a reference interpreter.

python -m tests.schemafuzz --cases 1000               # a case is one view × one comparison
python -m tests.schemafuzz --replay 17:v3             # one case again, as a failure prints it
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from tests.fuzz.session import memory_folder
from tests.schemafuzz.changes import KINDS
from tests.schemafuzz.check import Failure
from tests.schemafuzz.session import Coverage, Session
from tests.schemafuzz.show import program
from tests.schemafuzz.shrink import shrink

CHUNK = 5
#: the part of the transactions that a comparison follows
REFRESHED = 0.8


@dataclass(frozen=True)
class Options:
    engine: str = "duckdb"
    views: int | None = None
    shrink_seconds: float = 60.0
    folder: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What one chunk of seeds gave."""

    coverage: Coverage
    failures: tuple[Failure, ...]


def session_of(options: Options) -> Session:
    return Session(options.engine, views=options.views, parent=Path(options.folder) if options.folder else None)


def _work(job: tuple[list[str], Options]) -> Outcome:
    seeds, options = job
    with session_of(options) as session:
        failures = [f for f in (session.run(session.case(s)) for s in seeds) if f is not None]
        return Outcome(session.coverage, tuple(failures))


def outcomes(first: int, worlds: int, jobs: int, options: Options) -> Iterator[Outcome]:
    chunks = [([str(s) for s in range(n, min(n + CHUNK, first + worlds))], options) for n in range(first, first + worlds, CHUNK)]
    if jobs == 1:
        yield from map(_work, chunks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_work, chunks)


def replay_command(failure: Failure, options: Options) -> str:
    """The one command that shows the failure again."""
    seed = failure.case.seed + (f":{failure.view}" if failure.view else "")
    more = f" --engine {options.engine}" if options.engine != "duckdb" else ""
    more += f" --views {options.views}" if options.views else ""
    return f"python -m tests.schemafuzz --replay {seed}{more}"


def say(console: Console, *lines: object) -> None:
    for line in lines:
        console.print(str(line), markup=False, highlight=False, soft_wrap=True)


def minimise(console: Console, failure: Failure, options: Options) -> None:
    with session_of(options) as session:
        small = shrink(failure, session.run, options.shrink_seconds)
    say(console, "", "as small as it gets:", "", program(small.case, options.engine), "", small)


def summary(console: Console, coverage: Coverage, seconds: float, failed: int) -> None:
    names, met = sorted(coverage.operators), coverage.met
    state = "clean" if not failed else f"{failed} seeds failed"
    say(console, f"{coverage.cases:,} cases in {seconds:.0f} s ({coverage.cases / max(seconds, 1e-9):.1f}/s), {state}")
    say(console, f"operators, in views: {', '.join(f'{o} {coverage.operators[o]:,}' for o in names)}")
    for kind in (*KINDS, "mixed"):
        say(console, f"  {kind:17} × {', '.join(f'{o} {met[o, kind]:,}' for o in names)}")
    say(console, f"refreshes: {', '.join(f'{k} {n:,}' for k, n in sorted(coverage.strategies.items()))}")


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tests.schemafuzz", description=__doc__, formatter_class=raw)
    parser.add_argument("--cases", type=int, default=1000, help="how many (view × comparison) cases")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--views", type=int, help="views per seed")
    parser.add_argument("--replay", metavar="SEED", help="run SEED or SEED:VIEW again, and make a failure small")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first failure")
    parser.add_argument("--shrink", type=float, default=60.0, metavar="SECONDS", help="time to spend on making a failure small")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    console = Console()
    folder = memory_folder()  # workers are stopped, not asked to leave, so what they made is removed here
    try:
        options = Options(args.engine, args.views, args.shrink, str(folder))
        return replay(console, args.replay, options) if args.replay else fuzz(console, args, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replay(console: Console, seed: str, options: Options) -> int:
    with session_of(options) as session:
        case = session.case(seed)
        failure = session.run(case)
    if failure is None:
        say(console, program(case, options.engine), "", f"{seed}: nothing wrong")
        return 0
    say(console, f"failed: {failure}")
    minimise(console, failure, options)
    return 1


def fuzz(console: Console, args: argparse.Namespace, options: Options) -> int:
    session = session_of(options)
    per_seed = max(1, int(session.views * session.steps * REFRESHED))
    worlds = -(-args.cases // per_seed)
    total, failures = Coverage(), list[Failure]()
    begin = time.perf_counter()
    columns = (TextColumn("fuzz"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("cases", total=worlds * per_seed)
        for outcome in outcomes(args.seed, worlds, args.jobs, options):
            total.update(outcome.coverage)
            progress.update(task, advance=outcome.coverage.cases)
            for failure in outcome.failures:
                say(progress.console, f"failed: {failure}", f"replay: {replay_command(failure, options)}", "")
            failures += outcome.failures
            if failures and not args.keep_going:
                break
    summary(console, total, time.perf_counter() - begin, len(failures))
    if failures and args.shrink > 0 and not args.keep_going:
        minimise(console, failures[0], options)
    return 1 if failures else 0
