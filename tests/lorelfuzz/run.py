"""Random graphs, Lorel views and changes against a reference interpreter.

    python -m tests.lorelfuzz --cases 1000            # a case is one view × one comparison
    python -m tests.lorelfuzz --replay 17:v3          # one case again, as a failure prints it
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzzing.runner import Kit, Options
from tests.lorelfuzz.changes import KINDS
from tests.lorelfuzz.features import EVERY
from tests.lorelfuzz.session import Coverage, Session
from tests.lorelfuzz.show import program
from tests.lorelfuzz.shrink import shrink


def session_of(options: Options) -> Session:
    return Session(options.engine, views=options.views, parent=options.parent)


def summary(coverage: Coverage) -> Iterator[str]:
    kinds = (*KINDS, "mixed")
    yield f"what views have × what they met: views, {', '.join(kinds)}"
    for name in EVERY:
        yield f"  {name:14} {coverage.features[name]:8,}  " + "".join(f"{coverage.met[name, k]:10,}" for k in kinds)
    yield f"refreshes: {', '.join(f'{k} {n:,}' for k, n in sorted(coverage.strategies.items()))}"


KIT = Kit("tests.lorelfuzz", __doc__ or "", session_of, program, shrink, summary)
