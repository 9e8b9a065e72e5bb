"""A resolved view → its long form; a resolved query → rows to look at."""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate, OuterJoin, Project, SemiJoin, UnionAll
from belvedere.algebra.scalar import col, cols, equal, is_null, null, string, when
from belvedere.languages.lorel.assembly import Assembly
from belvedere.languages.lorel.bound import LONG
from belvedere.languages.lorel.frames import Frame, extended
from belvedere.languages.lorel.graph import Graph
from belvedere.languages.lorel.resolved import Item, Query, View, free
from belvedere.languages.lorel.where import Where, parts_of
from belvedere.languages.lorel.with_clause import adjunct_edges


@dataclass(frozen=True)
class Selected:
    """The distinct objects of one item, in the one column `oid`."""

    item: Item
    node: Node


def selected(query: Query, graph: Graph) -> tuple[Selected, ...]:
    """What each item of a query gives."""
    where = Where(graph)
    needed = frozenset[str]().union(*(_needed(i) for i in query.items))
    if query.hops:
        frame = Assembly(where, needed).build(query.hops, parts_of(query.where))
    else:
        frame = None
    found = []
    for item in query.items:
        wider = extended(frame, item.hops, graph)
        assert wider is not None, "an item that nothing binds"
        if frame is None and query.where is not None:
            wider = where.holds(wider, query.where)
        found.append(Selected(item, Aggregate(wider.node, (("oid", wider.scalar(item.variable)),), ())))
    return tuple(found)


def _needed(item: Item) -> frozenset[str]:
    sources: frozenset[str] = frozenset[str]().union(*(free(h) for h in item.hops))
    return sources | {item.variable}


def long_form(view: View, items: tuple[Selected, ...], graph: Graph) -> Node:
    """The three kinds of rows of a view."""
    primary = _primary(items)
    edges = adjunct_edges(view.adjunct, _starts(items, graph), graph)
    parts = [_kind("primary", primary, ("oid", "label"))]
    ends: list[Node] = [Project(primary, (("oid", col(primary.schema["oid"])),))]
    if edges is not None:
        parts.append(_kind("edge", edges, ("oid", "label", "target")))
        ends.append(Project(edges, (("oid", col(edges.schema["target"])),)))
    parts.append(_kind("value", _values(ends, graph), ("oid", "type", "integer", "number", "text")))
    return UnionAll(tuple(parts))


def _primary(items: tuple[Selected, ...]) -> Node:
    """(oid, label), each once."""
    parts = [Project(s.node, (("oid", col(s.node.schema["oid"])), ("label", string(s.item.label)))) for s in items]
    if len(parts) == 1:
        return parts[0]
    together = UnionAll(tuple(parts))
    return together if len({s.item.label for s in items}) == len(items) else Aggregate(together, cols(together.schema), ())


def _starts(items: tuple[Selected, ...], graph: Graph) -> dict[str, Frame]:
    """Selected variable → its objects. Two items may select one variable."""
    found: dict[str, Frame] = {}
    for s in items:
        own = graph.session.fresh(s.item.variable)
        node = Project(s.node, ((own, col(s.node.schema["oid"])),))
        found.setdefault(s.item.variable, Frame(node, {s.item.variable: own}))
    return found


def _values(ends: list[Node], graph: Graph) -> Node:
    """The values of the objects in the view."""
    values = graph.values()
    own = graph.session.fresh("end")
    right = [Project(n, ((own, col(n.schema["oid"])),)) for n in ends]
    among = right[0] if len(right) == 1 else UnionAll(tuple(right))
    kept = SemiJoin(values.node, among, equal(values.column("oid"), among.schema[own]))
    return Project(kept, tuple((n, values.scalar(n)) for n in ("oid", "type", "integer", "number", "text")))


def _kind(kind: str, node: Node, shown: tuple[str, ...]) -> Node:
    rest = [(c.name, col(node.schema[c.name]) if c.name in shown else null(c.type)) for c in LONG.columns[1:]]
    return Project(node, (("kind", string(kind)), *rest))


def as_rows(items: tuple[Selected, ...], graph: Graph) -> Node:
    """(oid, label, type, text); a complex object has the type 'complex' and no text."""
    primary = _primary(items)
    values = graph.values()
    wide = OuterJoin(primary, values.node, equal(primary.schema["oid"], values.column("oid")), "left")
    kind = values.scalar("type")
    shown = when(is_null(kind), string("complex"), kind)
    oid, label = (col(primary.schema[n]) for n in ("oid", "label"))
    return Project(wide, (("oid", oid), ("label", label), ("type", shown), ("text", values.scalar("text"))))
