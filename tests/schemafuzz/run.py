"""Random SchemaSQL views and random changes of data and schema against a reference interpreter.

    python -m tests.schemafuzz --cases 1000            # a case is one view × one comparison
    python -m tests.schemafuzz --replay 17:v3          # one case again, as a failure prints it
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzzing.runner import Kit, Options
from tests.schemafuzz.changes import KINDS
from tests.schemafuzz.session import Coverage, Session
from tests.schemafuzz.show import program
from tests.schemafuzz.shrink import shrink


def session_of(options: Options) -> Session:
    return Session(options.engine, views=options.views, parent=options.parent)


def summary(coverage: Coverage) -> Iterator[str]:
    names, met = sorted(coverage.operators), coverage.met
    yield f"operators, in views: {', '.join(f'{o} {coverage.operators[o]:,}' for o in names)}"
    for kind in (*KINDS, "mixed"):
        yield f"  {kind:17} × {', '.join(f'{o} {met[o, kind]:,}' for o in names)}"
    yield f"refreshes: {', '.join(f'{k} {n:,}' for k, n in sorted(coverage.strategies.items()))}"


KIT = Kit("tests.schemafuzz", __doc__ or "", session_of, program, shrink, summary)
