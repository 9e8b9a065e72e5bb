"""Which transactions a PostgreSQL snapshot has seen: `pg_visible_in_snapshot`, here.

>>> seen = Visible("100:105:101,103")
>>> [x for x in range(98, 108) if seen(x)]
[98, 99, 100, 102, 104]
"""

from __future__ import annotations

_HALF, _WHOLE = 1 << 31, 1 << 32


class Visible:
    """Of transactions that were committed at some time: were they when the snapshot was taken?"""

    def __init__(self, snapshot: str) -> None:
        least, end, running = snapshot.split(":")
        self.least, self.end = int(least), int(end)
        self.running = frozenset(int(x) for x in running.split(",") if x)

    def __call__(self, xid: int) -> bool:
        return xid < self.least or (xid < self.end and xid not in self.running)

    def full(self, xid: int) -> int:
        """A transaction's whole number, of which decoding tells the last 32 bits: the nearest one.

        >>> Visible("4294967290:4294967300:").full(4294967294), Visible("4294967290:4294967300:").full(3)
        (4294967294, 4294967299)
        """
        near = self.end - self.end % _WHOLE + xid
        return near - _WHOLE if near > self.end + _HALF else near + _WHOLE if near < self.end - _HALF else near
