"""Statements of plans that ran before. Making SQL costs milliseconds, and a view refreshes with the same plan every time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.engines.scan import Resolve, Scan
from belvedere.engines.sql import Leaf, Statement, lower
from belvedere.engines.sql.dialect import Dialect

K = TypeVar("K")
V = TypeVar("V")


Leaves = tuple[Leaf, ...]


class Plans:
    """Lowers nodes, and keeps the last ones lowered, by plan and by what is known of its leaves' weights. What is known tells
    where rows need not be summed up first, which pays where there are many. Over `few` rows one statement for a plan pays
    more: it takes for granted only what was true of the leaves every time, and so holds for all of them."""

    def __init__(self, dialect: Dialect, limit: int = 1_024, *, few: int = 0) -> None:
        self._dialect = dialect
        self._limit = limit
        self._few = few
        self._known: OrderedDict[tuple[Node, Leaves], Statement] = OrderedDict()
        self._granted: OrderedDict[Node, Leaves] = OrderedDict()

    def statement(self, node: Node, scan: Callable[[Get], Scan]) -> Statement:
        scans = {g: scan(g) for g in gets(node)}
        leaves = tuple(leaf_of(s) for s in scans.values())
        if sum(s.rows for s in scans.values()) <= self._few:
            leaves = self._always(node, leaves)
        key = (node, leaves)
        found = self._known.get(key)
        if found is None:
            found = lower(node, self._dialect, dict(zip(scans, leaves, strict=True)).__getitem__)
            _keep(self._known, key, found, self._limit)
        else:
            self._known.move_to_end(key)
        return found

    def _always(self, node: Node, leaves: Leaves) -> Leaves:
        """What was true of the plan's leaves now and before."""
        before = self._granted.get(node, leaves)
        both = leaves if before == leaves else tuple(a.and_(b) for a, b in zip(before, leaves, strict=True))
        _keep(self._granted, node, both, self._limit)
        return both


def _keep(known: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    known[key] = value
    known.move_to_end(key)
    if len(known) > limit:
        known.popitem(last=False)


def leaf_of(scan: Scan) -> Leaf:
    return Leaf(positive=scan.is_positive or scan.is_empty, consolidated=scan.consolidated, key=scan.key)


def once(resolve: Resolve) -> Callable[[Get], Scan]:
    """The same scans for the whole of a statement: each leaf is asked for once."""
    known: dict[Get, Scan] = {}

    def ask(get: Get) -> Scan:
        if get not in known:
            known[get] = resolve(get)
        return known[get]

    return ask
