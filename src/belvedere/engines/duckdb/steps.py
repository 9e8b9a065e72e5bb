"""Plans of maintenance in steps: the small side of a lookup first, then the lookup.

DuckDB skips what a join's other side cannot meet, once it knows that side and takes it for the smaller one. In one large
statement it has to guess, and where a part turns out to have no rows it has read the large side already. So each part that
starts from a change and is about to meet a large leaf is evaluated before, and held in memory; a part without rows takes all
that depends on it out of the plan. Parts with a name of their own are held too, so that no step computes one again. A plan
that reads nothing large stays one statement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Get, Join, Keys, Negate, OuterJoin, Project, SemiJoin, Share, UnionAll, Values, gets
from belvedere.algebra.rewrite.empty import empty, is_empty, over, without_empty
from belvedere.algebra.scalar import null_test
from belvedere.algebra.types import Column, Schema
from belvedere.engines.scan import Scan

#: two row groups: a scan of no more has nothing to skip
LARGE = 16_384
#: rows that are worth asking first whether they are needed
MAYBE = 1_024
#: names of parts held in memory begin so; no collection's name does
HELD = "\0held"


@dataclass
class Steps:
    """One plan, worked off from its leaves."""

    resolve: Callable[[Get], Scan]
    #: the rows of a part, and whether no two of them are equal
    evaluate: Callable[[Node, Callable[[Get], Scan]], tuple[pa.Table, bool]]
    held: dict[str, Scan] = field(default_factory=dict)
    _places: Mapping[int, int] = field(default_factory=dict)
    _readers: Mapping[str, int] = field(default_factory=dict)
    _done: dict[int, Node] = field(default_factory=dict)
    _sizes: dict[int, bool] = field(default_factory=dict)
    _kept: list[Node] = field(default_factory=list)

    def scan(self, get: Get) -> Scan:
        """Scans of the plan's own leaves, and of the parts held."""
        return self.held[get.name] if get.name in self.held else self.resolve(get)

    def __call__(self, plan: Node) -> Node:
        """The plan that is left when all steps before the last are done."""
        self._places, self._readers = _places(plan), _readers(plan)
        return self._left(plan)

    def _left(self, node: Node) -> Node:
        if id(node) not in self._done:
            self._kept.append(node)
            self._done[id(node)] = self._step(node)
        return self._done[id(node)]

    def _step(self, node: Node) -> Node:
        place = self._places[id(node)]
        match node:
            case Get():
                return empty(node) if self.scan(node).is_empty else node
            case Share(input=i, name=name):
                inner = self._left(i)
                if is_empty(inner) or isinstance(inner, Get):
                    return inner
                if self._readers[name] == 1:
                    return inner  # a name for nobody else
                return over(node, inner) if _is_held(inner) or not self._from_change(inner) else self._hold(inner, place)
            case Filter(input=i, condition=c):
                inner = self._left(i)
                tested = null_test(c)
                if tested is not None and isinstance(inner, Get) and self._without_nulls(inner, tested):
                    return empty(node)
                return over(node, inner)
            case SemiJoin(left=a, right=b, anti=False):
                right = self._left(b)
                if node.is_question and not is_empty(right) and self._from_change(right):
                    right = self._hold(right, place)
                if is_empty(right):
                    return empty(node)
                left = self._left(a)
                return self._meet(node, left, right, place)
            case Join() | SemiJoin() | OuterJoin():
                left = self._left(node.inputs[0])
                if is_empty(left) and not isinstance(node, OuterJoin):
                    return empty(node)
                right = self._left(node.inputs[1])
                return self._meet(node, left, right, place)
            case _:
                return over(node, *(self._left(i) for i in node.inputs)) if node.inputs else node

    def _meet(self, node: Node, left: Node, right: Node, place: int) -> Node:
        """Two inputs; if one is small and the other large, the small one is evaluated now."""
        if not (is_empty(left) or is_empty(right)):
            if self._is_large(right) and self._from_change(left):
                left = self._hold(left, place)
            elif self._is_large(left) and self._from_change(right):
                right = self._hold(right, place)
        return over(node, left, right)

    def _hold(self, node: Node, place: int) -> Node:
        """A part in memory, by a name that depends on where in the plan it is held, so that the statements that read it are the
        same whatever else is empty."""
        if _is_held(node) or self._in_memory(node):
            return node
        table, distinct = self.evaluate(node, self.scan)
        if not table.num_rows:
            return empty(node)
        name = f"{HELD}{place}"
        assert name not in self.held, "one part is held at a place"
        schema = Schema(tuple(Column(c.name, c.type, i + 1) for i, c in enumerate(node.schema)))
        named = table.rename_columns([*(f"c{c.id}" for c in schema), "_w"])
        self.held[name] = Scan(schema, tables=(named,), rows=table.num_rows, key=schema.names if distinct else ())
        return _held(node, name)

    def _in_memory(self, node: Node) -> bool:
        """A leaf that lies in memory as it is, and has rows."""
        if not isinstance(node, Get):
            return False
        scan = self.scan(node)
        return not scan.files and not scan.negative and not scan.is_empty

    def _without_nulls(self, leaf: Get, column: str) -> bool:
        scan = self.scan(leaf)
        name = scan.physical(leaf.source(column))
        return leaf.name in self.held and all(t.column(name).null_count == 0 for t in scan.tables)

    # -- sizes -------------------------------------------------------------------------------------------------------

    def _from_change(self, node: Node) -> bool:
        """Whether every row of it stems from a change, so that there are few."""
        known = self._sizes.get(id(node))
        if known is None:
            known = self._sizes[id(node)] = self._rooted(node)
            self._kept.append(node)
        return known

    def _rooted(self, node: Node) -> bool:
        match node:
            case Get():
                return node.version == "delta"
            case Values():
                return True
            case Join(left=a, right=b) | SemiJoin(left=a, right=b, anti=False):
                return self._from_change(a) or self._from_change(b)
            case SemiJoin(left=a):
                return self._from_change(a)
            case OuterJoin(left=a, right=b, kind=kind):
                sides = {"left": (a,), "right": (b,), "full": (a, b)}[kind]
                return all(self._from_change(s) for s in sides)
            case _:
                return all(self._from_change(i) for i in node.inputs)

    def _is_large(self, node: Node) -> bool:
        """Whether it reads a large collection that no change narrows down."""
        return not self._from_change(node) and any(self.scan(g).rows > LARGE for g in gets(node))


def _places(plan: Node) -> Mapping[int, int]:
    """The nodes of a plan, numbered; equal plans have equal numbers."""
    known: Mapping[int, int] | None = plan.__dict__.get("_places")
    if known is None:
        known = plan.__dict__["_places"] = {id(n): i for i, n in enumerate(plan.walk())}
    return known


def _readers(plan: Node) -> Mapping[str, int]:
    """By name, in how many places a part is read that has one, up to two. Whatever reads a name reads what is below it once."""
    known: Mapping[str, int] | None = plan.__dict__.get("_readers")
    if known is None:
        places: dict[int, int] = {id(plan): 1}
        named: Counter[str] = Counter()
        for node in _parents_first(plan):
            if isinstance(node, Share):
                named[node.name] += places[id(node)]
            for i in node.inputs:
                places[id(i)] = min(2, places.get(id(i), 0) + (1 if isinstance(node, Share) else places[id(node)]))
        known = plan.__dict__["_readers"] = named
    return known


def _parents_first(plan: Node) -> list[Node]:
    """The nodes of a plan, each after all that read it."""
    done: list[Node] = []
    seen: set[int] = set()

    def visit(node: Node) -> None:
        if id(node) not in seen:
            seen.add(id(node))
            for i in node.inputs:
                visit(i)
            done.append(node)

    visit(plan)
    return done[::-1]


def _held(node: Node, name: str) -> Get:
    """What stands for a part that is held; the part remembers it."""
    known: dict[str, Get] = node.__dict__.setdefault("_held", {})
    if name not in known:
        known[name] = Get(name, node.schema, node.schema.names, "delta")
    return known[name]


def _is_held(node: Node) -> bool:
    """In memory already, and known to have rows."""
    match node:
        case Get(name=name):
            return name.startswith(HELD)
        case Keys(input=i) | Project(input=i) | Negate(input=i) | Share(input=i):
            return _is_held(i)
        case UnionAll(parts=parts):
            return all(_is_held(p) for p in parts)
        case _:
            return False


def in_question(node: Node, scan: Callable[[Get], Scan]) -> Node:
    """A plan of maintenance that would read something large whole, without what hangs on changes that there are not: that may be
    all that it would be read for. Other plans stay as they are, so that one statement serves whatever has changed."""
    leaves = gets(node)
    if any(g.version == "delta" for g in leaves) and any(not g.by and scan(g).rows > LARGE for g in leaves):
        return without_empty(node, lambda get: scan(get).is_empty)
    return node


def worth_steps(node: Node, scan: Callable[[Get], Scan]) -> bool:
    """Whether it is a plan of maintenance that reads something large, or something that it may find it need not read."""
    leaves = gets(node)
    large = MAYBE if _has_question(node) else LARGE
    # what was looked up has been read already
    sizes = ((s.rows, LARGE if s.counted else large) for g in leaves if g.version != "delta" for s in (scan(g),))
    return any(g.version == "delta" for g in leaves) and any(rows > most for rows, most in sizes)


def _has_question(node: Node) -> bool:
    """Whether a part of it is asked for only if another one has rows."""
    known: bool | None = node.__dict__.get("_has_question")
    if known is None:
        known = any(isinstance(n, SemiJoin) and n.is_question for n in node.walk())
        node.__dict__["_has_question"] = known
    return known
