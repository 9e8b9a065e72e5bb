"""Lookups on Spark: keys that are known to the driver become literals in the filter of a scan.

Spark does not prune row groups or pages by a join. So where a leaf is looked up by the rows of a small change, the small
side is evaluated first and its keys are written into the leaf's filter. Law: L ⋈ R = L ⋈ σ(R.k ∈ π_k L)(R), and the same
for a semijoin's left and an antijoin's right side. The join itself stays, so a key too many never hurts.

What rests on small in-memory runs and small files only is evaluated in-process, at no job. So is what the driver finds by the
keys in files that it has read often, or in a few row groups: literals are for what is left. What needs such a lookup itself is
one job, and its few rows come to the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Consolidate,
    Filter,
    Get,
    Join,
    Negate,
    Project,
    Scale,
    SemiJoin,
    Share,
    UnionAll,
    equi_pairs,
    gets,
)
from belvedere.algebra.rewrite.empty import empty
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Column, Schema, to_arrow
from belvedere.engines.arrow import WEIGHT, stored_column
from belvedere.engines.bands import band
from belvedere.engines.scan import Scan
from belvedere.engines.spark.keylists import key_filter

#: a scan of so many rows is read whole rather than looked up in
SMALL_SCAN = 20_000
#: rows that lie in memory are few up to here, and so are those of a leaf that one task reads
IN_MEMORY = ONE_TASK = 131_072
#: a change of so many rows has too many keys to be worth it
SMALL_CHANGE = 20_000

Evaluate = Callable[[Node, Callable[[Get], Scan]], pa.Table]


@dataclass
class Lookups:
    """One rewriting of one plan."""

    resolve: Callable[[Get], Scan]
    #: evaluates a plan over small inputs in-process; None where it cannot
    local: Callable[[Node, Callable[[Get], Scan]], pa.Table | None]
    #: evaluates a plan by a Spark job
    job: Evaluate
    #: the scans of a plan's leaves, those in memory that the driver finds by the keys that meet there
    near: Callable[[Node, Callable[[Get], Scan]], Callable[[Get], Scan]]
    made: dict[str, Scan] = field(default_factory=dict)
    shares: dict[str, Node] = field(default_factory=dict)
    narrowed: set[int] = field(default_factory=set)
    kept: list[Node] = field(default_factory=list)

    def ask(self, get: Get) -> Scan:
        """Scans of the plan's own leaves and of those made here."""
        return self.made[get.name] if get.name in self.made else self.resolve(get)

    def __call__(self, node: Node) -> Node:
        """The same result, with the leaves cut down by literal keys where that pays."""
        match node:
            case Share():
                return self._share(node)
            case Join():
                return self._join(node)
            case SemiJoin():
                return self._semi_join(node)
            case _:
                return node.with_inputs(*(self(i) for i in node.inputs)) if node.inputs else node

    def is_small(self, node: Node) -> bool:
        """Whether it reads little: no large leaf that is not cut down."""
        if id(node) in self.narrowed:
            return True
        if isinstance(node, Get):
            return self._few(node)
        return all(self.is_small(i) for i in node.inputs)

    def is_light(self, node: Node) -> bool:
        """Whether one task does all of it as soon as several would."""
        if id(node) in self.narrowed:
            return True
        return self.ask(node).rows <= ONE_TASK if isinstance(node, Get) else all(map(self.is_light, node.inputs))

    # -- operators ---------------------------------------------------------------------------------------------------

    def _share(self, node: Share) -> Node:
        known = self.shares.get(node.name)
        if known is None:
            inner = self(node.input)
            known = self._held(inner) if self.is_small(inner) and _changes(node) else None
            known = known if known is not None else Share(inner, node.name)
            self.shares[node.name] = known
        return known

    def _join(self, node: Join) -> Node:
        left, right, pairs = node.left, node.right, equi_pairs(node.on, node.left.schema, node.right.schema)
        if pairs and self._worth(left, right, [b for _, b in pairs]):
            left = self(left)
            if self.is_small(left):
                left = self._in_memory(left)
                right = self._cut(right, left, pairs, node.on)
            return Join(left, self(right) if right is node.right else right, node.on)
        if pairs and self._worth(right, left, [a for a, _ in pairs]):
            right = self(right)
            if self.is_small(right):
                right = self._in_memory(right)
                left = self._cut(left, right, [(b, a) for a, b in pairs], node.on)
            return Join(self(left) if left is node.left else left, right, node.on)
        left, right = self(left), self(right)
        if band(node.on, right.schema, left.schema) and not self.is_small(right) and self.is_small(left):
            left = self._in_memory(left)
            right = self._found(right, left, node.on)
        elif band(node.on, left.schema, right.schema) and not self.is_small(left) and self.is_small(right):
            right = self._in_memory(right)
            left = self._found(left, right, node.on)
        return Join(left, right, node.on)

    def _semi_join(self, node: SemiJoin) -> Node:
        pairs = equi_pairs(node.on, node.left.schema, node.right.schema)
        left, right = node.left, node.right
        if not node.anti and pairs and self._worth(right, left, [a for a, _ in pairs]):
            right = self(right)
            if self.is_small(right):
                right = self._in_memory(right)
                left = self._cut(left, right, [(b, a) for a, b in pairs], node.on)
            return SemiJoin(self(left) if left is node.left else left, right, node.on, node.anti)
        right = self(right)
        if node.is_question and self.is_small(right) and _changes(node.right):
            right = self._in_memory(right)
            if isinstance(right, Get) and self.ask(right).is_empty:
                return empty(node)  # what is asked for only if there is something is not read
        left = self(left)
        if pairs and self.is_small(left) and self._worth(left, right, [b for _, b in pairs]):
            left = self._in_memory(left)
            right = self._cut(right, left, pairs, node.on)
        return SemiJoin(left, right, node.on, node.anti)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _worth(self, start: Node, node: Node, columns: list[str]) -> bool:
        """A large leaf that is looked up by these columns, from a side that begins with a change."""
        leaf = self._leaf(node, columns[0])
        return leaf is not None and self.ask(leaf[0]).rows > SMALL_SCAN and (bool(leaf[0].by) or _changes(start))

    def _leaf(self, node: Node, column: str) -> tuple[Get, str] | None:
        """The leaf and its column behind a column, where nothing but filters, projections and signs are between."""
        match node:
            case Get():
                return node, column
            case Filter(input=i) | Negate(input=i) | Consolidate(input=i) | Scale(input=i):
                return self._leaf(i, column)
            case Project(input=i, items=items):
                below = dict(items)[column].column
                return self._leaf(i, below) if below is not None else None
            case UnionAll(parts=parts):
                at = node.schema.names.index(column)
                return self._leaf(parts[0], parts[0].schema.names[at])
            case SemiJoin(left=i):
                return self._leaf(i, column)
            case _:
                return None

    def _cut(self, node: Node, start: Node, pairs: Sequence[tuple[str, str]], on: Scalar) -> Node:
        """The node with its leaf filtered by the values that the start, a leaf in memory, has in the linked columns."""
        assert isinstance(start, Get)
        node = self._found(node, start, on)
        table = self.ask(start).tables
        known = {a: self._values(start, table, a) for a, _ in pairs}
        return self._filter(node, [(b, known[a]) for a, b in pairs])

    def _found(self, node: Node, start: Node, on: Scalar) -> Node:
        """The node, with what the driver finds of its leaves in their place. A part with a name stays as others know it."""
        if any(isinstance(n, Share) for n in node.walk()):
            return node
        scan = self.near(Join(start, node, on), self.ask)
        new: dict[Get, Get] = {}
        for get in gets(node):
            if scan(get) is not self.ask(get):
                name = f"\0near{len(self.made)}"
                self.made[name] = scan(get)
                new[get] = replace(get, name=name)
        return replaced(node, new) if new else node

    def _values(self, start: Get, tables: tuple[pa.Table, ...], column: str) -> pa.ChunkedArray:
        physical, kind = self.ask(start).physical(start.source(column)), to_arrow(start.types[column].type)
        parts = [stored_column(t, physical, kind) for t in tables]
        return pa.chunked_array([c for p in parts for c in p.chunks], type=kind).unique()

    def _filter(self, node: Node, wanted: list[tuple[str, pa.ChunkedArray]]) -> Node:
        match node:
            case Get(name=name) if name in self.made:
                return node
            case Get():
                made: Node = node
                for column, values in wanted:
                    condition = key_filter(node.schema[column], values)
                    if condition is not None:
                        made = Filter(made, condition)
                if made is not node:
                    self.narrowed.add(id(made))
                    self.kept.append(made)
                return made
            case Project(input=i, items=items):
                plain = dict(items)
                below = [(c, v) for n, v in wanted if (c := plain[n].column) is not None]
                return node.with_inputs(self._filter(i, below))
            case UnionAll(parts=parts):
                out = []
                for p in parts:
                    names = dict(zip(node.schema.names, p.schema.names, strict=True))
                    out.append(self._filter(p, [(names[n], v) for n, v in wanted]))
                return UnionAll(tuple(out))
            case Filter(input=i) | Negate(input=i) | Consolidate(input=i) | Scale(input=i):
                return node.with_inputs(self._filter(i, wanted))
            case SemiJoin(left=i, right=r, on=on, anti=anti):
                return SemiJoin(self._filter(i, wanted), self(r), on, anti)
            case _:
                return self(node)

    def _in_memory(self, node: Node) -> Node:
        """The node as a leaf in memory. Only for what is small."""
        if isinstance(node, Get) and not self.ask(node).files and not self.ask(node).negative:
            return node
        held = self._held(node)
        return held if held is not None else node

    def _held(self, node: Node) -> Node | None:
        table = self.local(node, self.ask) if self._is_local(node) else None
        if table is None:
            table = self.job(node, self.ask)
        name = f"\0held{len(self.made)}"
        schema = Schema(tuple(Column(c.name, c.type, i + 1) for i, c in enumerate(node.schema)))
        columns = [*(f"c{c.id}" for c in schema), WEIGHT.name]
        self.made[name] = Scan(schema, tables=(table.rename_columns(columns),), rows=table.num_rows)
        return Get(name, schema, schema.names, "delta")

    def _is_local(self, node: Node) -> bool:
        """Whether nothing of it lies in a large file, not even behind a filter."""
        return all(map(self._few, gets(node)))

    def _few(self, get: Get) -> bool:
        scan = self.ask(get)
        return scan.rows <= (SMALL_SCAN if scan.files or scan.negative else IN_MEMORY)


def replaced(node: Node, new: Mapping[Get, Get]) -> Node:
    """The plan with other leaves."""
    if isinstance(node, Get):
        return new.get(node, node)
    return node.with_inputs(*(replaced(i, new) for i in node.inputs)) if node.inputs else node


def _changes(node: Node) -> bool:
    """Whether it starts from a change, or from rows that were given."""
    return any(g.version == "delta" or g.name.startswith("\0") for g in gets(node))
