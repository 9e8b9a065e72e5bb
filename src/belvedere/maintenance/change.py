"""Change: which collections changed, and how, while one plan of maintenance is made."""

from __future__ import annotations

from collections.abc import Callable

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, Share, Version, gets

#: rows of a collection that a value of some of its columns finds, about; None where that is not known
Fanout = Callable[[str, tuple[str, ...]], float | None]


class Change:
    """The facts that change rules ask about, and a supply of names that are new in the plan."""

    def __init__(
        self,
        changed: frozenset[str],
        deleting: frozenset[str] | None = None,
        inserting: frozenset[str] | None = None,
        *,
        reserved: frozenset[str],
        fanout: Fanout | None = None,
    ) -> None:
        self.changed = changed
        self.fanout = fanout
        #: those of them whose delta has rows of negative weight, and of positive weight
        self.deleting = changed if deleting is None else deleting & changed
        self.inserting = changed if inserting is None else inserting & changed
        self._reserved = set(reserved)
        self._shares: dict[Node, Share] = {}
        #: the changes of nodes that rules ask for more than once
        self.known: dict[Node, Node | None] = {}

    @staticmethod
    def of(
        node: Node,
        changed: frozenset[str],
        deleting: frozenset[str] | None = None,
        inserting: frozenset[str] | None = None,
        fanout: Fanout | None = None,
    ) -> Change:
        reserved = frozenset(n for x in node.walk() for n in x.schema.names)
        return Change(changed, deleting, inserting, reserved=reserved, fanout=fanout)

    def fresh(self, stem: str) -> str:
        """A column name that no node of the plan has."""
        number = 1
        while f"{stem}{number}" in self._reserved:
            number += 1
        name = f"{stem}{number}"
        self._reserved.add(name)
        return name

    def share(self, node: Node, stem: str) -> Node:
        """The node under a name, so that it is computed once however often it is used."""
        if isinstance(node, Share):
            return node
        if node not in self._shares:
            self._shares[node] = Share(node, f"{stem}_{len(self._shares) + 1}")
        return self._shares[node]

    def touches(self, node: Node) -> bool:
        """Does it read anything that changed?"""
        return any(g.name in self.changed for g in gets(node))

    def at(self, node: Node, version: Version) -> Node:
        """The node over the old or new state. What did not change is the same in both: it stays `new`."""

        def swap(n: Node) -> Node:
            return n.at(version) if isinstance(n, Get) and n.name in self.changed else n

        return node.transform(swap)
