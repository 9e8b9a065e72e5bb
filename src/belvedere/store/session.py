"""Where an open store puts the runs that it writes itself: one directory behind one marker, for as long as it is open.

A marker and a directory for each transaction cost more than a run of a few rows does. Files that the store writes itself
it can name, so transactions can share a directory: each removes its own ones, one by one, if it comes to nothing. If the
process dies the marker is nobody's, and whoever sweeps removes the files in the directory that the catalog does not know.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count
from typing import TypeVar

from belvedere.store.catalog import Catalog
from belvedere.store.staging import Marker, known_files

T = TypeVar("T")

#: how often a file is tried again when its directory goes at that very moment
TRIES = 16


class Session:
    """Made on first use; safe to use from several threads. A process that was forked off begins one of its own."""

    def __init__(self, root: str, catalog: Catalog) -> None:
        self._root, self._catalog = root, catalog
        self._lock = threading.Lock()
        self._marker: Marker | None = None
        self._process = 0
        self._numbers = count(1)
        #: files of transactions that have not ended yet
        self._loose: set[str] = set()

    def write(self, make: Callable[[str], T], claim: Callable[[str], None]) -> T:
        """Let a new file be made; its path is claimed before there is anything at it."""
        directory, number = self._place()
        path = os.path.join(directory, f"{number:05d}.parquet")
        self._loose.add(path)
        claim(path)
        for _ in range(TRIES):
            try:
                return make(path)
            except FileNotFoundError:  # it is the first, or another transaction's last file went, and the directory with it
                os.makedirs(directory, exist_ok=True)
        return make(path)

    def remove(self, paths: Iterable[str], *, ask: bool) -> None:
        """Remove files of a transaction; with `ask` only those that the catalog does not know."""
        gone = set(paths)
        known: set[str] = set()
        if gone and ask:
            tokens = {os.path.basename(os.path.dirname(p)) for p in gone}
            known = {os.path.join(self._root, p) for t in tokens for p in known_files(self._catalog, t)}
        for path in gone - known:
            _remove(path)
        self.settle(gone)

    def settle(self, paths: Iterable[str]) -> None:
        """The transaction of these files has ended: the catalog knows them, or they are gone."""
        self._loose.difference_update(paths)

    def close(self) -> None:
        """Give up the marker; while there are files that may be nobody's, to whoever sweeps next."""
        with self._lock:
            marker, self._marker = self._marker, None
            if marker is not None:
                if self._loose or self._process != os.getpid():
                    marker.abandon()
                else:
                    marker.release()

    def _place(self) -> tuple[str, int]:
        with self._lock:
            if self._marker is not None and self._process != os.getpid():
                self._marker.abandon()  # the other process holds it on
                self._marker = None
            if self._marker is None:
                self._marker, self._process, self._numbers = Marker(self._root), os.getpid(), count(1)
            return os.path.join(self._root, "data", self._marker.token), next(self._numbers)


def _remove(path: str) -> None:
    """Remove a file, and its directory if it was the last one in it."""
    with suppress(FileNotFoundError):  # it may have been claimed and never made
        os.unlink(path)
    with suppress(OSError):  # the directory holds other files, or is gone
        os.rmdir(os.path.dirname(path))
