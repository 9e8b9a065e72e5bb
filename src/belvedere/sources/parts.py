"""A table of one state, cut into parts that several connections read at the same time.

Only a server that lets others see the state of a transaction can do that; elsewhere one connection reads. Every row of the
state is in exactly one part, whatever is written meanwhile.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

from belvedere.algebra.types import Schema
from belvedere.sources.url import Address

#: rows as they come; closed, it lets go of what they come from
Batches: TypeAlias = Generator[pa.Table, None, None]

#: how often a thread with a batch in its hands looks whether anybody still wants it
_LOOK = 0.1


@dataclass(frozen=True)
class Part:
    """Plain values, so that it can go to another thread or process; good for as long as the snapshot that was shared is open.

    state: what the source calls the snapshot; where: a condition in the source's own words, empty for all rows; batch: rows to
    read at a time; secret: the password, because another process may not have it
    """

    source: str
    address: Address
    state: str
    table: str
    schema: Schema
    where: str
    batch: int
    secret: str | None = field(default=None, repr=False)


class Sharing(Protocol):
    """A table that can be cut."""

    #: an estimate
    rows: int

    def parts(self, count: int) -> list[Part]:
        """Up to so many parts of about the same size; at least one."""
        ...


@runtime_checkable
class Shareable(Protocol):
    """A snapshot that others can read as well."""

    def share(self, table: str) -> Sharing: ...


def together(readers: Sequence[Callable[[], Iterator[pa.Table]]]) -> Batches:
    """The batches of all readers as they come, each reader in a thread of its own. Readers wait while nobody takes what they have
    read. The first error ends all, and so does leaving early."""
    given: queue.Queue[pa.Table | BaseException | None] = queue.Queue(len(readers))
    over = threading.Event()

    def give(what: pa.Table | BaseException | None) -> bool:
        while not over.is_set():
            try:
                given.put(what, timeout=_LOOK)
                return True
            except queue.Full:
                continue
        return False

    def work(reader: Callable[[], Iterator[pa.Table]]) -> None:
        try:
            if all(give(batch) for batch in reader()):
                give(None)
        except BaseException as e:
            give(e)

    threads = [threading.Thread(target=work, args=(r,), name="belvedere-load", daemon=True) for r in readers]
    for thread in threads:
        thread.start()
    try:
        running = len(threads)
        while running:
            match given.get():
                case None:
                    running -= 1
                case BaseException() as error:
                    raise error
                case batch:
                    yield batch
    finally:
        over.set()
        for thread in threads:
            thread.join()


def gathered(batches: Batches, size: int) -> Batches:
    """Small batches put together to such of `size` rows; the last has what is left."""
    some: list[pa.Table] = []
    rows = 0
    with closing(batches):
        for batch in batches:
            some.append(batch)
            rows += batch.num_rows
            while rows >= size:
                whole = pa.concat_tables(some)
                yield whole.slice(0, size)
                some, rows = [whole.slice(size)], rows - size
    if rows:
        yield pa.concat_tables(some)
