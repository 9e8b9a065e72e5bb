"""Files that nothing consists of any more: what is kept of them in memory is let go, but not at once.

A file that was merged away is still the state that views were brought up to date with before. So it stays for the refresh that
comes next, and as long as the mark of a view lies before its end: views that are refreshed one by one each take an epoch. But it
does not wait for one that nobody refreshes. Whoever was late may have asked for it once more; so it is told a second time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

#: epochs after which a file is let go, the same if some view is of before, and after which it is let go again and forgotten
SOON, WAITING, LATE = 2, 48, 64


@dataclass
class Gone:
    """The files of each collection when it was last looked after, and those that went since. For several threads."""

    _seen: dict[int, frozenset[str]] = field(default_factory=dict)
    _since: dict[str, int] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, collection: int, paths: Iterable[str], epoch: int) -> None:
        """What a collection consists of now."""
        now = frozenset(paths)
        with self._lock:
            self._went(self._seen.get(collection, frozenset()) - now, epoch)
            self._seen[collection] = now

    def only(self, collections: Iterable[int], epoch: int) -> None:
        """There are no other collections any more."""
        with self._lock:
            for number in self._seen.keys() - set(collections):
                self._went(self._seen.pop(number), epoch)

    def tell(self, epoch: int, oldest: Callable[[], int]) -> frozenset[str]:
        """What went a while ago, and is to be let go; `oldest` is asked for the oldest mark of a view, where that matters."""
        with self._lock:
            left = {p: e for p, e in self._since.items() if epoch - e >= SOON and p not in self._told}
            mark = oldest() if left else epoch
            soon = [p for p, e in left.items() if e <= mark or epoch - e >= WAITING]
            late = [p for p, e in self._since.items() if epoch - e >= LATE]
            self._told.update(soon)
            for path in late:
                del self._since[path]
            self._told.difference_update(late)
        return frozenset((*soon, *late))

    def _went(self, paths: Iterable[str], epoch: int) -> None:
        for path in paths:
            self._since.setdefault(path, epoch)
