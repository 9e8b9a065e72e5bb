"""Random cases have few rows; lookups before the statement are for leaves with more, and those in columns that are kept in memory
for large files. So for every other seed no leaf is small, and for every fourth one all runs are files, which are large and looked
up often. For every third one, all tables are large enough to ask whether they have to be read, and to count in the order of
joins."""

from __future__ import annotations

from belvedere.engines.duckdb import narrow, steps
from belvedere.maintenance import ordering
from belvedere.planning import estimate
from belvedere.store import hot_columns, store
from belvedere.warehouse import fanout

NEAR, WHOLE, READ, FEW = narrow.NEAR, narrow.WHOLE, hot_columns.READ, store.FEW
LARGE, MAYBE, ASKED, MANY, SMALL = steps.LARGE, steps.MAYBE, estimate.ASKED, ordering.MANY, fanout.SMALL


def narrow_by(seed: str) -> None:
    """Set for this process what is looked up how; the seed alone says it, so a replay does the same."""
    first = seed.partition(":")[0]
    number = int(first) if first.isdecimal() else len(first)  # cases written by hand have a name instead
    as_users_have_it()
    if number % 2:
        narrow.NEAR = 0
    if number % 4 == 3:
        narrow.WHOLE = hot_columns.READ = store.FEW = 0
    if number % 3 == 0:
        steps.LARGE = steps.MAYBE = estimate.ASKED = ordering.MANY = fanout.SMALL = 0


def as_users_have_it() -> None:
    narrow.NEAR, narrow.WHOLE, hot_columns.READ, store.FEW = NEAR, WHOLE, READ, FEW
    steps.LARGE, steps.MAYBE, estimate.ASKED, ordering.MANY, fanout.SMALL = LARGE, MAYBE, ASKED, MANY, SMALL
