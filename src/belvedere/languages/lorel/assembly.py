"""Several paths and the conditions between them → one frame, without pairing what does not belong together.

Paths that start from different objects are **components** at first. A condition within one applies to it; an equation between
two joins them; only what no equation joins is paired row by row.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Join, SemiJoin, UnionAll, keep
from belvedere.algebra.scalar import Scalar, equal, true
from belvedere.languages.lorel.coercion import equalities
from belvedere.languages.lorel.frames import Frame, extended
from belvedere.languages.lorel.resolved import Compare, Condition, Enter, Hop, Object, Same, Some, bound_by, free
from belvedere.languages.lorel.where import Where


class Assembly:
    """`base`: a frame to go on from. `around`: where sources come from that no hop binds. `needed`: the variables that are
    read afterwards; None for all. `paired` tells whether components had to be paired."""

    def __init__(
        self, where: Where, needed: frozenset[str] | None, base: Frame | None = None, around: Frame | None = None
    ) -> None:
        self.where, self.needed, self.around = where, needed, around
        self.components: list[Frame] = [] if base is None else [base]
        self.closed = base is not None
        self.paired = False

    def build(self, hops: tuple[Hop, ...], conditions: tuple[Condition, ...]) -> Frame | None:
        """The frame; None where a hop's source comes from nowhere."""
        from belvedere.languages.lorel.where import cost, parts_of

        if not self._add(hops):
            return None
        waiting = [p for c in conditions for p in parts_of(c)]
        while waiting:
            waiting.sort(key=lambda c: (len(self._touched(c)) > 1, cost(c)))
            waiting = self._apply(waiting[0], waiting[1:])
        return self._whole()

    def _add(self, hops: tuple[Hop, ...]) -> bool:
        for hop in hops:
            home = None if isinstance(hop, Enter) else self._home(hop.source)
            if home is None:
                if self.closed and not isinstance(hop, Enter):
                    return False
                made = extended(None, (hop,), self.where.graph, self.around)
                if made is None:
                    return False
                self.components.append(made)
            else:
                made = extended(self.components[home], (hop,), self.where.graph)
                assert made is not None
                self.components[home] = made
        return True

    def _home(self, variable: str) -> int | None:
        return next((i for i, f in enumerate(self.components) if variable in f.columns), None)

    def _touched(self, c: Condition) -> list[int]:
        return sorted({h for v in free(c) if (h := self._home(v)) is not None})

    def _apply(self, c: Condition, waiting: list[Condition]) -> list[Condition]:
        """Apply a condition; what is still to be applied."""
        from belvedere.languages.lorel.where import parts_of

        homes = self._touched(c)
        if len(homes) > 1:
            if isinstance(c, Some) and self._joins(c):
                self._add(c.hops)
                return [*parts_of(c.where), *waiting]
            if len(homes) == 2 and self._joined(c, homes[0], homes[1], waiting):
                return waiting
            self._pair(homes)
        at = self._touched(c)[0] if homes else 0
        if not self.components:
            raise AssertionError("a condition without a frame")
        self.components[at] = self.where.holds(self.components[at], c)
        return waiting

    def _joins(self, c: Some) -> bool:
        """Whether an existential condition holds an equation between components, by which they can be joined."""
        from belvedere.languages.lorel.where import parts_of

        homes = {v: self._home(v) for v in free(c)}
        for hop in c.hops:
            if isinstance(hop, Enter):
                return False
            homes[hop.target] = homes.get(hop.source)
        if any(v in f.columns for f in self.components for v in bound_by(c.hops)):
            return False
        return any((pair := _equation(p)) is not None and homes.get(pair[0]) != homes.get(pair[1]) for p in parts_of(c.where))

    def _joined(self, c: Condition, i: int, j: int, waiting: list[Condition]) -> bool:
        """Join two components by an equation. One whose variables nobody reads any more is only asked for existence."""
        pair = _equation(c)
        if pair is None:
            return False
        later = frozenset[str]().union(*(free(w) for w in waiting))
        if self.closed:
            i, j = min(i, j), max(i, j)  # the base stays on the left
        elif self._spare(i, later, c) and not self._spare(j, later, c):
            i, j = j, i
        left, right = self.components[i], self.components[j]
        spare = self._spare(j, later, c)
        a, b = pair if pair[0] in left.columns else pair[::-1]
        if isinstance(c, Same):
            made = _met(left, right, left.node, right.node, [equal(left.column(a), right.column(b))], spare)
        else:
            mine, theirs = self.where.graph.values(), self.where.graph.values()
            x = Join(left.node, mine.node, equal(left.column(a), mine.column("oid")))
            y = Join(right.node, theirs.node, equal(right.column(b), theirs.column("oid")))
            made = _met(left, right, x, y, list(equalities(mine.atom(), theirs.atom())), spare)
        self.components[i] = made
        del self.components[j]
        return True

    def _spare(self, at: int, later: frozenset[str], c: Condition) -> bool:
        columns = self.components[at].columns.keys()
        return self.needed is not None and not (columns & self.needed) and not (columns & later)

    def _pair(self, homes: list[int]) -> None:
        first = self.components[homes[0]]
        for h in homes[1:]:
            first = self._crossed(first, self.components[h])
        self.components = [first, *(f for i, f in enumerate(self.components) if i not in homes)]

    def _crossed(self, a: Frame, b: Frame) -> Frame:
        self.paired = self.paired or len(a.columns) > 1 < len(b.columns)
        return Frame(Join(a.node, b.node, true()), {**a.columns, **b.columns})

    def _whole(self) -> Frame | None:
        if not self.components:
            return None
        self._pair(list(range(len(self.components))))
        return self.components[0]


def _equation(c: Condition) -> tuple[str, str] | None:
    match c:
        case Same(left=a, right=b):
            return a, b
        case Compare(op="=", left=Object(variable=a), right=Object(variable=b)):
            return a, b
        case _:
            return None


def _met(left: Frame, right: Frame, x: Node, y: Node, on: list[Scalar], spare: bool) -> Frame:
    """The rows of two frames that meet under any of the conditions."""
    columns = left.columns if spare else {**left.columns, **right.columns}
    names = left.node.schema.names if spare else (*left.node.schema.names, *right.node.schema.names)
    parts = tuple(keep(SemiJoin(x, y, o) if spare else Join(x, y, o), names) for o in on)
    return Frame(parts[0] if len(parts) == 1 else UnionAll(parts), columns)
