"""The view graph of a join view, for the planner: what the sources say of their tables, before anything was measured."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from sqlglot import exp

from belvedere.algebra.steady import unwidened
from belvedere.planning.sources.graph import KEYS, TUPLES, Direction, Edge, Node, ViewGraph, first_factor
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.source import TableInfo


def view_graph(view: JoinView, tables: Mapping[str, TableInfo], deltas: Mapping[str, int], *, tuples: bool = False) -> ViewGraph:
    """`tables` and `deltas` by alias. Conditions over three parts and more are no edges; they are decided along the way."""
    nodes = {
        p.alias: Node(p.alias, float(tables[p.alias].rows), len(view.slots_of(p.alias)), float(deltas.get(p.alias, 0)), p.source)
        for p in view.parts
    }
    pairs = {c.parts for c in view.conditions if len(c.parts) == 2}
    ordered = [(a, b) for a, b in combinations(nodes, 2) if frozenset((a, b)) in pairs]
    edges = tuple(_edge(view, nodes[a], nodes[b], tables) for a, b in ordered)
    return ViewGraph(tuple(nodes.values()), edges, TUPLES if tuples else KEYS)


def _edge(view: JoinView, a: Node, b: Node, tables: Mapping[str, TableInfo]) -> Edge:
    slots = {s.name: s for s in view.slots}
    equated: dict[str, set[str]] = {a.name: set(), b.name: set()}
    read: dict[str, set[str]] = {a.name: set(), b.name: set()}
    for c in view.conditions:
        if c.parts != {a.name, b.name}:
            continue
        for column in c.expr.find_all(exp.Column):
            slot = slots[column.name]
            read[slot.part].add(slot.column)
            if isinstance(c.expr, exp.EQ) and column in (unwidened(c.expr.this), unwidened(c.expr.expression)):
                equated[slot.part].add(slot.column)
    by_key = {n: bool(tables[n].key) and set(tables[n].key) <= equated[n] for n in (a.name, b.name)}
    forward = Direction(first_factor(b, by_key[b.name], a, by_key[a.name]))
    backward = Direction(first_factor(a, by_key[a.name], b, by_key[b.name]))
    return Edge(a.name, b.name, forward, backward, len(read[a.name]), len(read[b.name]))
