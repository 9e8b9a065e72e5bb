"""Statements of plans that ran before. Making SQL costs milliseconds, and a view refreshes with the same plan every time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Generic, TypeVar

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.engines.scan import Resolve, Scan
from belvedere.engines.sql import Leaf, Statement, lower
from belvedere.engines.sql.dialect import Dialect

K = TypeVar("K")
V = TypeVar("V")


Leaves = tuple[Leaf, ...]


class Recent(Generic[K, V]):
    """Values by key, those used last: many that will be used again, and a few that may never be. For several threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._often: OrderedDict[K, V] = OrderedDict()
        self._once: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._often.pop(key, None)
            if found is None:
                found = self._once.pop(key, None)
            if found is not None:
                self._often[key] = found
                if len(self._often) > self._limit:
                    self._often.popitem(last=False)
            return found

    def put(self, key: K, value: V, lasting: bool) -> None:
        with self._lock:
            if lasting or key in self._often:
                self._often[key] = value
                self._once.pop(key, None)
            else:
                self._once[key] = value
            if len(self._often) > self._limit:
                self._often.popitem(last=False)
            if len(self._once) > max(1, self._limit // 8):
                self._once.popitem(last=False)

    def __len__(self) -> int:
        return len(self._often) + len(self._once)


class Plans:
    """Lowers nodes, and keeps the last ones lowered, by plan and by what is known of its leaves' weights. What is known tells
    where rows need not be summed up first, which pays where there are many. Over `few` rows one statement for a plan pays
    more: it takes for granted only what was true of the leaves every time, and so holds for all of them. A plan of maintenance
    does not learn that by itself: what was not true of a collection in another plan, or will not be the next time, it does
    not take for granted from the beginning. To make a statement and have it prepared costs many times what it takes to run."""

    def __init__(self, dialect: Dialect, limit: int = 512, *, few: int = 0) -> None:
        self._dialect = dialect
        self._few = few
        self._known: Recent[tuple[Node, Leaves], Statement] = Recent(limit)
        self._granted: Recent[Node, Leaves] = Recent(limit)
        #: by name, what was true of a collection's states in all plans of maintenance
        self._states: Recent[str, Leaf] = Recent(limit)

    def statement(self, node: Node, scan: Callable[[Get], Scan], *, lasting: bool = True) -> Statement:
        """`lasting`: the plan is one of maintenance, which comes again; that of a query may not."""
        scans = {g: scan(g) for g in gets(node)}
        leaves = tuple(leaf_of(s) for s in scans.values())
        if sum(s.rows for s in scans.values()) <= self._few:
            leaves = self._always(node, self._lasting(scans, leaves) if lasting else leaves, lasting)
        key = (node, leaves)
        found = self._known.get(key)
        if found is None:
            found = lower(node, self._dialect, dict(zip(scans, leaves, strict=True)).__getitem__)
            self._known.put(key, found, lasting)
        return found

    def _lasting(self, scans: Mapping[Get, Scan], leaves: Leaves) -> Leaves:
        """What is true of the leaves and has been so in other plans, as far as it will be the next time. What a plan reads as it
        was will be what it is now, with the change; where there is no change of it, it is what the plan itself is to change."""
        changes = {g.name: leaf for g, leaf in zip(scans, leaves, strict=True) if g.version == "delta"}
        found: dict[str, Leaf] = {}
        for get, leaf in zip(scans, leaves, strict=True):
            if get.version == "delta":
                continue
            parts = [leaf, self._states.get(get.name), found.get(get.name)]  # of a family's own rows none are remembered
            if get.version == "old" and not changes.get(get.name, Leaf()).positive:
                parts.append(Leaf())
            found[get.name] = reduce(Leaf.and_, [p for p in parts if p is not None])
        for name, leaf in found.items():
            if not name.startswith("\0"):
                self._states.put(name, leaf, True)
        return tuple(leaf if g.version == "delta" else found.get(g.name, leaf) for g, leaf in zip(scans, leaves, strict=True))

    def _always(self, node: Node, leaves: Leaves, lasting: bool) -> Leaves:
        """What was true of the plan's leaves now and before."""
        before = self._granted.get(node)
        same = before is None or before == leaves
        both = leaves if same else tuple(a.and_(b) for a, b in zip(before or (), leaves, strict=True))
        self._granted.put(node, both, lasting)
        return both


def leaf_of(scan: Scan) -> Leaf:
    return Leaf(positive=scan.is_positive or scan.is_empty, consolidated=scan.consolidated, key=scan.key)


def once(resolve: Resolve) -> Callable[[Get], Scan]:
    """The same scans for the whole of a statement: each leaf is asked for once."""
    known: dict[Get, Scan] = {}

    def ask(get: Get) -> Scan:
        found = known.get(get)
        if found is None:
            found = known[get] = resolve(get)
        return found

    return ask
