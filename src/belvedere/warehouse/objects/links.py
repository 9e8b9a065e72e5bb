"""Link tables in memory, as far as a transaction has looked at them: what was there, and what is there now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from belvedere.algebra.types import to_arrow
from belvedere.objects.model import MEMBER, OWNER, POSITION
from belvedere.store.model import Collection
from belvedere.warehouse.objects.reading import find

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

Pair = tuple[int, int]


class Pairs:
    """A link table without an order: (owner, member), each as often as it is there."""

    def __init__(self, tx: Transaction, c: Collection, is_fresh: Callable[[int], bool]) -> None:
        self.tx, self.collection, self._is_fresh = tx, c, is_fresh
        self._base: dict[Pair, int] = {}
        self._now: dict[Pair, int] = {}
        self._touched: set[Pair] = set()
        self._by: dict[str, dict[int, set[int]]] = {OWNER: {}, MEMBER: {}}
        self._whole: dict[str, set[int]] = {OWNER: set(), MEMBER: set()}

    def count(self, owner: int, member: int) -> int:
        self.look_up([(owner, member)])
        return self._now.get((owner, member), 0)

    def others(self, end: str, oid: int) -> list[int]:
        """Those at the other end, each as often as it is linked, in order of their identity."""
        self.load(end, [oid])
        found = sorted(self._by[end].get(oid, ()))
        return [o for o in found for _ in range(self._now[(oid, o) if end == OWNER else (o, oid)])]

    def add(self, owner: int, member: int, weight: int) -> None:
        """The pair must have been looked up."""
        pair = (owner, member)
        self._put(pair, self._now.get(pair, 0) + weight)
        self._touched.add(pair)

    def look_up(self, pairs: Iterable[Pair]) -> None:
        missing = [p for p in dict.fromkeys(pairs) if p not in self._base and not self._knows(p)]
        if missing:
            for p in missing:
                self._base[p] = 0
            self._read({OWNER: [p[0] for p in missing], MEMBER: [p[1] for p in missing]})

    def load(self, end: str, oids: Iterable[int]) -> None:
        """All pairs of some objects at one end."""
        missing = [o for o in dict.fromkeys(oids) if o not in self._whole[end] and not self._is_fresh(o)]
        if missing:
            self._whole[end].update(missing)
            self._read({end: missing})

    def _knows(self, pair: Pair) -> bool:
        """The pair is among those at hand if either of its ends was read whole, or is so new that it was never stored."""
        owner, member = pair
        whole = owner in self._whole[OWNER] or member in self._whole[MEMBER]
        return whole or self._is_fresh(owner) or self._is_fresh(member)

    def _read(self, given: dict[str, list[int]]) -> None:
        counted: dict[Pair, int] = {}
        rows = find(self.tx, self.collection, given)
        for pair in zip(rows[OWNER].to_pylist(), rows[MEMBER].to_pylist(), strict=True):
            counted[pair] = counted.get(pair, 0) + 1
        for pair, count in counted.items():
            if pair not in self._touched:
                self._base[pair] = count
                self._put(pair, count)

    def _put(self, pair: Pair, count: int) -> None:
        self._now[pair] = count
        for end, this, other in ((OWNER, pair[0], pair[1]), (MEMBER, pair[1], pair[0])):
            known = self._by[end].setdefault(this, set())
            (known.add if count else known.discard)(other)

    def flush(self) -> pa.Table | None:
        """The change since the last flush, as a Z-set; None if there is none."""
        changed = [(p, self._now.get(p, 0) - self._base.get(p, 0)) for p in sorted(self._touched)]
        changed = [(p, n) for p, n in changed if n]
        for p in self._touched:
            self._base[p] = self._now.get(p, 0)
        if not changed:
            return None
        return pa.table(
            {
                OWNER: pa.array([p[0] for p, _ in changed], pa.int64()),
                MEMBER: pa.array([p[1] for p, _ in changed], pa.int64()),
                "_w": pa.array([n for _, n in changed], pa.int64()),
            }
        )


class Lists:
    """A link table with an order: the members of each owner."""

    def __init__(self, tx: Transaction, c: Collection, is_fresh: Callable[[int], bool]) -> None:
        self.tx, self.collection, self._is_fresh = tx, c, is_fresh
        self._base: dict[int, list[int]] = {}
        self._now: dict[int, list[int]] = {}

    def get(self, owner: int) -> list[int]:
        self.load([owner])
        return self._now[owner]

    def put(self, owner: int, members: list[int]) -> None:
        """The owner's list must have been read."""
        self._now[owner] = members

    def load(self, owners: Iterable[int]) -> None:
        missing = [o for o in dict.fromkeys(owners) if o not in self._now]
        for o in missing:
            self._base[o], self._now[o] = [], []
        stored = [o for o in missing if not self._is_fresh(o)]
        if not stored:
            return
        rows = find(self.tx, self.collection, {OWNER: stored})
        for owner, member, _ in sorted(_triples(rows), key=lambda t: (t[0], t[2])):
            self._base[owner].append(member)
        for o in stored:
            self._now[o] = list(self._base[o])

    def owners_of(self, members: Iterable[int]) -> list[int]:
        """Who has one of these, as last flushed; their lists are read."""
        found = sorted(set(find(self.tx, self.collection, {MEMBER: list(members)})[OWNER].to_pylist()))
        self.load(found)
        return found

    def flush(self) -> pa.Table | None:
        rows: list[tuple[int, int, int, int]] = []
        for owner, now in self._now.items():
            base = self._base[owner]
            if now == base:
                continue
            for at in range(max(len(base), len(now))):
                old = base[at] if at < len(base) else None
                new = now[at] if at < len(now) else None
                if old != new:
                    rows += [] if old is None else [(owner, old, at, -1)]
                    rows += [] if new is None else [(owner, new, at, 1)]
            self._base[owner] = list(now)
        if not rows:
            return None
        types = [to_arrow(x.type) for x in self.collection.schema] + [pa.int64()]
        columns = zip(*rows, strict=True)
        return pa.table([pa.array(v, t) for v, t in zip(columns, types, strict=True)], names=[OWNER, MEMBER, POSITION, "_w"])


def _triples(rows: pa.Table) -> list[tuple[int, int, int]]:
    return list(zip(rows[OWNER].to_pylist(), rows[MEMBER].to_pylist(), rows[POSITION].to_pylist(), strict=True))
