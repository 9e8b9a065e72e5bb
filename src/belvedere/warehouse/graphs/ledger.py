"""What a transaction knows of one kind of thing (values by oid, edges, names): at its beginning, as written, and now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Ledger(Generic[K, V]):
    """Each thing is read when it is first needed; None is absence. Only what differs is written."""

    def __init__(self, read: Callable[[list[K]], Mapping[K, V]]) -> None:
        self._read = read
        self._base: dict[K, V | None] = {}
        self._now: dict[K, V | None] = {}
        self._written: dict[K, V | None] = {}
        self._dirty: dict[K, None] = {}

    def know(self, keys: Iterable[K]) -> None:
        """Read those that are not known yet, at once."""
        asked = [k for k in dict.fromkeys(keys) if k not in self._now]
        if asked:
            found = self._read(asked)
            for k in asked:
                self._base[k] = self._now[k] = found.get(k)

    def absent(self, key: K) -> None:
        """Known not to be there, without reading."""
        self._base[key] = self._now[key] = None

    def knows(self, key: K) -> bool:
        return key in self._now

    def __getitem__(self, key: K) -> V | None:
        return self._now[key]

    def put(self, key: K, value: V | None) -> None:
        if self._now[key] != value:
            self._now[key] = value
            self._dirty[key] = None

    def take(self) -> list[tuple[K, V | None, V | None]]:
        """(key, as written before, now) of what is to be written, which it then counts as."""
        found = []
        for k in self._dirty:
            old = self._written.get(k, self._base[k])
            if old != self._now[k]:
                found.append((k, old, self._now[k]))
            self._written[k] = self._now[k]
        self._dirty.clear()
        return found

    def net(self) -> list[tuple[K, V | None, V | None]]:
        """(key, at the beginning, now) of all that differs."""
        return [(k, self._base[k], self._now[k]) for k in self._written if self._base[k] != self._now[k]]
