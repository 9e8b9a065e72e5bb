"""Views over several databases, measured as the paper on cost-driven maintenance measured its own (section 4).

Four SQLite files, one table each, an index on one join only, behind a network with a small delay for every tuple; whole tuples
travel, as in the paper. Fig 11: how well the regression explains what queries cost. Figs 12, 13: every batch and grouping plan
with join factors of 1. Figs 14, 15: with factors of 4 on two edges. Fig 16: the same behind a slow network. Fig 17: greedy
search, and the time of optimization. Seconds are those of this process, in which SQLite runs, plus the delays (--wall: those of
the clock on the wall, and the delays are slept). Exit code 1 if a bar is not met.

    python benchmarks/sources.py [--only 11,12] [--rows 100000] [--lan 0.00002] [--delay 0.0005] [--updates 400,4000]
                                 [--rounds 2] [--wall]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.source_views.clock import Clock
from benchmarks.source_views.databases import EVEN, HIGH, NAMES, Databases
from benchmarks.source_views.figures import Figure, figure11, figure17, plans
from benchmarks.source_views.here import Here
from benchmarks.source_views.measure import Survey, learn, survey

FIGURES = ("11", "12", "14", "16", "17")


class Program:
    """The figures, each on its own. What is learned before one is learned from probing queries only."""

    def __init__(self, databases: Databases, lan: float, delay: float, updates: list[int], rounds: int) -> None:
        self.databases, self.lan, self.delay, self.updates, self.rounds = databases, lan, delay, updates, rounds
        self.here = Here()

    def run(self, number: str) -> Iterator[Figure]:
        if number == "11":
            yield figure11(self.databases, self.databases.view(EVEN), self.here, self.lan, self.rounds + 1)
        elif number == "12":
            yield from self._even()
        elif number == "14":
            yield plans(self._high("Figs 14, 15", self.lan, self.rounds), batch_wins=True)
        elif number == "16":
            yield plans(self._high("Fig 16", self.delay, 1), batch_wins=True)
        else:
            yield figure17()

    def _even(self) -> Iterator[Figure]:
        databases, view = self.databases, self.databases.view(EVEN)
        databases.mark()
        known = learn(databases, view, self.here, self.lan, self.rounds)
        for size in self.updates:
            databases.change(dict.fromkeys(NAMES, size // 4))
            title = f"Figs 12, 13: {size:,} updates, join factors of 1"
            yield plans(survey(title, databases, view, self.here, known, self.lan, self.rounds))

    def _high(self, name: str, delay: float, rounds: int) -> Survey:
        databases, view = self.databases, self.databases.view(HIGH)
        databases.mark()
        known = learn(databases, view, self.here, delay, rounds)
        large = databases.rows // 50
        databases.change({"0": large, "1": large, "2": 10, "3": 10})
        what = f"{large:,} updates in 0 and 1, 10 in 2 and 3, factors of 4 on 0-2 and 1-2"
        title = f"{name}: {what}, {delay * 1e3:g} ms for a tuple of 2 attributes"
        return survey(title, databases, view, self.here, known, delay, rounds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(FIGURES), help="which figures; 12 includes 13, 14 includes 15")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--lan", type=float, default=0.00002, help="seconds for a tuple of two attributes, but for Fig 16")
    parser.add_argument("--delay", type=float, default=0.0005, help="seconds for a tuple of two attributes, Fig 16")
    parser.add_argument("--updates", default="400,4000", help="Figs 12 and 13: how many updates, evenly over the sources")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--wall", action="store_true")
    chosen = parser.parse_args()
    unknown = [n for n in chosen.only.split(",") if n not in FIGURES]
    if unknown:
        parser.error(f"no figure {', '.join(unknown)}; there are {', '.join(FIGURES)}")
    sizes = [int(n) for n in chosen.updates.split(",")]
    good = True
    with tempfile.TemporaryDirectory() as directory:
        databases = Databases(Path(directory), chosen.rows, Clock(chosen.wall))
        program = Program(databases, chosen.lan, chosen.delay, sizes, chosen.rounds)
        try:
            for figure in (f for number in chosen.only.split(",") for f in program.run(number)):
                print(f"\n{figure.title}", flush=True)
                for line in figure.lines:
                    print(f"  {line}")
                for bar, met in figure.bars:
                    print(f"  {'met' if met else 'NOT MET'}: {bar}", flush=True)
                    good = good and met
        finally:
            databases.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
