"""Who is writing: one marker file per open transaction, locked by its owner for as long as the owner lives.

The kernel drops the lock when a process dies, however it dies. So a marker that can be locked by somebody else belongs to
nobody, and whatever its transaction left in `data/<token>` without the catalog knowing it is an orphan. A marker is
made before the first data file and removed after the catalog has decided.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from belvedere.store.catalog import Catalog
from belvedere.store.faults import point


class Marker:
    """The claim of a live transaction on its token."""

    def __init__(self, root: str) -> None:
        self.token = uuid.uuid4().hex
        self.path = os.path.join(root, "staging", self.token)
        self._fd = _claim(self.path)
        point("commit.marker")

    def release(self) -> None:
        """Remove the marker; the order matters, since nobody may find it unlocked."""
        _unlink(self.path)
        os.close(self._fd)

    def abandon(self) -> None:
        """Leave the marker to whoever sweeps next, when the catalog cannot be asked now."""
        os.close(self._fd)


def _claim(path: str) -> int:
    """Create and lock the marker. A sweeper may take it between the two steps for a dead one; then start again."""
    while True:
        fd = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(fd, fcntl.LOCK_EX)
        if _same_file(fd, path):
            return fd
        os.close(fd)


def _same_file(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


class Workspace:
    """The directory of a piece of work that makes files: removed with all of them unless the catalog came to know them."""

    def __init__(self, root: str, token: str) -> None:
        self.directory = os.path.join(root, "data", token)
        os.makedirs(self.directory)

    def keep(self, files: set[str]) -> None:
        """Remove everything else before the catalog decides."""
        prune(self.directory, files)


@contextmanager
def workspace(root: str, catalog: Catalog) -> Iterator[Workspace]:
    """A guarded directory for work that is no epoch of its own, such as a compaction."""
    marker = Marker(root)
    try:
        yield Workspace(root, marker.token)
    except BaseException:
        try:
            discard(root, catalog, marker.token)
        except BaseException:
            marker.abandon()
            raise
        marker.release()
        raise
    marker.release()


@contextmanager
def locked_directory(path: str) -> Iterator[None]:
    """Hold a lock on the directory itself, so that two processes do not make the same warehouse at once."""
    fd = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def recover(root: str, catalog: Catalog) -> int:
    """Remove what dead transactions left behind; returns how many there were."""
    found = 0
    for token in sorted(os.listdir(os.path.join(root, "staging"))):
        path = os.path.join(root, "staging", token)
        try:
            fd = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _same_file(fd, path):
                discard(root, catalog, token)
                _unlink(path)
                found += 1
        except BlockingIOError:
            continue  # its owner lives
        finally:
            os.close(fd)
    return found


def discard(root: str, catalog: Catalog, token: str) -> None:
    """Remove the files of a transaction that the catalog does not know; all of them unless it was published.

    The catalog is asked under its write lock: a database server may still be committing for a client that died, and then
    the answer waits for it.
    """
    directory = os.path.join(root, "data", token)
    if not os.path.isdir(directory):
        return
    known = known_files(catalog, token)
    point("recover.found")
    prune(directory, {os.path.join(root, path) for path in known})
    point("recover.unlinked")


def prune(directory: str, keep: set[str]) -> None:
    """Remove all files under the directory but those to keep, and every directory that is then empty."""
    for parent, _, names in os.walk(directory, topdown=False):
        for name in names:
            path = os.path.join(parent, name)
            if path not in keep:
                _unlink(path)
        if not os.listdir(parent):
            os.rmdir(parent)


def known_files(catalog: Catalog, token: str) -> set[str]:
    """The files of one transaction that the catalog knows, as runs, Iceberg files or garbage still to be removed."""
    pattern = f"data/{token}/%"
    with catalog.write() as tx:
        return {
            row[0]
            for table in ("bv_runs", "bv_files", "bv_garbage")
            for row in tx.rows(f"SELECT path FROM {table} WHERE path LIKE :pattern", pattern=pattern)
        }
