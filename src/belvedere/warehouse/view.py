"""One view, as its user holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from belvedere.algebra.ops import Consolidate, Get
from belvedere.changes.zset import to_rows
from belvedere.errors import BelvedereError, InvalidView
from belvedere.warehouse import explain as explaining
from belvedere.warehouse.graph_views.face import GraphFace
from belvedere.warehouse.inputs import look
from belvedere.warehouse.modes import read_first
from belvedere.warehouse.parameters import rebind
from belvedere.warehouse.report import Refresh
from belvedere.warehouse.resolve import Overlay, Resolver
from belvedere.warehouse.result import Result
from belvedere.warehouse.schemas.face import Relations
from belvedere.warehouse.schemas.transition import has_moved, moved_words
from belvedere.warehouse.sources.checking import remote_rows
from belvedere.warehouse.sources.explaining import drawing
from belvedere.warehouse.svg import svg
from belvedere.warehouse.verify import Verification, verify

if TYPE_CHECKING:
    from belvedere.warehouse.definition import Definition
    from belvedere.warehouse.warehouse import Warehouse


class View(Relations, GraphFace):
    """A materialized view. Reading gives what it was last brought up to (a lazy or hybrid one is brought up to date first);
    `status` says whether that is still all there is."""

    def __init__(self, warehouse: Warehouse, name: str) -> None:
        self.warehouse = warehouse
        self.name = name

    def __repr__(self) -> str:
        return f"<view {self.name}: {self.status}>"

    @property
    def definition(self) -> Definition:
        return self.warehouse.registry.definition(self.name)

    @property
    def text(self) -> str:
        return str(self.warehouse.registry.document(self.name)["text"])

    @property
    def language(self) -> str:
        return str(self.warehouse.registry.document(self.name)["language"])

    @property
    def mode(self) -> str:
        return str(self.warehouse.registry.document(self.name)["mode"])

    @property
    def columns(self) -> tuple[str, ...]:
        outline = self.warehouse.registry.outline(self.name)
        if outline is not None:
            return outline.columns()
        return tuple(self.warehouse.registry.document(self.name)["columns"])

    @property
    def epoch(self) -> int:
        """The epoch that it was last brought up to."""
        mark = self.warehouse.core.store.doc("pin", self.name)
        return int(mark["epoch"]) if mark else 0

    # reading

    def _result(self, epoch: int | None) -> Result:
        core = self.warehouse.core
        if epoch is None:
            read_first(self.warehouse, [self.name])
        at = core.store.epoch if epoch is None else epoch
        if self.language == "schemasql":
            return self.relation(None, epoch)
        d = self.definition if epoch is None else self._definition_at(epoch)
        node = d.plan.tail
        objects = None if d.result is None else (d.result, self.warehouse.registry.objects())
        engine = self.warehouse.reading_engine(node, at)
        return Result(core, node, Resolver(core.store, until=at), d.columns, d.order, engine, objects)

    def _definition_at(self, epoch: int) -> Definition:
        """As it was then, over tables and columns as they were called and shaped then."""
        registry = self.warehouse.registry.over(Overlay(), epoch)
        if self.name not in registry.view_names():
            raise BelvedereError(f"there was no view {self.name!r} at epoch {epoch}")
        return registry.definition(self.name)

    def arrow(self, epoch: int | None = None) -> pa.Table:
        return self._result(epoch).arrow()

    def rows(self, epoch: int | None = None) -> list[dict[str, Any]]:
        return self._result(epoch).rows()

    def objects(self, epoch: int | None = None) -> Any:
        """What a view in OQL holds, as plain Python: collections of the right kind, records, Oids, or a single value."""
        return self._result(epoch).objects()

    def pandas(self, epoch: int | None = None) -> Any:
        return self._result(epoch).pandas()

    def df(self, epoch: int | None = None) -> Any:
        """A Spark DataFrame of the view, as it is or as it was at an earlier epoch within the retention."""
        return self._result(epoch).df()

    def changes(self, since: int) -> list[dict[str, Any]]:
        """The view's own change since an epoch: rows with a weight `_w`. Of a SchemaSQL view: a valid sequence of changes, each a
        dict with "change"; those of tuples have "relation", "row" and "_w"."""
        if self.language == "schemasql":
            return self._sequence(since)
        return to_rows(self.changes_arrow(since))

    def changes_arrow(self, since: int) -> pa.Table:
        if self.language == "schemasql":
            raise BelvedereError(f"the change of view {self.name!r} has changes of its schema in it; use changes({since})")
        core = self.warehouse.core
        read_first(self.warehouse, [self.name])
        until = core.store.epoch
        if not 0 <= since <= until:
            raise BelvedereError(f"since={since} is not an epoch of this warehouse; it has 0 to {until}")
        d = self.definition
        self._check_same_shape(d, since)
        resolver = Resolver(core.store, until=until, since=since)
        delta = d.visible.transform(lambda n: n.at("delta") if isinstance(n, Get) else n)
        table, _ = core.small().run(Consolidate(delta), resolver, measured=False)
        return table.rename_columns([*d.columns, "_w"])

    def _check_same_shape(self, d: Definition, since: int) -> None:
        """A view that was computed anew in another shape is another collection; what came before cannot be subtracted."""
        store = self.warehouse.core.store
        for leaf in d.plan.tail.walk():
            if isinstance(leaf, Get):
                then, now = store.collection(leaf.name, since), store.collection(leaf.name)
                if then is not None and now is not None and then.id != now.id:
                    raise BelvedereError(
                        f"view {self.name!r} got other columns at epoch {now.version}; its changes can be told since then"
                    )

    # keeping

    def refresh(self, strategy: str = "auto", engine: str | None = None) -> Refresh:
        """Bring it up to date, with what it reads first."""
        reports = self.warehouse.refresh_views([self.name], strategy, engine)
        return next(r for r in reports if r.view == self.name)

    def bind(self, **values: Any) -> None:
        """Set parameters of the view; it is computed anew with them at its next refresh, and reads as it was until then."""
        rebind(self.warehouse, self.name, values)

    def verify(self, engine: str | None = None) -> Verification:
        """Compare with recomputation: over all there is if it claims to be fresh, else over what it was brought up to.
        Databases that are not mirrored are read whole, and what changed there since is taken back out."""
        core = self.warehouse.core
        if self.language == "schemasql":
            return self._verify_schema(engine)
        d, epoch = self.definition, core.store.epoch
        if self.status != "fresh":
            epoch = self.epoch
            d = self._definition_at(epoch)
        anew = remote_rows(core, self.warehouse.registry, d, epoch) if d.remotes else None
        return verify(core, d, epoch, engine or self.warehouse.reading_engine(d.node, epoch), anew)

    def publish(self) -> str:
        """Keep a plain Iceberg table of the view from now on; returns its name in the catalog."""
        from belvedere.warehouse.publishing import publish_view

        return publish_view(self.warehouse, self.name)

    # asking

    @property
    def status(self) -> str:
        """ "fresh", "stale" or "invalid"."""
        return self._status()[0]

    @property
    def reason(self) -> str:
        return self._status()[1]

    def _status(self) -> tuple[str, str]:
        core, registry = self.warehouse.core, self.warehouse.registry
        try:
            d = registry.definition(self.name)
        except InvalidView as e:
            return "invalid", str(e)
        outline = registry.outline(self.name)
        if outline is not None and outline.invalid is not None:
            return "invalid", outline.invalid
        from belvedere.warehouse.rebuild import shape_reason

        if has_moved(registry, d):
            return "stale", moved_words(d)
        broken = shape_reason(core.store, registry, d)
        if broken:
            return "stale", broken
        for upstream in d.views:
            status, reason = View(self.warehouse, upstream)._status()
            if status != "fresh":
                return ("stale", f"view {upstream!r}, which it reads, is {status}: {reason}")
        inputs = look(core.store, registry, registry.overlay, d, self.epoch, core.store.epoch)
        if inputs.relevant:
            return "stale", "changes of " + ", ".join(f"{n} ({inputs.size[n]:,} rows)" for n in sorted(inputs.relevant))
        return "fresh", inputs.why_not

    def explain(self, format: str = "text") -> Any:
        """The plan of its next refresh: "text", "dict", "mermaid" or "svg". Of a view that joins other databases "svg" draws the
        graph of that."""
        facts = explaining.describe(self)
        match format:
            case "dict":
                return facts
            case "text":
                return explaining.text(facts)
            case "mermaid":
                return explaining.mermaid(facts)
            case "svg":
                graph = drawing(self.warehouse.core, self.warehouse.registry, self.definition) if facts.get("remote") else None
                return graph or svg(facts)
        raise BelvedereError(f"format={format!r} is not known; use text, dict, mermaid or svg")

    def history(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Its refreshes, oldest first: epoch, strategy, engine, rows and bytes read and written, seconds, steps."""
        return self.warehouse.core.store.history(f"refresh:{self.name}", limit=limit)
