"""Random views over two to six databases that are not mirrored, by all strategies, some while others write, against DuckDB alone.

    python -m tests.sourcefuzz --cases 2000            # a case is one view with a few rounds of changes
    python -m tests.sourcefuzz --replay 17             # one case again
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzzing.failure import Failure
from tests.fuzzing.runner import Kit, Options
from tests.sourcefuzz.session import Case, Coverage, Session


def session_of(options: Options) -> Session:
    return Session(parent=options.parent)


def program(case: Case, engine: str) -> str:
    return f"seed {case.seed} over {', '.join(case.systems)}, {case.rounds} rounds; tests/sources/remote/world.py makes it"


def shrink(failure: Failure, run: Callable[[Case], Failure | None], seconds: float) -> Failure:
    """With files only, if that is enough to fail, and with as few rounds as that takes."""
    until, best = time.monotonic() + seconds, failure
    for systems in (("sqlite",), failure.case.systems):
        for rounds in range(1, best.case.rounds + 1):
            if time.monotonic() > until:
                return best
            found = run(replace(best.case, systems=systems, rounds=rounds))
            if found is not None and found.kind == best.kind:
                return found
    return best


def summary(coverage: Coverage) -> Iterator[str]:
    for what, counts in (("databases", coverage.sizes), ("systems", coverage.systems), ("strategies", coverage.strategies)):
        yield f"{what}: {', '.join(f'{k} {n:,}' for k, n in sorted(counts.items()))}"


KIT = Kit("tests.sourcefuzz", __doc__ or "", session_of, program, shrink, summary)
