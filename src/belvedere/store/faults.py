"""Named points at which a test can kill the process, so that crash safety is shown instead of hoped for.

`BELVEDERE_KILL="commit.sql:2"` ends the process with SIGKILL the second time it passes `commit.sql`. Without the variable
a point costs one look into a dictionary.
"""

from __future__ import annotations

import os
import signal

#: what the store passes
STORE: tuple[str, ...] = (
    "create.directory",  # a new warehouse: its directory is there, its catalog is not
    "create.catalog",  # … the catalog is there, the identity file is not
    "commit.marker",  # the staging marker is written and locked, no data yet
    "commit.file",  # a data file of the transaction is on disk
    "commit.staged",  # all files are on disk, the SQL transaction has not begun
    "commit.sql",  # everything is written inside the SQL transaction, which is not committed
    "commit.published",  # committed; the marker is still there
    "commit.finished",  # the marker is gone
    "rollback.files",  # a rollback has removed its data, its marker is still there
    "compact.written",  # the merged files are on disk
    "compact.sql",  # the run log is changed inside the SQL transaction, which is not committed
    "compact.committed",  # committed; the marker is still there
    "iceberg.metadata",  # Iceberg metadata files are on disk, nothing points at them
    "gc.moved",  # expired files are listed as garbage, still on disk
    "gc.unlinked",  # they are off the disk, still listed
    "gc.cleared",  # they are off the list
    "recover.found",  # the files of a dead transaction are about to be removed
    "recover.unlinked",  # they are removed, the marker is still there
)

#: what attached databases pass besides
SOURCES: tuple[str, ...] = (
    "attach.recorded",  # the catalog knows of a source to come, nothing is installed there
    "attach.watched",  # its change logs are installed, nothing is loaded
    "attach.loaded",  # all rows are on disk, nothing is visible
    "sync.read",  # the changes of a source are read, nothing is written
    "sync.watched",  # lost change logs are installed anew, the catalog does not know them
    "sync.published",  # committed; the source's log still holds what was read
    "sync.pruned",  # … and now it does not
    "detach.unwatched",  # nothing is left at the source, the catalog still knows it
)

POINTS = STORE + SOURCES

_passed: dict[str, int] = {}


def point(name: str) -> None:
    """Pass the point; die here if BELVEDERE_KILL says so."""
    wanted = os.environ.get("BELVEDERE_KILL")
    if wanted is None:
        return
    target, _, nth = wanted.partition(":")
    if target not in POINTS:
        raise ValueError(f"BELVEDERE_KILL names the unknown point {target!r}; known: {', '.join(POINTS)}")
    if target != name:
        return
    _passed[name] = _passed.get(name, 0) + 1
    if _passed[name] == int(nth or 1):
        os.kill(os.getpid(), signal.SIGKILL)
