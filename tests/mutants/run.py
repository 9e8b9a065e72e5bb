"""Plant faults, one at a time, and count how many the random tier catches.

    python -m tests.mutants                    # all of them
    python -m tests.mutants --only 17          # one, with what the tier said
    python -m tests.mutants --jobs 2 --cases 3000 --seconds 60

A fault counts as caught when the tier fails. Ends with 1 if fewer than 95 in 100 are caught, with 2 if the list does not fit
the source.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests import test_random
from tests.mutants import faults
from tests.mutants.faults import Fault, Misplaced

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
WANTED = 0.95


@dataclass(frozen=True)
class Verdict:
    number: int
    fault: Fault
    caught: bool
    said: str
    seconds: float


def try_fault(number: int, fault: Fault, cases: int, seconds: float) -> Verdict:
    """A copy of src with the fault, and the tier over it."""
    begin = time.monotonic()
    memory = "/dev/shm"
    folder = Path(tempfile.mkdtemp(prefix="belvedere-mutant-", dir=memory if os.access(memory, os.W_OK) else None))
    try:
        shutil.copytree(SOURCE, folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        path, text = fault.planted(folder / "src")
        path.write_text(text, encoding="utf-8")
        caught, said = run_tier(folder / "src", cases, seconds, fault.likely)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Verdict(number, fault, caught, said, time.monotonic() - begin)


def run_tier(source: Path, cases: int, seconds: float, likely: str = "") -> tuple[bool, str]:
    """Did the tier fail, and what did it say? A tier that hangs is no verdict on the fault, and counts as not caught."""
    options = {"--cases": cases, "--seconds": seconds, "--likely": likely, "--source": source}
    command = [sys.executable, "-m", "tests.mutants.tier", *(str(x) for pair in options.items() for x in pair)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)]), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=20 * seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return False, "the tier hangs"
    if done.returncode not in (0, 1):
        raise RuntimeError(f"the tier could not run: {done.stderr or done.stdout}")
    return done.returncode == 1, (done.stdout or done.stderr).strip()


def table(verdicts: list[Verdict]) -> Table:
    shown = Table("", "file", "fault", "caught by", "s", box=None, padding=(0, 1))
    for v in verdicts:
        by = v.said.splitlines()[0] if v.caught else f"[red]not caught[/red] ({v.said.splitlines()[0]})"
        shown.add_row(str(v.number), v.fault.file, v.fault.about, by[:70], f"{v.seconds:.0f}")
    return shown


def arguments(argv: list[str] | None) -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__, formatter_class=raw)
    parser.add_argument("--only", help="numbers of faults, with commas")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cases", type=int, default=test_random.CASES, help="of the random tier")
    parser.add_argument("--seconds", type=float, default=60.0, help="of processor time to spend on one fault")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    console = Console(width=180 if not sys.stdout.isatty() else None)
    planted = faults.every()
    try:
        faults.check(planted, SOURCE)
    except Misplaced as wrong:
        console.print(str(wrong), style="red", markup=False, highlight=False)
        return 2
    failed, said = run_tier(SOURCE, 200, args.seconds)
    if failed:
        console.print(f"the tier fails without any fault: {said}", style="red", markup=False, highlight=False)
        return 2
    numbers = [int(n) for n in args.only.split(",")] if args.only else list(range(len(planted)))
    verdicts: list[Verdict] = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for v in pool.map(lambda n: try_fault(n, planted[n], args.cases, args.seconds), numbers):
            verdicts.append(v)
            mark = "caught" if v.caught else "NOT CAUGHT"
            console.print(f"{len(verdicts)}/{len(numbers)} fault {v.number}: {mark} in {v.seconds:.0f} s", highlight=False)
            if args.only:
                console.print(v.said, markup=False, highlight=False)
    console.print(table(verdicts))
    caught = sum(v.caught for v in verdicts)
    console.print(f"{caught} of {len(verdicts)} planted faults caught ({caught / len(verdicts):.0%})", highlight=False)
    return 0 if caught >= WANTED * len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
