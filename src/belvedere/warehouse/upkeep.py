"""Merges of large files, beside everything else.

What was published is whole without them; they only make it cheaper to read. A small merge takes no longer than it takes to begin
a thread, and is done at once. A large one would keep whoever refreshes waiting for rows that others wrote, so a thread does it,
one collection after the other, and ends when there is nothing left to do. Whoever makes merges due faster than they are done
waits for them, so that files do not pile up.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress

#: so often may a merge be asked for before it is waited for
PATIENCE = 8
#: seconds that the thread gives way to whoever asked, that it waits for more to do before it ends, and until it looks whether it
#: was given up
GRACE, IDLE, LOOK = 0.02, 60.0, 1.0


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
            if self._thread is None and not self._start():
                return
            self._asked[name] = self._asked.get(name, 0) + 1
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
        self.give_up()
        with self._state:
            self._state.notify_all()
            self._state.wait_for(lambda: self._thread is None)

    def give_up(self) -> None:
        """Nothing more is begun. It waits for nobody: it may be called wherever Python collects garbage, also by the thread."""
        self._closed = True
        self._asked.clear()

    def forked(self) -> None:
        """In a child process there is no thread, and what it was doing is the parent's."""
        self._state = threading.Condition()
        self._thread, self._asked, self._waiting = None, {}, 0

    def _start(self) -> bool:
        """Begin the thread; False where the system gives none, and then what is due stays so until it is asked for again."""
        thread = threading.Thread(target=self._run, name="belvedere-upkeep", daemon=True)
        _watch(self)
        try:
            thread.start()
        except RuntimeError:
            return False
        self._thread = thread
        return True

    def _wait(self, done: Callable[[], bool]) -> None:
        self._waiting += 1
        self._state.notify_all()
        try:
            self._state.wait_for(done)
        finally:
            self._waiting -= 1

    def _run(self) -> None:
        try:
            while (name := self._next()) is not None:
                with self._state:
                    asked = self._asked.get(name, 0)
                try:
                    self._do(name)
                finally:
                    with self._state:
                        more = self._asked.pop(name, 0) - asked
                        if more > 0:  # asked for again meanwhile, when it may have been too late to see why
                            self._asked[name] = more
                        self._state.notify_all()
        finally:
            with self._state:
                if self._thread is threading.current_thread():
                    self._ended()

    def _do(self, name: str) -> None:
        try:
            self._work(name)
        except Exception as e:  # whatever it is, the data is as it was
            with suppress(Warning):  # where warnings are errors, nobody is there to catch them
                warnings.warn(f"files of {name!r} are not merged for now, so reading them takes longer: {e}", stacklevel=1)

    def _next(self) -> str | None:
        """What to do next, once whoever asked for it has gone on; None if the thread is to end."""
        with self._state:
            idle = time.monotonic() + IDLE
            while not (self._asked or self._closed) and time.monotonic() < idle:
                self._state.wait(LOOK)
            self._state.wait_for(lambda: self._waiting or self._closed, GRACE)
            name = next(iter(self._asked), None)
            if name is None:
                self._ended()
            return name

    def _ended(self) -> None:
        self._thread = None
        self._asked.clear()
        self._state.notify_all()


#: those that have had a thread
_watched: weakref.WeakSet[Upkeep] = weakref.WeakSet()


def _watch(upkeep: Upkeep) -> None:
    """Before the interpreter ends, a merge is finished, while there is a connection to finish it with: what is registered last is
    called first, and the connection's own end was registered before."""
    if not _watched:
        atexit.unregister(_stop_all)
        atexit.register(_stop_all)
    _watched.add(upkeep)


def _stop_all() -> None:
    for upkeep in list(_watched):
        upkeep.stop()


def _forked() -> None:
    for upkeep in list(_watched):
        upkeep.forked()


os.register_at_fork(after_in_child=_forked)
