"""Random views and random changes against recomputation.

    python -m tests.fuzz --cases 3000                  # any number of cases; a case is one view × one change sequence
    python -m tests.fuzz --replay 17:v3                # one case again, as a failure prints it
    python -m tests.fuzz --cases 500 --ops join,group\\ by
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from tests.fuzz.check import Failure
from tests.fuzz.operators import OPERATORS
from tests.fuzz.session import Coverage, Session, memory_folder
from tests.fuzz.show import program
from tests.fuzz.shrink import shrink

CHUNK = 5


@dataclass(frozen=True)
class Options:
    engine: str = "duckdb"
    views: int | None = None
    ops: tuple[str, ...] | None = None
    verify: str = "last"
    shrink_seconds: float = 60.0
    folder: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What one chunk of seeds gave."""

    coverage: Coverage
    failures: tuple[Failure, ...]
    seconds: float


_session: Session | None = None


def _work(job: tuple[list[str], Options]) -> Outcome:
    """A chunk in a worker, which keeps its warehouse from chunk to chunk."""
    global _session
    seeds, options = job
    if _session is None:
        _session = session_of(options)
    begin = time.perf_counter()
    _session.coverage = Coverage()
    failures = [f for f in (_session.run(_session.case(s)) for s in seeds) if f is not None]
    return Outcome(_session.coverage, tuple(failures), time.perf_counter() - begin)


def outcomes(first: int, worlds: int, jobs: int, options: Options) -> Iterator[Outcome]:
    chunks = [([str(s) for s in range(n, min(n + CHUNK, first + worlds))], options) for n in range(first, first + worlds, CHUNK)]
    if jobs == 1:
        yield from map(_work, chunks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_work, chunks)


def replay_command(failure: Failure, options: Options, seeds: str = "") -> str:
    """The one command that shows the failure again."""
    parts = ["python -m tests.fuzz", f"--replay {seeds or smallest_seed(failure)}"]
    if options.engine != "duckdb":
        parts.append(f"--engine {options.engine}")
    if options.views:
        parts.append(f"--views {options.views}")
    if options.ops:
        parts.append(f"--ops '{','.join(options.ops)}'")
    return " ".join(parts)


def report(console: Console, failure: Failure, options: Options) -> None:
    """What failed, and the shortest command that shows it again, each tried out: the view, its seed, or also those before."""
    console.print(f"failed: {failure}", markup=False, highlight=False, soft_wrap=True)
    seeds = ",".join([*failure.before, failure.case.seed])
    for alone in (smallest_seed(failure), failure.case.seed):
        with session_of(options) as session:
            if session.run(session.case(alone)) is not None:
                seeds = alone
                break
    console.print(f"replay: {replay_command(failure, options, seeds)}", markup=False, highlight=False, soft_wrap=True)


def smallest_seed(failure: Failure) -> str:
    return failure.case.seed + (f":{failure.view}" if failure.view else "")


def session_of(options: Options) -> Session:
    parent = Path(options.folder) if options.folder else None
    return Session(options.engine, views=options.views, ops=options.ops, verify=options.verify, parent=parent)


def minimise(console: Console, failure: Failure, options: Options) -> None:
    """Make a failing case small, and print it as a program."""
    with Session(options.engine, views=options.views) as session:
        small = shrink(failure, lambda case: session.run(case, types=failure.check == "types"), options.shrink_seconds)
    console.print("\nas small as it gets:\n", highlight=False)
    console.print(program(small.case, options.engine), markup=False, highlight=False, soft_wrap=True)
    console.print(f"\n{small}", markup=False, highlight=False, soft_wrap=True)


def summary(console: Console, coverage: Coverage, seconds: float, failed: int) -> None:
    pairs, met = coverage.tally.pairs, coverage.met
    names = sorted(coverage.tally.used)
    state = "clean" if not failed else f"{failed} failed"
    lines = [f"{coverage.cases:,} cases in {seconds:.0f} s ({coverage.cases / max(seconds, 1e-9):.1f}/s), {state}"]
    lines.append(f"{len(names)} operators, in cases: {', '.join(f'{o} {coverage.tally.used[o]:,}' for o in names)}")
    rare = sorted((pairs[a, b], f"{b} in {a}") for a in names for b in names)
    shown = ", ".join(f"{pair} {times}" for times, pair in rare[:5])
    lines.append(f"nested both ways: {sum(1 for n, _ in rare if n):,} of {len(rare):,} pairs; the rarest: {shown}")
    kinds = sorted({k for _, k in met})
    if kinds:
        times, operator, kind = min((met[o, k], o, k) for o in names for k in kinds)
        lines.append(f"operators × {{{', '.join(kinds)}}}: the rarest is {operator} × {kind}, in {times} cases")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__, formatter_class=raw)
    parser.add_argument("--cases", type=int, default=3000, help="how many (view × change sequence) cases")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--views", type=int, help="views per seed")
    parser.add_argument("--ops", help=f"only these operators, with commas: {', '.join(OPERATORS)}")
    again = "run SEED, SEED:VIEW, or several (1,2,3) in one warehouse, and make a failure small"
    parser.add_argument("--replay", metavar="SEED", help=again)
    when = "when to call the views' own verify: of some in the end, or of all after every sequence"
    parser.add_argument("--verify", choices=["last", "every"], default="last", help=when)
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first failure")
    parser.add_argument("--shrink", type=float, default=60.0, metavar="SECONDS", help="time to spend on making a failure small")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    console = Console()
    ops = tuple(o.strip() for o in args.ops.split(",")) if args.ops else None
    unknown = [o for o in ops or () if o not in OPERATORS]
    if unknown:
        console.print(f"no operator {unknown[0]!r}; known: {', '.join(OPERATORS)}", markup=False)
        return 2
    folder = memory_folder()  # workers are stopped, not asked to leave, so what they made is removed here
    try:
        options = Options(args.engine, args.views, ops, args.verify, args.shrink, str(folder))
        return replay(console, args.replay, options) if args.replay else fuzz(console, args, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replay(console: Console, seeds: str, options: Options) -> int:
    """Run the seeds in one warehouse, one after the other; what fails is made small, if it fails by itself."""
    with session_of(options) as session:
        for seed in seeds.split(","):
            case = session.case(seed)
            failure = session.run(case)
            if failure is not None:
                report(console, failure, options)
                minimise(console, failure, options)
                return 1
    console.print(program(case, options.engine), markup=False, highlight=False, soft_wrap=True)
    console.print(f"\n{seeds}: nothing wrong", highlight=False)
    return 0


def fuzz(console: Console, args: argparse.Namespace, options: Options) -> int:
    empty = Session(options.engine, views=options.views)
    per_seed = empty.views * empty.sequences
    worlds = -(-args.cases // per_seed)
    total, failures = Coverage(), list[Failure]()
    begin = time.perf_counter()
    failed = TextColumn("{task.fields[failed]} failed")
    columns = (TextColumn("fuzz"), BarColumn(), MofNCompleteColumn(), failed, TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("cases", total=worlds * per_seed, failed=0)
        for outcome in outcomes(args.seed, worlds, args.jobs, options):
            total.update(outcome.coverage)
            for failure in outcome.failures:  # said at once, since a long run ends long after
                progress.console.print(f"failed: {failure.case.seed}:{failure.view or ''}", markup=False, highlight=False)
            failures += outcome.failures
            progress.update(task, advance=outcome.coverage.cases, failed=len(failures))
            if failures and not args.keep_going:
                break
    for failure in failures[:20]:
        report(console, failure, options)
    summary(console, total, time.perf_counter() - begin, len(failures))
    if failures and args.shrink > 0:
        minimise(console, failures[0], options)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
