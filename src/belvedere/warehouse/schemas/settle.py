"""The end of a refresh of a SchemaSQL view: which names are there now, is the view valid, and what of its schema changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from belvedere.warehouse.resolve import Overlay, Resolver
from belvedere.warehouse.schemas import validity
from belvedere.warehouse.schemas.counts import Counts, stage_of
from belvedere.warehouse.schemas.fragments import VIOLATIONS, Schematic, stage_name
from belvedere.warehouse.schemas.history import Moves, schema_changes
from belvedere.warehouse.schemas.outline import KIND, MANY, Outline, Raw, in_order

if TYPE_CHECKING:
    from belvedere.store.commit import Commit
    from belvedere.warehouse.core import Core
    from belvedere.warehouse.registry import Registry


@dataclass(frozen=True)
class Settled:
    """The outline that a refresh made, and how many rows of the stages of names it took to know it."""

    outline: Outline
    rows_read: int


def settle(core: Core, registry: Registry, commit: Commit, overlay: Overlay, schema: Schematic, why: str) -> Settled:
    """Write the outline that the stages in this commit make, and the history of the schema. Reads the stages of names as far as
    they were touched, and nothing if they were not."""
    settling = _Settling(core, registry, commit, overlay, schema)
    view, before = schema.view, settling.before
    made = settling.outline()
    looked = before is None or before.invalid is not None or overlay.touched(stage_name(view, VIOLATIONS))
    invalid = validity.reason(core, registry, settling.resolver, view, made) if looked or made.nameless else None
    made = replace(made, invalid=invalid or validity.collision(made))
    if made != before:
        commit.put_doc(KIND, view, made.document())
        overlay.outlines[view] = made
        for change in schema_changes(before, made, settling.relations):
            commit.record(f"schema:{view}", {"what": change, "why": why})
    return Settled(made, sum(c.read for c in settling.counts.values()))


class _Settling:
    """The names of one view at the end of one refresh."""

    def __init__(self, core: Core, registry: Registry, commit: Commit, overlay: Overlay, schema: Schematic) -> None:
        self.core, self.registry, self.overlay, self.schema = core, registry, overlay, schema
        self.before = registry.written_outline(schema.view)
        self.resolver = Resolver(core.store, until=commit.base, overlay=overlay)
        self.counts: dict[str, Counts] = {}
        #: what happened to the relations, where their names are data and it is known without listing them
        self.relations: Moves | None = None

    def outline(self) -> Outline:
        made = Outline(self.schema.layout, self.schema.dictionaries)
        if made.layout.pivot is not None:
            there = self._listed(made.layout.pivot, () if self.before is None else self.before.pivots)
            made = replace(made, pivots=in_order(there - {None}))
        return made if made.layout.relation is None else self._with_relations(made, made.layout.relation)

    def _with_relations(self, made: Outline, column: str) -> Outline:
        counts = self._counts(column)
        before = self.before if self._follows(column) else None
        if before is not None and not counts.concerned(column, before.dictionaries, made.dictionaries):
            return replace(made, listed=before.listed, count=before.count, token=before.token, nameless=before.nameless,
                           read=before.read)  # fmt: skip
        if before is None or (before.listed is not None and (counts.few or column in made.dictionaries)):
            return self._whole(made, counts.present(column, made.dictionaries), column)
        came, went = counts.moved(column, before.dictionaries, made.dictionaries)
        count = before.count + len(came) - len(went)
        if count <= MANY:
            known = set(before.relations) - went | came
            return self._whole(made, known, column)
        nameless = (before.nameless or None in came) and None not in went
        self.relations = Moves({}, _sorted(came), _sorted(went))
        same = before.listed is None and not came and not went
        return self._unlisted(made, column, count, before.token if same else uuid4().hex, nameless=nameless)

    def _whole(self, made: Outline, names: set[Raw], column: str) -> Outline:
        if len(names) <= MANY or column in made.dictionaries:
            return replace(made, listed=in_order(names), count=len(names), nameless=None in names)
        return replace(self._unlisted(made, column, len(names), uuid4().hex, nameless=None in names), read=lambda: names)

    def _unlisted(self, made: Outline, column: str, count: int, token: str, *, nameless: bool) -> Outline:
        counts = self._counts(column)
        return replace(made, listed=None, count=count, token=token, nameless=nameless,
                       read=lambda: counts.present(column, made.dictionaries))  # fmt: skip

    def _listed(self, column: str, known: tuple[Raw, ...]) -> set[Raw]:
        """All values of a column whose values are kept as a list."""
        counts, now = self._counts(column), self.schema.dictionaries
        if self.before is None or not self._follows(column):
            return counts.present(column, now)
        if not counts.concerned(column, self.before.dictionaries, now):
            return set(known)
        if counts.few:
            return counts.present(column, now)
        came, went = counts.moved(column, self.before.dictionaries, now)
        return set(known) - went | came

    def _counts(self, column: str) -> Counts:
        part = stage_of(column, self.schema.layout, self.schema.dictionaries)
        if part not in self.counts:
            stored = self.registry.collection(stage_name(self.schema.view, part))
            self.counts[part] = Counts(self.core, self.resolver, stored)
        return self.counts[part]

    def _follows(self, column: str) -> bool:
        """Whether the names before the change are those in the stage's old state: it is the same collection, and the outline is
        not of this very commit."""
        name = self._counts(column).stored.name
        return self.before is not None and name not in self.overlay.collections and self.schema.view not in self.overlay.outlines


def _sorted(names: set[Raw]) -> tuple[str, ...]:
    return tuple(sorted(str(n) for n in names if n is not None))
