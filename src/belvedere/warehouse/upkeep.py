"""Merges of large files, beside everything else.

What was published is whole without them; they only make it cheaper to read. A small merge takes no longer than it takes to begin
a thread, and is done at once. A large one would keep whoever refreshes waiting for rows that others wrote, so a thread does it,
one collection after the other, and ends when there is nothing left to do. Whoever makes merges due faster than they are done
waits for them, so that files do not pile up.

What merges took of memory is given back to the system when it is quiet, not after each of them: who refreshes next would have to
ask for it again, page by page, which takes longer than many a refresh. What nobody waits for at all is done then, too.
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
from functools import partial

#: so often may a merge be asked for before it is waited for
PATIENCE = 8
#: seconds that the thread gives way to whoever asked, that it waits for more to do before it ends, and until it looks whether it
#: was given up
GRACE, IDLE, LOOK = 0.02, 60.0, 1.0
#: seconds without a merge after which memory is given back, and after which it is also if merges go on
QUIET, LONG = 1.0, 60.0


class Upkeep:
    """One thread at most; safe to use from several. `work` brings a collection into shape, `after` gives back what that took, and
    `quiet` does what nobody waits for."""

    def __init__(
        self, work: Callable[[str], None], after: Callable[[], None] = lambda: None, quiet: Callable[[], None] = lambda: None
    ) -> None:
        self._work = work
        self._after = after
        self._quiet = quiet
        #: when the first and the last work was done, or owed, since it was quiet
        self._owed: tuple[float, float] | None = None
        self._resting = 0
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

    def owe(self) -> None:
        """There is something to do when it is quiet."""
        with self._state:
            if not self._closed and (self._thread is not None or self._start()):
                self._note()

    def settle(self) -> None:
        """Wait until everything that was asked for is done."""
        with self._state:
            self._wait(lambda: not self._asked)

    def rest(self) -> None:
        """Wait until everything that was asked for is done, and what it took is given back."""
        with self._state:
            self._resting += 1
            try:
                self._wait(lambda: not self._asked and self._owed is None)
            finally:
                self._resting -= 1

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
        self._thread, self._asked, self._waiting, self._owed, self._resting = None, {}, 0, None, 0

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
            while (do := self._next()) is not None:
                do()
        finally:
            with self._state:
                if self._thread is threading.current_thread():
                    self._ended()

    def _answer(self, name: str) -> None:
        with self._state:
            asked = self._asked.get(name, 0)
        try:
            self._do(name)
        finally:
            with self._state:
                more = self._asked.pop(name, 0) - asked
                if more > 0:  # asked for again meanwhile, when it may have been too late to see why
                    self._asked[name] = more
                self._note()
                self._state.notify_all()

    def _note(self) -> None:
        """It is not quiet now, and something is owed."""
        now = time.monotonic()
        self._owed = (self._owed[0] if self._owed else now, now)

    def _give_back(self) -> None:
        with self._state:
            owed = self._owed
        try:
            for do in (self._after,) if self._closed else (self._after, self._quiet):
                with suppress(Exception):  # then it is kept, or stays to be done
                    do()
        finally:
            with self._state:
                # what came to be owed meanwhile may have come too late to be done
                self._owed = None if self._owed in (None, owed) else (self._owed[1], self._owed[1])
                self._state.notify_all()

    def _due(self) -> bool:
        """Is it time to give back?"""
        if self._owed is None:
            return False
        first, last = self._owed
        now = time.monotonic()
        quiet = not self._asked and (self._closed or self._resting > 0 or now - last >= QUIET)
        return quiet or now - first >= LONG

    def _do(self, name: str) -> None:
        try:
            self._work(name)
        except Exception as e:  # whatever it is, the data is as it was
            with suppress(Warning):  # where warnings are errors, nobody is there to catch them
                warnings.warn(f"files of {name!r} are not merged for now, so reading them takes longer: {e}", stacklevel=1)

    def _next(self) -> Callable[[], None] | None:
        """What to do next, once whoever asked for it has gone on; None if the thread is to end."""
        with self._state:
            idle = time.monotonic() + IDLE
            while not (self._asked or self._closed or self._due()) and time.monotonic() < idle:
                self._state.wait(LOOK if self._owed is None else min(LOOK, QUIET))
            if self._due():
                return self._give_back
            self._state.wait_for(lambda: self._waiting or self._closed, GRACE)
            name = next(iter(self._asked), None)
            if name is not None:
                return partial(self._answer, name)
            if self._owed is not None:
                return self._give_back
            self._ended()
            return None

    def _ended(self) -> None:
        self._thread = None
        self._owed = None
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
