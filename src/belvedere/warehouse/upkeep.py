"""Merges of large files, beside everything else.

What was published is whole without them; they only make it cheaper to read. A small merge takes no longer than it takes to begin
a thread, and is done at once. A large one would keep whoever refreshes waiting for rows that others wrote, so a thread does it,
one collection after the other, and ends when there is nothing left to do. Whoever makes merges due faster than they are done
waits for them, so that files do not pile up.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable

#: so often may a merge be asked for before it is waited for
PATIENCE = 8
#: seconds that the thread gives way to whoever asked, and that it waits for more to do before it ends
GRACE, IDLE = 0.02, 60.0


class Upkeep:
    """One thread at most; safe to use from several. `work` brings a collection into shape."""

    def __init__(self, work: Callable[[str], None]) -> None:
        self._work = work
        #: how often each was asked for and not yet answered, in the order of asking
        self._asked: dict[str, int] = {}
        self._thread: threading.Thread | None = None
        self._state = threading.Condition()
        self._waiting = 0
        self._closed = False

    def ask(self, name: str) -> None:
        """Bring a collection into shape soon."""
        with self._state:
            if self._closed:
                return
            self._asked[name] = self._asked.get(name, 0) + 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="belvedere-upkeep", daemon=True)
                self._thread.start()
            self._state.notify_all()
            if self._asked[name] > PATIENCE:
                self._wait(lambda: self._asked.get(name, 0) <= PATIENCE)

    def settle(self) -> None:
        """Wait until everything that was asked for is done."""
        with self._state:
            self._wait(lambda: not self._asked)

    def close(self) -> None:
        """Everything that was asked for is done: a command that opens a warehouse for a moment leaves it in shape, too."""
        self.settle()
        self.stop()

    def stop(self) -> None:
        """What is being done is finished, nothing more is begun: the next who opens the warehouse finds it due again."""
        with self._state:
            self._closed = True
            self._asked.clear()
            self._state.notify_all()
            self._state.wait_for(lambda: self._thread is None)

    def _wait(self, done: Callable[[], bool]) -> None:
        self._waiting += 1
        self._state.notify_all()
        try:
            self._state.wait_for(done)
        finally:
            self._waiting -= 1

    def _run(self) -> None:
        while (name := self._next()) is not None:
            with self._state:
                asked = self._asked.get(name, 0)
            try:
                self._work(name)
            except Exception as e:  # whatever it is, the data is as it was
                warnings.warn(f"files of {name!r} are not merged for now, so reading them takes longer: {e}", stacklevel=1)
            with self._state:
                more = self._asked.pop(name, 0) - asked
                if more > 0:  # asked for again meanwhile, when it may have been too late to see why
                    self._asked[name] = more
                self._state.notify_all()

    def _next(self) -> str | None:
        """What to do next, once whoever asked for it has gone on; None if the thread is to end."""
        with self._state:
            self._state.wait_for(lambda: self._asked or self._closed, IDLE)
            self._state.wait_for(lambda: self._waiting or self._closed, GRACE)
            name = next(iter(self._asked), None)
            if name is None:
                self._thread = None
                self._state.notify_all()
            return name
