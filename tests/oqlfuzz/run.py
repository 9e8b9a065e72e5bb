"""Random OQL views and random object updates against a reference interpreter.

    python -m tests.oqlfuzz --cases 1000               # a case is one view × one sequence of transactions
    python -m tests.oqlfuzz --replay 17:v3             # one case again, as a failure prints it
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzzing.runner import Kit, Options
from tests.oqlfuzz.session import Coverage, Session
from tests.oqlfuzz.show import program
from tests.oqlfuzz.shrink import shrink


def session_of(options: Options) -> Session:
    return Session(options.engine, views=options.views, parent=options.parent)


def summary(coverage: Coverage) -> Iterator[str]:
    used, pairs = coverage.tally.used, coverage.tally.pairs
    names = sorted(used)
    yield f"{len(names)} constructs, in views: {', '.join(f'{o} {used[o]:,}' for o in names)}"
    met = sum(1 for a in names for b in names if pairs[a, b])
    yield f"one directly in another: {met:,} of {len(names) ** 2:,} pairs"
    yield f"updates: {', '.join(f'{k} {n:,}' for k, n in sorted(coverage.steps.items()))}"


KIT = Kit("tests.oqlfuzz", __doc__ or "", session_of, program, shrink, summary)
