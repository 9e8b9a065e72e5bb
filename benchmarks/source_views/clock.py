"""Time as this benchmark counts it: work of this process (where SQLite runs as well), plus the delays of the imagined network.

On a busy machine wall time says how busy it was. Delays are added to the clock instead of being slept, unless `wall` is set.
"""

from __future__ import annotations

import time


class Clock:
    """Seconds; `wait` makes them pass."""

    def __init__(self, wall: bool = False) -> None:
        self.wall = wall
        self.waited = 0.0

    def now(self) -> float:
        return time.perf_counter() if self.wall else time.process_time() + self.waited

    def wait(self, seconds: float) -> None:
        if self.wall and seconds > 0:
            time.sleep(seconds)
        else:
            self.waited += seconds
