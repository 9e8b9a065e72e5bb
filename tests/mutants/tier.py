"""The random tier of `make test`, run until the first failure. The runner calls it with a faulty copy of src in front.

    python -m tests.mutants.tier --cases 3000 --seconds 40 --likely 'group by'

Same seeds, same generators, same checks as tests/test_random.py and, in tests/maintenance, test_random_rules.py and
test_random_alike.py; in turns, because some faults show at once in the one and late in the other. To save time, views that are
likely to show the fault are tried first, each by itself; that counts only if its whole seed fails too, as it would in the tier.
Prints what failed, and ends with 1.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator

from tests import test_random
from tests.fuzz.model import Case
from tests.fuzz.session import Session
from tests.maintenance import test_random_alike, test_random_rules

import belvedere
from belvedere.engines.duckdb import DuckDBEngine

CAUGHT = 1
#: likely views, whole seeds, trees of operators, and families of them, per turn
TURN = (24, 3, 8, 4)

#: what failed, or nothing
Piece = Callable[[], str]


def seeds(session: Session, cases: int) -> Iterator[Case]:
    """The seeds of the tier, as many as hold the wanted number of cases."""
    count = 0
    for seed in [*test_random.ONCE_FAILED, *map(str, test_random.SEEDS)]:
        if count < cases:
            case = session.case(seed)
            count += len(case.views)
            yield case


def likely(session: Session, cases: int, pattern: str) -> Iterator[Piece]:
    """The views whose mode, operators or text match, each with what it reads and nothing else."""

    def run(case: Case, name: str) -> str:
        alone = session.run(case.keep(lambda v: v.name == name))
        return str(session.run(case) or "") if alone else ""

    for case in seeds(session, cases if pattern else 0):
        for view in case.views:
            if re.search(pattern, f"{view.mode} {' '.join(view.operators)} {view.text}"):
                yield lambda case=case, name=view.name: run(case, name)  # type: ignore[misc]


def views(session: Session, cases: int) -> Iterator[Piece]:
    """Whole seeds: all their views over all their tables."""
    for case in seeds(session, cases):
        yield lambda case=case: str(session.run(case) or "")  # type: ignore[misc]


def trees(engine: DuckDBEngine) -> Iterator[Piece]:
    """Trees of operators over changing collections."""

    def run(seed: int) -> str:
        try:
            test_random_rules.run_case(engine, seed)
        except Exception as e:
            return f"tree {seed}: {type(e).__name__} {e}"
        return ""

    for seed in range(test_random_rules.CASES):
        yield lambda seed=seed: run(seed)  # type: ignore[misc]


def families(engine: DuckDBEngine) -> Iterator[Piece]:
    """Plans of one shape, together and each by itself."""

    def run(seed: int, kind: str) -> str:
        try:
            test_random_alike.run_case(engine, seed, kind)
        except Exception as e:
            return f"family {seed}, {kind}: {type(e).__name__} {e}"
        return ""

    for seed in range(test_random_alike.CASES):
        for kind in test_random_alike.KINDS:
            yield lambda seed=seed, kind=kind: run(seed, kind)  # type: ignore[misc]


def first_failure(cases: int, seconds: float, pattern: str) -> tuple[str, int, bool]:
    """(what failed or nothing, how many pieces ran, whether all of them did)."""
    begin, ran = time.process_time(), 0
    with Session("duckdb") as session:
        engine = DuckDBEngine(threads=1)
        sources = (likely(session, cases, pattern), views(session, cases), trees(engine), families(engine))
        pools = list(zip(sources, TURN, strict=True))
        while pools:
            for pool, turn in list(pools):
                for _ in range(turn):
                    piece = next(pool, None)
                    if piece is None:
                        pools.remove((pool, turn))
                        break
                    failure = piece()
                    ran += 1
                    if failure:
                        return failure, ran, False
                    if time.process_time() - begin > seconds:
                        return "", ran, False
    return "", ran, True


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.tier")
    parser.add_argument("--cases", type=int, default=test_random.CASES)
    parser.add_argument("--seconds", type=float, default=600.0, help="of processor time")
    parser.add_argument("--likely", default="", metavar="PATTERN", help="try views first whose mode, operators or text match")
    parser.add_argument("--source", default="", help="refuse to run on any other copy of the source")
    args = parser.parse_args(argv)
    if not str(belvedere.__file__).startswith(args.source):
        print(f"this tests {belvedere.__file__}, not {args.source}", file=sys.stderr)
        return 3
    failure, ran, whole = first_failure(args.cases, args.seconds, args.likely)
    print(failure or f"nothing wrong in {ran} pieces{'' if whole else ', out of time'}")
    return CAUGHT if failure else 0


if __name__ == "__main__":
    sys.exit(main())
