"""How a SchemaSQL view is kept: its fragments, and beside them what says which names there are and which keys are violated.

The counts are the fragments with fewer columns, so they are maintained from the delta of the fragments alone. Violations are
found again for the keys that the delta touches, looked up in the fragments; what is stored of them is normally nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Get, Join, Project, SemiJoin, UnionAll, Values, keep
from belvedere.algebra.rewrite import rewrite
from belvedere.algebra.scalar import Scalar, cast, col, compare, integer, is_null, negation, null
from belvedere.algebra.types import Array, BigInt, Column, Map, String, Struct, Variant, Void
from belvedere.errors import Unsupported
from belvedere.languages.schemasql.bound import Layout, SchemaBound, Source
from belvedere.maintenance.stages import Stage, ViewPlan, compile_view
from belvedere.warehouse.schemas.counts import count_stages
from belvedere.warehouse.schemas.outline import Dictionaries

FRAGMENTS, VIOLATIONS = "fragments", "violations"


def stage_name(view: str, part: str) -> str:
    return f"{view}${part}"


@dataclass(frozen=True)
class Schematic:
    """What a definition has beyond a SQL view's: `bound` says what it ranges over and how its fragments are read."""

    view: str
    bound: SchemaBound
    #: tells the branches from others, by what they mean
    digest: str

    @property
    def layout(self) -> Layout:
        return self.bound.layout

    @property
    def dictionaries(self) -> Dictionaries:
        return self.bound.dictionaries

    def plan_over(self, sources: tuple[Source, ...]) -> ViewPlan:
        """The stages over other branches of the same sources."""
        return plan(self.view, self.bound.assemble(sources), self.layout, self.dictionaries)


def plan(view: str, node: Node, layout: Layout, dictionaries: Dictionaries) -> ViewPlan:
    """The stages of a SchemaSQL view. The tail is the fragments; relations are made of them on reading."""
    _check(node, layout)
    compiled = compile_view(view, as_text(node, layout, dictionaries))
    name, sort = stage_name(view, FRAGMENTS), _sort(as_text(node, layout, dictionaries), layout)
    last = compiled.stages[-1]
    if last.kind == "bag" and isinstance(compiled.tail, Get) and compiled.tail.schema == last.definition.schema:
        stages = [*compiled.stages[:-1], replace(last, name=name, sort=sort)]
    else:
        stages = [*compiled.stages, Stage(name, "bag", compiled.tail, (), sort)]
    fragments = stages[-1].get()
    for part, columns in count_stages(layout, dictionaries).items():
        stages.append(Stage(stage_name(view, part), "bag", keep(fragments, columns), (), columns))
    if layout.pivot is not None:
        stages.append(_violations(view, fragments, layout, sort))
    return ViewPlan(tuple(stages), fragments)


def _check(node: Node, layout: Layout) -> None:
    if layout.pivot is None:
        return
    for name in (layout.data, *(c for c, _ in layout.fixed)):
        t = None if name is None else node.schema[name].type
        if t is not None and (t.contains(Map) or t.contains(Variant)):
            raise Unsupported(f"rows of a view with columns from data must be comparable, and {t} is not; take a part of it")


def as_text(node: Node, layout: Layout, dictionaries: Dictionaries) -> Node:
    """Values that become names are kept as text, ids as they are; so is what has no type, because nothing is in range."""
    names = {n for n in (layout.pivot, layout.relation) if n is not None and n not in dictionaries}
    names = {n for n in names if not isinstance(node.schema[n].type, String)}
    untyped = {c.name for c in node.schema if isinstance(c.type, Void)}
    if not names and not untyped:
        return node
    items = [(c.name, null(String()) if c.name in untyped else cast(col(c), String()) if c.name in names else col(c))
             for c in node.schema]  # fmt: skip
    return Project(node, tuple(items))


def _sort(node: Node, layout: Layout) -> tuple[str, ...]:
    """Fragments that make a row stand together: by what comes from data first, because there are few names in a catalog, and a
    lookup by one of them would find half of the view. What cannot be sorted by is left out."""
    wanted = [n for n in (layout.relation, *(c for c, _ in layout.fixed), layout.pivot) if n is not None]
    nested = (Array, Map, Struct, Variant)
    wanted.sort(key=lambda n: is_name(node, n))
    order = [n for n in dict.fromkeys(wanted) if not isinstance(node.schema[n].type, nested)]
    plain = [c.name for c in node.schema if not isinstance(c.type, nested)]
    return tuple(order or plain[:1])


def is_name(node: Node, column: str) -> bool:
    """Whether a column holds names from the catalog: it is a constant wherever it comes from."""
    match node:
        case Values():
            return True
        case Project(items=items):
            scalar = dict(items)[column]
            return not scalar.columns or (scalar.column is not None and is_name(node.input, scalar.column))
        case Aggregate(keys=keys) if column in node.key_names:
            below = dict(keys)[column].column
            return below is not None and is_name(node.input, below)
        case Filter(input=i) | SemiJoin(left=i):
            return is_name(i, column)
        case Join(left=a, right=b):
            return is_name(a if column in a.schema else b, column)
        case UnionAll(parts=parts):
            at = node.schema.names.index(column)
            return all(is_name(p, p.schema.names[at]) for p in parts)
        case _:
            return False


def violated(fragments: Node, layout: Layout) -> Node:
    """Keys with more than one value of the data; NULL is a value. A NULL pivot makes no cell, so it violates nothing."""
    assert layout.pivot is not None
    assert layout.data is not None
    there = Filter(fragments, negation(is_null(col(fragments.schema[layout.pivot]))))
    keys = key_columns(layout)
    every: list[tuple[str, Scalar]] = [(n, col(fragments.schema[n])) for n in dict.fromkeys((*keys, layout.data))]
    different = Aggregate(there, tuple(every), ())
    number = "_values"
    while number in fragments.schema:
        number += "_"
    by = tuple((n, col(different.schema[n])) for n in keys)
    counted = Aggregate(different, by, ((number, Agg("count", (), BigInt())),))
    return keep(Filter(counted, compare(">", col(Column(number, BigInt())), integer(1))), keys)


def _violations(view: str, fragments: Get, layout: Layout, order: tuple[str, ...]) -> Stage:
    definition = rewrite(violated(fragments, layout), off=frozenset({"split_distinct"}))
    keys = tuple(dict.fromkeys((*order, *key_columns(layout))))
    return Stage(stage_name(view, VIOLATIONS), "affected", definition, keys, order, by_insertion=True)


def key_columns(layout: Layout) -> tuple[str, ...]:
    """What must determine the data."""
    wanted = (layout.relation, *(c for c, _ in layout.fixed), layout.pivot)
    return tuple(dict.fromkeys(n for n in wanted if n is not None))
