"""From one definition to another: the catalog changed, and with it what a SchemaSQL view ranges over.

The change of the fragments is the change of the definition over the branches of both catalogs. Branches that are the same on
both sides read what they always read; the others have leaves of one side only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from belvedere.algebra.ops import Project, Values
from belvedere.algebra.scalar import constant
from belvedere.errors import InvalidView
from belvedere.languages.schemasql.bound import Branch, Source
from belvedere.languages.schemasql.expansion import ATTRIBUTE_BITS
from belvedere.maintenance.stages import ViewPlan
from belvedere.store.model import Collection
from belvedere.store.store import Store
from belvedere.warehouse.resolve import Overlay
from belvedere.warehouse.schemas.branches import meanings
from belvedere.warehouse.schemas.leaves import CAME, GONE, OneSided
from belvedere.warehouse.schemas.words import branch_words, rename_words

if TYPE_CHECKING:
    from belvedere.warehouse.definition import Definition
    from belvedere.warehouse.registry import Registry


@dataclass(frozen=True)
class Transition:
    """`plan` is None where the branches that are left are the same: then nothing but names changed, or things that nothing but
    their names stand for."""

    reason: str
    plan: ViewPlan | None = None
    leaves: OneSided = field(default_factory=OneSided)


@dataclass(frozen=True)
class Anew:
    """The view must be computed anew."""

    reason: str


def has_moved(registry: Registry, d: Definition) -> bool:
    """Does the view range over something else than when it was last brought up to date, or over other names?"""
    if d.schema is None:
        return False
    outline = registry.outline(d.name)
    same = outline is not None and dict(outline.dictionaries) == dict(d.schema.dictionaries)
    return not same or registry.document(d.name).get("sources") != d.schema.digest


def moved_words(d: Definition) -> str:
    """Why a view that has moved is behind."""
    empty = None if d.schema is None else _empty(d.schema.bound.sources)
    return "what it ranges over has changed" if empty is None else f"nothing is left for {empty} to range over"


def _empty(sources: Iterable[Source]) -> str | None:
    """A variable that ranges over nothing."""
    return next((s.name for s in sources if not s.branches), None)


def transition(store: Store, registry: Registry, d: Definition, since: int) -> Transition | Anew | None:
    """How to get from what is stored, as of an epoch, to the definition; None if it is the same."""
    if d.schema is None or not has_moved(registry, d):
        return None
    if not store.has_epoch(since):
        return Anew(f"what it ranges over has changed, and epoch {since}, up to which it was kept, is beyond the retention")
    then = registry.over(Overlay(), since)
    try:
        old = then.definition(d.name)
    except InvalidView:
        return Anew("what it ranges over has changed, and it was not valid before")
    if old.schema is None or then.document(d.name).get("sources") != old.schema.digest:
        return Anew("what it ranges over has changed more than once since it was brought up to date")
    return _between(registry, then, old, d)


def _between(registry: Registry, then: Registry, old: Definition, new: Definition) -> Transition | Anew:
    assert old.schema is not None
    assert new.schema is not None
    before, after = old.schema.bound.sources, new.schema.bound.sources
    if [(s.name, s.columns, s.distinct) for s in before] != [(s.name, s.columns, s.distinct) for s in after]:
        if (empty := _empty(after)) is not None:
            return Anew(f"nothing is left for {empty} to range over, so that it has no types")
        if (empty := _empty(before)) is not None:
            return Anew(f"{empty} had nothing to range over, and so no types, and now it has")
        return Anew("the types of what it ranges over have changed")
    known, known_then = registry.all_collections(), then.all_collections()
    leaves = OneSided()
    sources: list[Source] = []
    words = rename_words(old.schema.dictionaries, new.schema.dictionaries)
    for a, b in zip(before, after, strict=True):
        were, are = meanings(a, known_then), meanings(b, known)
        gone = [branch for m, branch in were.items() if m not in are]
        came = [branch for m, branch in are.items() if m not in were]
        words += [w for x in gone for w in branch_words(x, known_then, known, "went")]
        words += [w for x in came for w in branch_words(x, known, known_then, "came")]
        real = [x for x in gone if not _nameless(x, a, new, known)]
        kept = [branch for m, branch in are.items() if m in were]
        moved = [Branch(x.key, leaves.moved(x.node, known_then, GONE)) for x in real]
        moved += [Branch(x.key, leaves.moved(x.node, known, CAME)) for x in came]
        sources.append(replace(b, branches=(*kept, *moved)))
    reason = "; ".join(dict.fromkeys(words)) or "what it ranges over has changed"
    if not leaves.names:
        return _fitting(Transition(f"{reason}: metadata only"), old.plan, new.plan)
    return _fitting(Transition(reason, new.schema.plan_over(tuple(sources)), leaves), old.plan, new.plan)


def _fitting(made: Transition, old: ViewPlan, new: ViewPlan) -> Transition | Anew:
    """The stages on the way must be the stages on both ends."""
    shapes = [[(s.name, s.kind, s.keys, s.definition.schema) for s in p.stages] for p in (old, new, made.plan or new)]
    if shapes[0] != shapes[1] or shapes[1] != shapes[2]:
        return Anew("the columns of its fragments have changed with what it ranges over")
    return made


def _nameless(branch: Branch, source: Source, new: Definition, known: Mapping[str, Collection]) -> bool:
    """Whether all that a branch gave carries an id that has no name any more and will never have one again: then it does not
    count, and need not be taken away."""
    assert new.schema is not None
    for column, stored in source.encoded:
        number = _constant(branch, column)
        named = number is None or number in dict(new.schema.dictionaries[stored])
        if number is not None and not named and _is_dropped(number, known):
            return True
    return False


def _constant(branch: Branch, column: str) -> int | None:
    """The number that stands in a column of every row of a branch."""
    node = branch.node
    if isinstance(node, Project):
        return constant(dict(node.items)[column])
    if isinstance(node, Values) and len(node.rows) == 1:
        return constant(node.rows[0][node.schema.names.index(column)])
    return None


def _is_dropped(number: int, known: Mapping[str, Collection]) -> bool:
    """Whether the relation or attribute of an id is gone for good. One that was only renamed may come back into range."""
    relation, attribute = (number, None) if number < 1 << ATTRIBUTE_BITS else divmod(number, 1 << ATTRIBUTE_BITS)
    c = next((c for c in known.values() if c.id == relation), None)
    return c is None or (attribute is not None and attribute not in c.column_ids())
