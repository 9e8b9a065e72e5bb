"""The benchmark book: every program under benchmarks/, one after the other, written to benchmarks/RESULTS.md with plots and the
numbers as JSON in benchmarks/results/.

Of a page that is there, --only keeps what it says of the other programs.
A program whose bars are not all met is said so in the book, and the exit code is 1 at the end; the others still run.

    python benchmarks/book.py [--only overhead,together] [--large] [--to DIRECTORY]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.book.chapters import CHAPTERS
from benchmarks.book.pages import page
from benchmarks.book.pictures import pictures
from benchmarks.book.run import Ran, run
from rich.console import Console

from belvedere.engines.spark.java import java_problem

BESIDE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="some programs, by name: " + ", ".join(c.name for c in CHAPTERS))
    parser.add_argument("--large", action="store_true", help="sizes for a large machine")
    parser.add_argument("--to", type=Path, default=BESIDE, help="where RESULTS.md and results/ are written")
    options, console = parser.parse_args(), Console()
    wanted = options.only.split(",") if options.only else [c.name for c in CHAPTERS]
    if unknown := set(wanted) - {c.name for c in CHAPTERS}:
        parser.error(f"no program {', '.join(sorted(unknown))}; there are {', '.join(c.name for c in CHAPTERS)}")
    problem = java_problem()
    results = options.to / "results"
    results.mkdir(parents=True, exist_ok=True)
    before = (options.to / "RESULTS.md").read_text() if options.only and (options.to / "RESULTS.md").exists() else ""
    ran: list[Ran] = []
    left_out: list[str] = []
    for chapter in (c for c in CHAPTERS if c.name in wanted):
        if chapter.spark and problem:
            left_out.append(chapter.title)
            console.print(f"{chapter.name}: not run. {problem}", highlight=False)
            continue
        with console.status(f"{chapter.title} …"):
            done = run(chapter, results, options.large)
        ran.append(done)
        (options.to / "RESULTS.md").write_text(page(ran, pictures(results), options.to, left_out, options.large, before))
        met = "[green]all bars met[/]" if done.good else "[red]not all bars met[/]"
        console.print(f"{done.seconds:6.0f} s  {chapter.name:11} {met}", highlight=False)
    console.print(f"{options.to / 'RESULTS.md'} is written.", highlight=False)
    return 0 if all(r.good for r in ran) else 1


if __name__ == "__main__":
    sys.exit(main())
