"""Statements of plans that ran before. Making SQL costs milliseconds, and a view refreshes with the same plan every time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.engines.scan import Resolve, Scan
from belvedere.engines.sql import Leaf, Statement, lower
from belvedere.engines.sql.dialect import Dialect


class Plans:
    """Lowers nodes, and keeps the last ones lowered, by plan and by what is known of its leaves' weights."""

    def __init__(self, dialect: Dialect, limit: int = 256) -> None:
        self._dialect = dialect
        self._limit = limit
        self._known: OrderedDict[tuple[Node, tuple[Leaf, ...]], Statement] = OrderedDict()

    def statement(self, node: Node, scan: Callable[[Get], Scan]) -> Statement:
        leaves = tuple(leaf_of(scan(g)) for g in gets(node))
        key = (node, leaves)
        found = self._known.get(key)
        if found is None:
            found = lower(node, self._dialect, lambda g: leaf_of(scan(g)))
            self._known[key] = found
            if len(self._known) > self._limit:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
        return found


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
