"""A source that does not answer: tried again for a while, then SourceUnavailable, which names it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from belvedere.errors import SourceUnavailable

T = TypeVar("T")

#: seconds before the second attempt; each further one waits twice as long
FIRST_WAIT = 0.1


def unavailable(name: str, where: str, why: object) -> SourceUnavailable:
    """The error for source `name`, in one line."""
    said = " ".join(str(why).split())
    return SourceUnavailable(f"source {name!r} ({where}) did not answer: {said}")


def attempts(work: Callable[[], T], retries: int) -> T:
    """Do it, again up to `retries` times while the source is unavailable."""
    wait = FIRST_WAIT
    for _ in range(retries):
        try:
            return work()
        except SourceUnavailable:
            time.sleep(wait)
            wait *= 2
    return work()
