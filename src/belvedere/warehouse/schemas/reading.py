"""From fragments to relations: names for ids, then SPLIT and UNFOLD, as algebra that runs when a relation is read.

Names of relations and columns are data here: they stand in plans as string constants. The columns of a relation's node get their
names from the outline, by position; inside, a pivot column is called after its value, so that it is the same column whatever
others come and go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Get, Join, Project, SemiJoin, Values
from belvedere.algebra.scalar import Scalar, col, compare, equal, integer, null, string, when
from belvedere.algebra.types import BigInt, Column, Schema, String
from belvedere.languages.schemasql.bound import Layout
from belvedere.store.model import Collection
from belvedere.warehouse.schemas.outline import Dictionaries, Outline


def fragments_of(stored: Collection) -> Get:
    """The stored fragments."""
    return Get(stored.name, Schema(tuple(Column(c.name, c.type) for c in stored.schema)), stored.schema.names)


def with_names(node: Node, dictionaries: Dictionaries) -> Node:
    """The node with names in the place of ids. What has an id without a name does not count, and goes."""
    wanted = [c for c in node.schema if c.name in dictionaries]
    if not wanted:
        return node
    items: dict[str, Scalar] = {c.name: col(c) for c in node.schema}
    taken = set(node.schema.names)
    for number, c in enumerate(wanted):
        by, name = Column(_free(f"_id{number}", taken), BigInt()), Column(_free(f"_name{number}", taken), String())
        rows = tuple((integer(i), string(n)) for i, n in dictionaries[c.name])
        node = Join(node, Values(Schema((by, name)), rows), equal(c, by))
        items[c.name] = col(name)
    return Project(node, tuple(items.items()))


def living(node: Node, dictionaries: Dictionaries, columns: Iterable[str]) -> Node:
    """The node without what has an id without a name in one of these columns."""
    taken = set(node.schema.names)
    for number, name in enumerate(columns):
        known = Column(_free(f"_id{number}", taken), BigInt())
        values = Values(Schema((known,)), tuple((integer(i),) for i, _ in dictionaries[name]))
        node = SemiJoin(node, values, equal(node.schema[name], known))
    return node


def relation_node(fragments: Node, outline: Outline, relation: str | None, pivots: Sequence[str] | None = None) -> Node:
    """One relation of the view, its columns in the order of `outline.columns()`; `relation` is None where there is one only."""
    layout = outline.layout
    node = with_names(fragments, outline.dictionaries)
    if layout.relation is not None and relation is not None:
        node = Filter(node, compare("=", col(node.schema[layout.relation]), string(relation)))
    return wide(node, layout, outline.pivot_names() if pivots is None else pivots)


def wide(node: Node, layout: Layout, pivots: Sequence[str], *, by_relation: bool = False) -> Node:
    """Fragments with names, put together: rows for equal fixed attributes, a column for each pivot value. `by_relation` puts the
    relation's name in front."""
    fixed = [c for c, _ in layout.fixed]
    if by_relation and layout.relation is not None:
        fixed = [layout.relation, *fixed]
    keys = tuple((f"f{i}", col(node.schema[c])) for i, c in enumerate(fixed))
    if layout.pivot is None or layout.data is None:
        return Project(node, keys)
    pivot, data = col(node.schema[layout.pivot]), col(node.schema[layout.data])
    cells = tuple((f"p:{p}", _cell(pivot, data, p)) for p in pivots)
    # a key that is always the same: without one, a view without fragments would have a row
    grouped = Aggregate(node, keys or (("one", integer(1)),), cells)
    at = layout.pivot_at + (len(fixed) - len(layout.fixed))
    names = [n for n, _ in keys]
    order = [*names[:at], *(n for n, _ in cells), *names[at:]]
    return Project(grouped, tuple((n, col(grouped.schema[n])) for n in order))


def _cell(pivot: Scalar, data: Scalar, name: str) -> Agg:
    """All fragments of a cell have the same data, so the least is the one."""
    return Agg("min", (when(compare("=", pivot, string(name)), data, null(data.type)),), data.type)


def _free(stem: str, taken: set[str]) -> str:
    name = stem
    while name in taken:
        name += "_"
    taken.add(name)
    return name
