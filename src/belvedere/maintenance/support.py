"""Support: the identities behind each row of a view, kept beside it, so that some changes need no base data.

A view that only selects, joins and projects is stored as its support: for each derivation of a row the keys of the objects
that it comes from and the values that its head needs of them. The head itself is a projection, made on reading. Then

 * values that decide nothing: the stored rows that hold a changed object get its new values; nothing else is read;
 * anything else, of one object that every derivation needs: the stored rows that hold it go, and what is there of it now
   is planted in the definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Consolidate,
    Filter,
    Get,
    Join,
    Negate,
    OuterJoin,
    Positive,
    Project,
    Share,
    UnionAll,
    equi_pairs,
    gets,
    keep,
)
from belvedere.algebra.rewrite.empty import empty
from belvedere.algebra.scalar import Scalar, col, cols, compare, conjunction
from belvedere.algebra.types import Column, Schema
from belvedere.maintenance.change import Change
from belvedere.maintenance.lifting import lifted
from belvedere.maintenance.lookup import keys_of, restrict
from belvedere.maintenance.propagate import propagate

#: collection → its key columns
Keyed = Mapping[str, tuple[Column, ...]]


@dataclass(frozen=True)
class Leaf:
    """One use of a collection. `keys` and `carried` give (column of the collection, column of the stage); `deciding` are
    columns of the collection that conditions look at; `always`: no derivation goes without it."""

    name: str
    keys: tuple[tuple[str, str], ...]
    carried: tuple[tuple[str, str], ...]
    deciding: frozenset[str]
    always: bool


@dataclass(frozen=True)
class Supported:
    """A definition that yields keys and carried values, the head over it, and what its columns mean."""

    definition: Node
    head: tuple[tuple[str, Scalar], ...]
    leaves: tuple[Leaf, ...]


@dataclass
class _Use:
    name: str
    always: bool
    keys: dict[str, str] = field(default_factory=dict)
    deciding: set[str] = field(default_factory=set)
    #: is it joined on its keys?
    joined: bool = False


class _NoSupport(Exception):
    pass


#: visible column → the (number of the leaf, column of its collection) that it is, or those that it is computed from
Origins = dict[str, tuple[int, str] | frozenset[tuple[int, str]]]


def supported(node: Node, keyed: Keyed, nullable: frozenset[str] = frozenset()) -> Supported | None:
    """The definition with its support, or None where it does more than select, join and project collections with keys. Those
    with keys that may be NULL must be joined on them, so that no row with such a key is left."""
    head = cols(node.schema)
    while isinstance(node, Project):
        below = dict(node.items)
        head = tuple((n, s.substitute(below)) for n, s in head)
        node = node.input
    if any(s.from_outside for _, s in head):
        return None
    return _supported(node, head, keyed, nullable) or _supported(*lifted(node, head), keyed, nullable)


def _supported(node: Node, head: tuple[tuple[str, Scalar], ...], keyed: Keyed, nullable: frozenset[str]) -> Supported | None:
    reader = _Reader(keyed, {n for x in node.walk() for n in x.schema.names})
    try:
        core, origins = reader.read(node, True)
    except _NoSupport:
        return None
    if any(u.name in nullable and not u.joined for u in reader.uses):
        return None
    used = {c for _, s in head for c in s.columns}
    keys = {k for u in reader.uses for k in u.keys.values()}
    names = tuple(n for n in core.schema.names if n in used | keys)
    carried: dict[int, list[tuple[str, str]]] = {}
    for n in names:
        origin = origins[n]
        if isinstance(origin, frozenset):
            return None
        if n not in keys:
            carried.setdefault(origin[0], []).append((origin[1], n))
    leaves = tuple(
        Leaf(u.name, tuple(u.keys.items()), tuple(carried.get(i, ())), frozenset(u.deciding), u.always)
        for i, u in enumerate(reader.uses)
    )
    return Supported(keep(core, names), head, leaves)


class _Reader:
    """Follows a tree down to its leaves, and brings their keys up."""

    def __init__(self, keyed: Keyed, taken: set[str]) -> None:
        self.keyed = keyed
        self.taken = taken
        self.uses: list[_Use] = []

    def read(self, node: Node, always: bool) -> tuple[Node, Origins]:
        match node:
            case Get():
                return self._leaf(node, always)
            case Filter(input=i, condition=c):
                below, origins = self.read(i, always)
                self._decide(c, origins)
                return Filter(below, c), origins
            case Project(input=i):
                below, origins = self.read(i, always)
                return self._renamed(node, below, origins)
            case Join(left=a, right=b, on=on):
                return self._both(node, self.read(a, always), self.read(b, always), on)
            case OuterJoin(left=a, right=b, on=on, kind="left"):
                return self._both(node, self.read(a, always), self.read(b, False), on)
            case UnionAll(parts=(first, *rest)) if all(_constant(r) for r in rest):
                return self._or_constant(node, first)
            case _:
                raise _NoSupport

    def _leaf(self, node: Get, always: bool) -> tuple[Node, Origins]:
        keys = self.keyed.get(node.name)
        if not keys:
            raise _NoSupport
        number, use = len(self.uses), _Use(node.name, always)
        self.uses.append(use)
        columns, sources = list(node.types.columns), list(node.columns)
        for key in keys:
            if key.name not in sources:
                columns.append(Column(self._fresh(), key.type))
                sources.append(key.name)
            use.keys[key.name] = columns[sources.index(key.name)].name
        made = replace(node, types=Schema(tuple(columns)), columns=tuple(sources))
        return made, {c.name: (number, s) for c, s in zip(columns, sources, strict=True)}

    def _fresh(self) -> str:
        number = 1
        while f"oid{number}" in self.taken:
            number += 1
        self.taken.add(f"oid{number}")
        return f"oid{number}"

    def _decide(self, condition: Scalar, origins: Origins) -> None:
        for name in condition.columns:
            origin = origins[name]
            for number, source in origin if isinstance(origin, frozenset) else (origin,):
                self.uses[number].deciding.add(source)

    def _both(self, node: Node, a: tuple[Node, Origins], b: tuple[Node, Origins], on: Scalar) -> tuple[Node, Origins]:
        if set(a[1]) & set(b[1]):
            raise _NoSupport
        origins = a[1] | b[1]
        equal = {n for pair in equi_pairs(on, a[0].schema, b[0].schema) for n in pair}
        narrowed = b[1] if isinstance(node, OuterJoin) else origins  # an outer join keeps what does not match on its left
        for number in _leaves(narrowed):
            use = self.uses[number]
            use.joined = use.joined or set(use.keys.values()) <= equal
        self._decide(on, origins)
        return node.with_inputs(a[0], b[0]), origins

    def _renamed(self, node: Project, below: Node, origins: Origins) -> tuple[Node, Origins]:
        """A projection, with the keys that it leaves out added."""
        items, found = list(node.items), Origins()
        for name, s in items:
            found[name] = origins[s.column] if s.column is not None else _together(origins, s)
        for number in sorted(_leaves(origins)):
            use = self.uses[number]
            for source, visible in use.keys.items():
                passed = next((n for n, s in items if s.column == visible), None)
                if passed is None:
                    if visible in found:
                        raise _NoSupport
                    items.append((visible, col(below.schema[visible])))
                    found[visible] = origins[visible]
                    passed = visible
                use.keys[source] = passed
        return Project(below, tuple(items)), found

    def _or_constant(self, node: UnionAll, first: Node) -> tuple[Node, Origins]:
        """A leaf with rows that stand in for what is not there, as for nil: no object is behind those."""
        made, origins = self.read(first, False)
        if made.schema != first.schema:
            raise _NoSupport  # the stand-in has no key to show
        return node.with_inputs(made, *node.inputs[1:]), dict(zip(node.schema.names, origins.values(), strict=True))


def _leaves(origins: Origins) -> set[int]:
    """The leaves that columns come from."""
    return {n for o in origins.values() for n, _ in (o if isinstance(o, frozenset) else (o,))}


def _together(origins: Origins, *scalars: Scalar) -> frozenset[tuple[int, str]]:
    """All that some scalars look at."""
    found: set[tuple[int, str]] = set()
    for name in (c for s in scalars for c in s.columns):
        origin = origins[name]
        found |= origin if isinstance(origin, frozenset) else {origin}
    return frozenset(found)


def _constant(node: Node) -> bool:
    return not gets(node)


#: collection → columns in which its rows differ from before, or None if rows came or went
Updated = Mapping[str, frozenset[str] | None]


def new_values(definition: Node, own: Get, leaves: tuple[Leaf, ...], change: Change, updated: Updated) -> Node | None:
    """The stage's change where only values changed that decide nothing; None if that is not so."""
    touched = [x for x in leaves if x.name in change.changed]
    for x in touched:
        columns = updated.get(x.name)
        if columns is None or columns & (x.deciding | {k for k, _ in x.keys}):
            return None
    terms: list[Node] = []
    for x in touched:
        columns = updated[x.name] or frozenset()
        if columns & {c for c, _ in x.carried}:
            terms.append(_replaced(definition, own, x, change, terms))
    return UnionAll(tuple(terms)) if terms else empty(own)


def _replaced(definition: Node, own: Get, x: Leaf, change: Change, before: list[Node]) -> Node:
    """The stored rows, as far as brought up to date, joined with the delta: −old +new in the columns of this leaf."""
    pairs = (*x.keys, *x.carried)
    names = {stage: change.fresh("d") for _, stage in pairs}
    types = Schema(tuple(Column(names[s], definition.schema[s].type) for _, s in pairs))
    delta = change.share(Consolidate(Get(x.name, types, tuple(c for c, _ in pairs), "delta")), "delta")
    keys, fresh = keys_of(delta, [col(types[names[s]]) for _, s in x.keys], change)
    found = [(col(own.schema[s]), k) for (_, s), k in zip(x.keys, fresh, strict=True)]
    rows = restrict(own.at("old"), keys, found, change, nulls=False)
    if before:
        rows = UnionAll((rows, *before))
    on = conjunction(compare("=", col(own.schema[s]), col(types[names[s]])) for _, s in x.keys)
    carried = {s for _, s in x.carried}
    return Project(
        Join(rows, delta, on),
        tuple((c.name, col(types[names[c.name]]) if c.name in carried else col(c)) for c in own.schema),
    )


def replanted(definition: Node, own: Get, leaves: tuple[Leaf, ...], change: Change) -> Node | None:
    """The stage's change where one object's rows go and what there is of it now comes; None if that does not do."""
    touched = [x for x in leaves if x.name in change.changed]
    if len(touched) != 1 or not touched[0].always:
        return None
    (x,) = touched
    leaf = next(g for g in gets(definition) if g.name == x.name)
    visible = {s: n for n, s in zip(leaf.types.names, leaf.columns, strict=True)}
    delta = change.share(Consolidate(leaf.at("delta")), "delta")
    keys, fresh = keys_of(delta, [col(leaf.types[visible[c]]) for c, _ in x.keys], change)
    found = [(col(own.schema[s]), k) for (_, s), k in zip(x.keys, fresh, strict=True)]
    gone = Negate(Consolidate(restrict(own.at("old"), keys, found, change, nulls=False)))
    if x.name not in change.inserting:
        return gone
    planted = propagate(definition, change)
    return gone if planted is None else UnionAll((gone, planted.transform(_now)))


def _now(node: Node) -> Node:
    """Of the delta only what is there now. Parts that rest on it get names of their own."""
    match node:
        case Consolidate(input=Get(version="delta") as leaf):
            return Positive(leaf)
        case Share(input=i, name=name):
            return Share(i, f"{name}_now")
        case _:
            return node
