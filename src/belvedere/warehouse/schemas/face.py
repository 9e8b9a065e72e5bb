"""What the user of a SchemaSQL view asks of it beyond a SQL view: its relations, and the history of its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.errors import BelvedereError, InvalidView, UnknownName, suggest
from belvedere.warehouse.inputs import look
from belvedere.warehouse.modes import read_first
from belvedere.warehouse.resolve import Overlay, Resolver
from belvedere.warehouse.result import Result
from belvedere.warehouse.schemas.fragments import FRAGMENTS, stage_name
from belvedere.warehouse.schemas.members import full_name
from belvedere.warehouse.schemas.outline import Outline
from belvedere.warehouse.schemas.reading import fragments_of, relation_node
from belvedere.warehouse.schemas.sequence import Side, sequence
from belvedere.warehouse.schemas.transition import has_moved
from belvedere.warehouse.schemas.verify import verify_schema
from belvedere.warehouse.verify import Verification

if TYPE_CHECKING:
    from belvedere.warehouse.registry import Registry
    from belvedere.warehouse.warehouse import Warehouse


class Relations:
    """The part of a view that only SchemaSQL has."""

    warehouse: Warehouse
    name: str

    def relations(self, epoch: int | None = None) -> list[str]:
        """The names of its relations, in order."""
        outline, _ = self._outlined(epoch)
        return [self.name] if outline.headless else list(outline.relation_names())

    def relation(self, name: str | None, epoch: int | None = None) -> Result:
        """One relation, by its exact name; None where there is only one."""
        core = self.warehouse.core
        outline, registry = self._outlined(epoch)
        at = core.store.epoch if epoch is None else epoch
        if name is None and not outline.single:
            names = outline.relation_names()
            some = f", such as view.relation({names[0]!r})" if names else "; it has none now"
            raise BelvedereError(f"view {self.name!r} has a relation for each name in its data; read one of them{some}")
        if name is not None and not outline.has_relation(name) and not (outline.headless and name == self.name):
            known = list(outline.relation_names())
            raise UnknownName(f"view {self.name!r} has no relation {name!r}{suggest(name, known)}")
        stored = registry.collection(stage_name(self.name, FRAGMENTS))
        node = relation_node(fragments_of(stored), outline, name if outline.layout.relation is not None else None)
        engine = self.warehouse.reading_engine(node, at)
        return Result(core, node, Resolver(core.store, until=at), outline.columns(), (), engine)

    def full_names(self, epoch: int | None = None) -> dict[str, str]:
        """Its relations, and what SQL calls each."""
        outline, _ = self._outlined(epoch)
        if outline.headless:
            return {self.name: self.name}
        return {n: full_name(outline.database(self.name), n) for n in outline.relation_names()}

    def schema_history(self) -> list[dict[str, Any]]:
        """How its schema changed, oldest first: {epoch, change, name, new, why}, `change` being one of add-, delete- and rename-
        with relation or attribute."""
        self._need_schemasql()
        records = self.warehouse.core.store.history(f"schema:{self.name}")
        return [{"epoch": r["epoch"], **r["what"], "why": r["why"]} for r in records]

    def _sequence(self, since: int) -> list[dict[str, Any]]:
        """Its change since an epoch, as a valid sequence of changes of schema and tuples."""
        core = self.warehouse.core
        read_first(self.warehouse, [self.name])
        until = core.store.epoch
        if not 0 <= since <= until:
            raise BelvedereError(f"since={since} is not an epoch of this warehouse; it has 0 to {until}")
        ends = []
        for epoch in (since, until):
            registry = self.warehouse.registry.over(Overlay(), epoch)
            stored = registry.all_collections().get(stage_name(self.name, FRAGMENTS))
            ends.append(Side(self.name, registry.outline(self.name), stored, epoch))
        return sequence(core, *ends)

    def _verify_schema(self, engine: str | None) -> Verification:
        """Over all there is if it claims to be up to date, else over what it was brought up to."""
        core, registry = self.warehouse.core, self.warehouse.registry
        d, epoch = registry.definition(self.name), core.store.epoch
        mark = core.store.doc("pin", self.name)
        pending = look(core.store, registry, registry.overlay, d, int(mark["epoch"]) if mark else epoch, epoch)
        if mark and (pending.relevant or has_moved(registry, d)):
            epoch = int(mark["epoch"])
            registry = registry.over(Overlay(), epoch)
            d = registry.definition(self.name)
        outline = registry.outline(self.name)
        assert outline is not None
        stored = registry.collection(stage_name(self.name, FRAGMENTS))
        return verify_schema(core, d, outline, stored, epoch, engine or self.warehouse.reading_engine(d.node, epoch))

    def _need_schemasql(self) -> None:
        language = self.warehouse.registry.document(self.name)["language"]
        if language != "schemasql":
            raise BelvedereError(f"view {self.name!r} is in {language}, which makes one relation; read it with rows() or df()")

    def _outlined(self, epoch: int | None) -> tuple[Outline, Registry]:
        """The outline of a valid view, now or then."""
        self._need_schemasql()
        registry = self.warehouse.registry
        if epoch is None:
            read_first(self.warehouse, [self.name])
            registry.definition(self.name)  # a definition that fits nothing any more makes the view invalid
        else:
            registry = registry.over(Overlay(), epoch)
        outline = registry.outline(self.name)
        if outline is None:
            raise BelvedereError(f"there was no view {self.name!r} at epoch {epoch}")
        if outline.invalid is not None:
            raise InvalidView(f"view {self.name!r} is invalid: {outline.invalid}")
        return outline, registry
