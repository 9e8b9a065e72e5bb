"""The tables of graphs as leaves of a plan, and steps along an automaton over their edges."""

from __future__ import annotations

from dataclasses import dataclass, field

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Closure, Filter, Join, Project, UnionAll, Values
from belvedere.algebra.scalar import Scalar, col, compare, equal, string
from belvedere.algebra.types import Column, Int, Schema, String
from belvedere.algebra.typing import scalar
from belvedere.errors import UnknownName
from belvedere.languages.lorel.coercion import Atom, fits
from belvedere.languages.lorel.resolved import Enter
from belvedere.languages.lorel.scopes import Session
from belvedere.languages.lorel.syntax import Label
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.relations import rename_output

NAMES, EDGES, VALUES, OBJECTS = "oem.names", "oem.edges", "oem.values", "oem.objects"


@dataclass(frozen=True)
class Leaf:
    """One use of a table, under column names of its own; `columns`: the table's names → those."""

    node: Node
    columns: dict[str, str]

    def column(self, name: str) -> Column:
        return self.node.schema[self.columns[name]]

    def scalar(self, name: str) -> Scalar:
        return col(self.column(name))

    def where(self, condition: Scalar | None) -> Leaf:
        return self if condition is None else Leaf(Filter(self.node, condition), self.columns)

    def atom(self) -> Atom:
        return Atom(*(self.scalar(n) for n in ("type", "integer", "number", "text")))


@dataclass
class Graph:
    """The tables, and which of them a statement has read. `roots`: the variables that stand for one object at most."""

    names: Names
    session: Session
    relations: dict[str, None] = field(default_factory=dict)
    roots: set[str] = field(default_factory=set)

    def leaf(self, table: str) -> Leaf:
        relation = self.names.relation(table)
        if relation is None:
            raise UnknownName("there is no graph in this warehouse; load one with wh.load_oem(name, data)")
        self.relations[relation.name] = None
        visible = relation.schema.names
        own = tuple(self.session.fresh(n) for n in visible)
        return Leaf(rename_output(relation.plan(), own), dict(zip(visible, own, strict=True)))

    def edges(self, labels: tuple[Label, ...]) -> Leaf:
        """The edges that have one of the labels."""
        leaf = self.leaf(EDGES)
        return leaf.where(fits(leaf.column("label"), labels))

    def values(self) -> Leaf:
        return self.leaf(VALUES)

    def root(self, hop: Enter) -> Leaf:
        """The one object behind a name, or with an oid; no row if there is none. Its column is `oid`."""
        self.roots.add(hop.target)
        if hop.oid and not hop.living:
            own = self.session.fresh("oid")
            return Leaf(Values(Schema((Column(own, String()),)), ((string(hop.root),),)), {"oid": own})
        leaf = self.leaf(OBJECTS if hop.oid else NAMES)
        return leaf.where(compare("=", leaf.scalar("oid" if hop.oid else "name"), string(hop.root)))

    def closure(self, seeds: Node, transitions: tuple[tuple[int, Label, int], ...]) -> Closure:
        return Closure(seeds, self.steps(transitions))

    def steps(self, transitions: tuple[tuple[int, Label, int], ...]) -> Node:
        """(s1, a, s2, b) for every edge from a to b whose label a transition from s1 to s2 takes. Exact labels meet the edges
        in one join; patterns are filters, one branch for each pair of states."""
        exact = [t for t in transitions if not t[1].pattern]
        pairs: dict[tuple[int, int], list[Label]] = {}
        for s1, label, s2 in transitions:
            pairs.setdefault((s1, s2), []).append(label)
        parts = []
        if len({(s1, s2) for s1, _, s2 in exact}) > 1:
            parts.append(self._by_table(exact))
            pairs = {p: kept for p, labels in pairs.items() if (kept := [x for x in labels if x.pattern])}
        parts += [self._by_filter(s1, s2, tuple(labels)) for (s1, s2), labels in pairs.items()]
        if not parts:
            return Values(Schema.of(s1="int", a="string", s2="int", b="string"), ())
        return parts[0] if len(parts) == 1 else UnionAll(tuple(parts))

    def _by_table(self, transitions: list[tuple[int, Label, int]]) -> Node:
        edges = self.leaf(EDGES)
        fresh = self.session.fresh
        types = Schema((Column(fresh("s1"), Int()), Column(fresh("step"), String()), Column(fresh("s2"), Int())))
        rows = tuple((number(s1), string(label.text), number(s2)) for s1, label, s2 in transitions)
        s1, label, s2 = types
        joined = Join(edges.node, Values(types, rows), equal(edges.column("label"), label))
        return Project(joined, (("s1", col(s1)), ("a", edges.scalar("source")), ("s2", col(s2)), ("b", edges.scalar("target"))))

    def _by_filter(self, s1: int, s2: int, labels: tuple[Label, ...]) -> Node:
        edges = self.edges(labels)
        items = (("s1", number(s1)), ("a", edges.scalar("source")), ("s2", number(s2)), ("b", edges.scalar("target")))
        return Project(edges.node, items)


def number(state: int) -> Scalar:
    """A state as a constant."""
    return scalar(str(state), Schema(()))


def seeds(node: Node, column: str, state: int = 0, *, src: bool = True) -> Node:
    """The objects in a column as seeds; without `src` all of them go together, and only what is reached is kept."""
    oid = col(node.schema[column])
    return Project(node, (("src", oid if src else string("")), ("state", number(state)), ("node", oid)))


def reached(closure: Closure, accepting: frozenset[int], states: int, session: Session) -> Leaf:
    """The rows of a closure in an accepting state, as a leaf with columns src, state and node."""
    own = {n: session.fresh(n) for n in ("src", "state", "node")}
    node: Node = Project(closure, tuple((own[n], col(closure.schema[n])) for n in own))
    leaf = Leaf(node, own)
    if len(accepting) == states:
        return leaf
    return leaf.where(one_of(leaf.column("state"), accepting))


def one_of(state: Column, states: frozenset[int]) -> Scalar:
    listed = ", ".join(str(s) for s in sorted(states))
    made = scalar(f"s in ({listed})" if len(states) > 1 else f"s = {listed}", Schema((Column("s", Int()),)))
    return made.substitute({"s": col(state)})
