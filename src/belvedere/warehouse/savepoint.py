"""A point in a commit that work can go back to: what was written after it is forgotten, what was written before it stands."""

from __future__ import annotations

from belvedere.store.commit import Commit
from belvedere.warehouse.resolve import Overlay


class Savepoint:
    """The commit, and the overlay that goes with it, as they are now. Files that are given up go when the commit ends."""

    def __init__(self, commit: Commit, overlay: Overlay) -> None:
        self._commit, self._overlay = commit, overlay
        self._changes, self._seen = commit.mark(), overlay.copy()

    def restore(self) -> None:
        """May be done more than once."""
        self._commit.back_to(self._changes)
        self._overlay.become(self._seen)
