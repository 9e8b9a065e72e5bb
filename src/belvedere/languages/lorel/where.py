"""Conditions over a frame: the rows for which one holds, and those for which it does not.

A condition is true or false, never unknown. What asks for the existence of something is a semijoin with a **witness**, a
relation made from the edges alone wherever that is possible, so that its change looks up the few rows it can matter to. Where
a condition ties together several variables by more than equations, the frame itself is extended, and cut back afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, Filter, Join, Project, SemiJoin, UnionAll, keep
from belvedere.algebra.scalar import Scalar, col, conjunction, equal, true, when
from belvedere.algebra.types import Schema
from belvedere.algebra.typing import scalar
from belvedere.languages.lorel.coercion import Atom, atom_of, atom_of_text, compares, compares_constant, equalities
from belvedere.languages.lorel.constants import FLIPPED, Constant, satisfies
from belvedere.languages.lorel.frames import Frame, nothing_bound
from belvedere.languages.lorel.graph import Graph
from belvedere.languages.lorel.resolved import (
    All,
    AnyOf,
    Compare,
    Condition,
    LabelOf,
    No,
    Object,
    Same,
    Some,
    Term,
    Total,
    bound_by,
    free,
)


@dataclass(frozen=True)
class Witness:
    """A relation, and the pairs (variable of the frame, column of the relation) by which its rows speak for rows of a frame."""

    node: Node
    keys: tuple[tuple[str, str], ...]

    def on(self, frame: Frame) -> Scalar:
        return conjunction(equal(frame.column(v), self.node.schema[c]) for v, c in self.keys)

    def narrowed(self, graph: Graph) -> Node:
        """Its keys alone, under new names."""
        return Project(self.node, tuple((graph.session.fresh(c), col(self.node.schema[c])) for _, c in self.keys))


class Where:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    # -- rows for which a condition holds --------------------------------------------------------------------------------

    def holds(self, frame: Frame, c: Condition | None) -> Frame:
        from belvedere.languages.lorel.assembly import Assembly

        match c:
            case None:
                return frame
            case All(parts=parts):
                for part in sorted(parts, key=cost):
                    frame = self.holds(frame, part)
                return frame
            case AnyOf(parts=parts):
                return self._any(frame, parts)
            case No(condition=inner):
                return self.fails(frame, inner)
            case Same(left=a, right=b):
                return frame.over(Filter(frame.node, equal(frame.column(a), frame.column(b))))
            case Compare():
                return self._compared(frame, c)
            case Some(hops=hops, where=where):
                witness = self.witness(frame, c)
                if witness is not None:
                    return frame.over(SemiJoin(frame.node, witness.node, witness.on(frame)))
                linked = self._linked(frame, c)
                if linked is not None:
                    return linked
                wider = Assembly(self, frozenset(frame.columns), frame).build(hops, parts_of(where))
                assert wider is not None
                return frame.over(wider.node)

    def _any(self, frame: Frame, parts: tuple[Condition, ...]) -> Frame:
        if not parts:
            return self._none(frame)
        witnesses = [w for p in parts if (w := self.witness(frame, p)) is not None]
        first = witnesses[0] if len(witnesses) == len(parts) else None
        if first is not None and all([v for v, _ in w.keys] == [v for v, _ in first.keys] for w in witnesses) and first.keys:
            node = UnionAll(tuple(w.narrowed(self.graph) for w in witnesses))
            keys = tuple((v, c.name) for (v, _), c in zip(first.keys, node.schema, strict=True))
            return frame.over(SemiJoin(frame.node, node, Witness(node, keys).on(frame)))
        return frame.over(UnionAll(tuple(self.holds(frame, p).node for p in parts)))

    # -- rows for which it does not --------------------------------------------------------------------------------------

    def fails(self, frame: Frame, c: Condition) -> Frame:
        match c:
            case All(parts=parts):
                return self._any(frame, tuple(No(p) for p in parts))
            case AnyOf(parts=parts):
                return self.holds(frame, All(tuple(No(p) for p in parts)))
            case No(condition=inner):
                return self.holds(frame, inner)
            case Same(left=a, right=b):
                differ = when(equal(frame.column(a), frame.column(b)), _truth(False), true())
                return frame.over(Filter(frame.node, differ))
            case Compare() if not (isinstance(c.left, Object) or isinstance(c.right, Object)):
                return self._computed(frame, c, negated=True)
            case Compare() | Some():
                witness = self.witness(frame, c) or self._general(frame, c)
                return frame.over(SemiJoin(frame.node, witness.node, witness.on(frame), anti=True))

    def _general(self, frame: Frame, c: Condition) -> Witness:
        """The bindings of the condition's own variables for which it holds."""
        variables = tuple(sorted(free(c)))
        domain = frame.narrowed(variables, self.graph) if variables else nothing_bound()
        kept = self.holds(domain, c)
        return Witness(kept.node, tuple((v, kept.columns[v]) for v in variables))

    # -- witnesses -------------------------------------------------------------------------------------------------------

    def witness(self, frame: Frame, c: Condition) -> Witness | None:
        """A witness that needs nothing of the frame but, for an automaton, where to start; None where there is none."""
        from belvedere.languages.lorel.assembly import Assembly

        match c:
            case Compare(op=op, left=Object(variable=v), right=Constant() as constant):
                values = self.graph.values()
                chosen = values.where(compares_constant(op, values.atom(), constant))
                return Witness(chosen.node, ((v, values.columns["oid"]),))
            case Compare(op=op, left=Constant() as constant, right=Object() as o) if op in FLIPPED:
                return self.witness(frame, Compare(FLIPPED[op], o, constant))
            case Some(hops=hops):
                links, rest = _split(c)
                inner = bound_by(hops)
                anchors = tuple(dict.fromkeys(v for h in hops for v in free(h) if v not in inner))
                if not free(All(rest)) <= inner | set(anchors):
                    return None
                needed = frozenset(anchors) | {i for i, _ in links}
                assembly = Assembly(self, needed, None, frame)
                made = assembly.build(hops, rest)
                if made is None or assembly.paired:
                    return None
                keys = [(a, made.columns[a]) for a in anchors] + [(o, made.columns[i]) for i, o in links]
                return self._shown(made, tuple(keys))
            case _:
                return None

    def _shown(self, made: Frame, keys: tuple[tuple[str, str], ...]) -> Witness:
        """A witness by its keys alone. One that only speaks for a root is made distinct, so that it is kept how many rows there
        are, and a change of one does not ask for the others."""
        names = tuple(dict.fromkeys(c for _, c in keys))
        if not all(v in self.graph.roots for v, _ in keys):
            return Witness(keep(made.node, names), keys)
        roots = names or tuple(c for v, c in made.columns.items() if v in self.graph.roots)
        return Witness(Aggregate(made.node, tuple((c, col(made.node.schema[c])) for c in roots), ()), keys)

    def _linked(self, frame: Frame, c: Some) -> Frame | None:
        """`exists … x: x = v` for a variable v outside: by two joins on equal values instead of every pair."""
        parts = parts_of(c.where)
        inner = bound_by(c.hops)
        for at, part in enumerate(parts):
            match part:
                case Compare(op="=", left=Object(variable=a), right=Object(variable=b)) if (a in inner) != (b in inner):
                    mine, theirs = (a, b) if a in inner else (b, a)
                    rest = Some(c.hops, All(tuple(p for i, p in enumerate(parts) if i != at)))
                    witness = None if free(rest) >= {theirs} else self.with_object(frame, rest, mine)
                    return None if witness is None else self._by_value(frame, theirs, witness)
                case _:
                    continue
        return None

    def with_object(self, frame: Frame, c: Some, variable: str) -> tuple[Witness, str] | None:
        """A witness that also shows the object of a variable."""
        probe = Some(c.hops, All((*parts_of(c.where), Same(variable, "?"))))
        witness = self.witness(frame, probe)
        if witness is None:
            return None
        column = dict(witness.keys)["?"]
        return Witness(witness.node, tuple(k for k in witness.keys if k[0] != "?")), column

    def _by_value(self, frame: Frame, variable: str, found: tuple[Witness, str]) -> Frame:
        witness, column = found
        outer, inner = self.graph.values(), self.graph.values()
        left = Join(frame.node, outer.node, equal(frame.column(variable), outer.column("oid")))
        right = Join(witness.node, inner.node, equal(witness.node.schema[column], inner.column("oid")))
        wide = Frame(left, frame.columns)
        parts = [
            SemiJoin(left, right, conjunction([*Witness(right, witness.keys).on(wide).conjuncts(), e]))
            for e in equalities(outer.atom(), inner.atom())
        ]
        return frame.over(UnionAll(tuple(parts)))

    # -- comparisons -----------------------------------------------------------------------------------------------------

    def _compared(self, frame: Frame, c: Compare) -> Frame:
        witness = self.witness(frame, c)
        if witness is not None:  # values are unique by oid: a join gives no row twice
            return frame.over(Join(frame.node, witness.node, witness.on(frame)))
        return self._computed(frame, c, negated=False)

    def _computed(self, frame: Frame, c: Compare, *, negated: bool) -> Frame:
        """With both sides as columns; the opposite only where no object is looked at, which might have no value."""
        if isinstance(c.left, Constant) and isinstance(c.right, Constant):
            return frame if satisfies(c.left.value, c.op, c.right.value) != negated else self._none(frame)
        wider, left = self._atom(frame, c.left)
        wider, right = self._atom(wider, c.right)
        if isinstance(c.right, Constant):
            condition = compares_constant(c.op, left, c.right)
        elif isinstance(c.left, Constant):
            condition = compares_constant(FLIPPED[c.op], right, c.left)
        else:
            condition = compares(c.op, left, right)
        if negated:
            condition = when(condition, _truth(False), true())
        return frame.over(Filter(wider.node, condition))

    def _none(self, frame: Frame) -> Frame:
        return frame.over(Filter(frame.node, _truth(False)))

    def _atom(self, frame: Frame, term: Term) -> tuple[Frame, Atom]:
        from belvedere.languages.lorel.totals import with_total

        match term:
            case Constant():
                return frame, atom_of(term)
            case LabelOf(variable=v):
                return frame, atom_of_text(frame.scalar(v))
            case Object(variable=v):
                values = self.graph.values()
                node = Join(frame.node, values.node, equal(frame.column(v), values.column("oid")))
                return Frame(node, frame.columns), values.atom()
            case Total():
                return with_total(frame, term, self)


def parts_of(c: Condition | None) -> tuple[Condition, ...]:
    return () if c is None else c.parts if isinstance(c, All) else (c,)


def _split(c: Some) -> tuple[list[tuple[str, str]], tuple[Condition, ...]]:
    """The equations between a variable inside and one outside, which need no more than a key, and the other conditions."""
    inner = bound_by(c.hops)
    links: list[tuple[str, str]] = []
    rest: list[Condition] = []
    for part in parts_of(c.where):
        if isinstance(part, Same) and (part.left in inner) != (part.right in inner):
            links.append((part.left, part.right) if part.left in inner else (part.right, part.left))
        else:
            rest.append(part)
    return links, tuple(rest)


def cost(c: Condition) -> int:
    """Conditions on values first, those that extend the frame last."""
    match c:
        case Same():
            return 0
        case Compare(left=a, right=b):
            return 1 if not (isinstance(a, Total) or isinstance(b, Total)) else 4
        case Some(hops=hops):
            return 2 if len(free(c)) <= 1 and len(hops) <= 2 else 3
        case _:
            return 4


def _truth(value: bool) -> Scalar:
    return scalar("true" if value else "false", Schema(()))
