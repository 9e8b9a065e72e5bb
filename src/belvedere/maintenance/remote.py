"""The parts of a view that only select, join and project tables that are not kept here.

Each becomes a collection of its own, a **remote join**, kept here and maintained by asking the databases; all else is maintained
from it as from any table. Inner joins are taken apart and put together again, so that tables of other databases meet wherever
they stand in the text: those that comparisons of columns connect are one remote join. A table by itself is the smallest one.
Only conditions that mean the same everywhere go into it, and only plain columns come out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Get, Join, Project, gets, renamed
from belvedere.algebra.rewrite.prune import prune
from belvedere.algebra.scalar import Scalar, col, cols, conjunction, true
from belvedere.algebra.steady import compared, steady
from belvedere.algebra.types import Column, Schema

MARK = "$remote"


@dataclass(frozen=True)
class RemoteJoin:
    """`leaves`: the tables, in which no two columns have the same name; `conditions` hold for every row; `columns` are kept."""

    name: str
    leaves: tuple[Get, ...]
    conditions: tuple[Scalar, ...]
    columns: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        types = {c.name: c for leaf in self.leaves for c in leaf.schema}
        return Schema(tuple(Column(n, types[n].type) for n in self.columns))

    def items(self) -> tuple[tuple[str, Scalar], ...]:
        """Its columns as what they are of its tables."""
        return cols(self.schema)

    def get(self) -> Get:
        return Get(self.name, self.schema, self.columns)


def cut(view: str, node: Node, remote: Callable[[str], bool]) -> tuple[Node, tuple[RemoteJoin, ...]]:
    """The definition over remote joins, called view$remote1, …, in place of the tables for which `remote` is true."""
    if not any(isinstance(n, Get) and remote(n.name) for n in node.walk()):
        return node, ()
    cutter = _Cutter(view, remote)
    whole = prune(cutter.cut(node))
    read = [(g.name, n) for g in gets(whole) for n in g.columns]
    return whole, tuple(replace(j, columns=tuple(n for n in j.columns if (j.name, n) in read)) for j in cutter.found)


@dataclass
class _Cluster:
    """Inner joins taken apart: what is joined, what must hold, and what comes out, over the leaves' columns."""

    leaves: list[Node] = field(default_factory=list)
    conditions: list[Scalar] = field(default_factory=list)
    items: dict[str, Scalar] = field(default_factory=dict)


class _Cutter:
    def __init__(self, view: str, remote: Callable[[str], bool]) -> None:
        self.view = view
        self.remote = remote
        self.found: list[RemoteJoin] = []

    def cut(self, node: Node) -> Node:
        if self.meets(node):
            return self.together(self.apart(node, set()))
        return node.with_inputs(*map(self.cut, node.inputs)) if node.inputs else node

    def meets(self, node: Node) -> bool:
        """Is a table of another database among what it joins?"""
        if isinstance(node, Filter | Project | Join):
            return any(map(self.meets, node.inputs))
        return isinstance(node, Get) and self.remote(node.name)

    def apart(self, node: Node, taken: set[str]) -> _Cluster:
        match node:
            case Filter(input=i, condition=c):
                below = self.apart(i, taken)
                below.conditions += c.substitute(below.items).conjuncts()
                return below
            case Project(input=i, items=items):
                below = self.apart(i, taken)
                below.items = {n: s.substitute(below.items) for n, s in items}
                return below
            case Join(left=a, right=b, on=on):
                left, right = self.apart(a, taken), self.apart(b, taken)
                both = left.items | right.items
                conditions = [*left.conditions, *right.conditions, *on.substitute(both).conjuncts()]
                return _Cluster(left.leaves + right.leaves, conditions, both)
            case _:
                leaf = self.leaf(node, taken)
                return _Cluster([leaf], [], {n: col(c) for n, c in zip(node.schema.names, leaf.schema, strict=True)})

    def leaf(self, node: Node, taken: set[str]) -> Node:
        """A leaf whose columns have names that no other leaf has; those of a table are called after its own, so that what is
        asked for twice looks the same."""
        names = []
        for name in node.columns if isinstance(node, Get) else node.schema.names:
            number, free = 1, name
            while free in taken:
                number += 1
                free = f"{name}_{number}"
            taken.add(free)
            names.append(free)
        if isinstance(node, Get):
            types = Schema(tuple(Column(n, c.type, c.id) for n, c in zip(names, node.schema, strict=True)))
            return Get(node.name, types, node.columns, node.version)
        return renamed(self.cut(node), tuple(names))

    def together(self, cluster: _Cluster) -> Node:
        groups = self.groups(cluster)
        rest = [c for c in cluster.conditions if not any(self.within(c, g) for g in groups)]
        used = frozenset[str]().union(*(s.columns for s in (*rest, *cluster.items.values())))
        whole: Node | None = None
        done: set[int] = set()
        for i, leaf in enumerate(cluster.leaves):
            if i in done:
                continue
            group = next((g for g in groups if leaf in g), None)
            if group is not None:
                done |= {j for j, other in enumerate(cluster.leaves) if other in group}
                leaf = self.add(group, [c for c in cluster.conditions if self.within(c, group)], used)
            whole = leaf if whole is None else Join(whole, leaf, true())
        assert whole is not None
        filtered = Filter(whole, conjunction(rest)) if rest else whole
        items = tuple(cluster.items.items())
        return filtered if items == cols(filtered.schema) else Project(filtered, items)

    def groups(self, cluster: _Cluster) -> list[list[Get]]:
        """Tables of other databases that comparisons of columns connect."""
        groups = [[leaf] for leaf in cluster.leaves if isinstance(leaf, Get) and self.remote(leaf.name)]
        owner = {n: leaf for [leaf] in groups for n in leaf.schema.names}
        for c in cluster.conditions:
            pair = compared(c) if steady(c) else None
            if pair is None or pair[0] not in owner or pair[1] not in owner:
                continue
            a, b = (next(g for g in groups if owner[n] in g) for n in pair)
            if a is not b:
                a += b
                groups.remove(b)
        return [[leaf for leaf in cluster.leaves if isinstance(leaf, Get) and leaf in g] for g in groups]

    @staticmethod
    def within(condition: Scalar, group: Sequence[Get]) -> bool:
        names = {n for leaf in group for n in leaf.schema.names}
        return bool(condition.columns) and condition.columns <= names and steady(condition)

    def add(self, group: Sequence[Get], conditions: Iterable[Scalar], used: frozenset[str]) -> Get:
        every = [n for leaf in group for n in leaf.schema.names]
        columns = tuple(n for n in every if n in used) or (every[0],)
        made = RemoteJoin(f"{self.view}{MARK}{len(self.found) + 1}", tuple(group), tuple(dict.fromkeys(conditions)), columns)
        known = next((r for r in self.found if replace(made, name=r.name) == r), None)
        if known is None:
            self.found.append(made)
        return (known or made).get()
