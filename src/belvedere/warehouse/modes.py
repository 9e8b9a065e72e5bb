"""When a view follows what it reads.

immediate: in the epoch of the change. deferred: when refreshed. lazy: when read. hybrid: in the epoch of the change, unless
only primitive values changed; then when read. Elements that come and go are worked on at once, because they add up; a value
that is set again and again counts only once it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from belvedere.algebra.types import Array, Map
from belvedere.errors import Conflict, InvalidView
from belvedere.objects.model import InColumn, ObjectModel
from belvedere.store.model import Collection
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.inputs import Inputs, look
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.schemas.transition import has_moved

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse

MODES = ("deferred", "immediate", "lazy", "hybrid")
ON_READ = ("lazy", "hybrid")
#: a reader that another writer overtakes tries again this often
TRIES = 5


def due_now(registry: Registry, d: Definition, inputs: Inputs) -> bool:
    """Must the view follow these changes in their own epoch?"""
    if d.mode == "immediate":
        return True
    return d.mode == "hybrid" and not all(_only_values(registry, inputs, n) for n in inputs.relevant)


def _only_values(registry: Registry, inputs: Inputs, name: str) -> bool:
    """Did a collection change in primitive values only? Keys, references and collections are no such values."""
    columns = inputs.updated.get(name)
    if columns is None:
        return False
    c = registry.collection(name)
    return not any(_structural(registry, c, n) for n in columns)


def _structural(registry: Registry, c: Collection, column: str) -> bool:
    found = c.schema[column]
    return isinstance(found.type, (Array, Map)) or found.id in c.key or column in _references(registry.objects(), c.name)


def _references(model: ObjectModel, table: str) -> set[str]:
    """The columns of a class's table that refer to objects."""
    found = (p for c in model.classes.values() if c.table == table for p in model.properties(c.name))
    return {p.storage.column for p in found if isinstance(p.storage, InColumn) and p.target is not None}


def _may_be_valid(registry: Registry, name: str) -> bool:
    outline = registry.outline(name)
    return outline is not None and outline.invalid is not None


def read_first(warehouse: Warehouse, names: Iterable[str]) -> None:
    """Bring up to date those of the views, and of what they read, that follow when read; each once, what it reads first."""
    registry = warehouse.registry
    wanted = [n for n in names if n in registry.view_names() and registry.document(n)["mode"] in ON_READ]
    # a view that its data made invalid may be valid again with what came since
    _refreshed(warehouse, [n for n in wanted if warehouse.view(n).status == "stale" or _may_be_valid(registry, n)])


def follow_views(warehouse: Warehouse) -> None:
    """After a view was made or dropped: the immediate views that range over it, or that it was in the way of, follow in an epoch
    of their own."""
    registry = warehouse.registry
    immediate = [n for n in registry.view_names() if registry.document(n)["mode"] == "immediate"]
    _refreshed(warehouse, [n for n in immediate if _is_behind(warehouse, n)])


def _is_behind(warehouse: Warehouse, name: str) -> bool:
    """Whether names that it ranges over have changed, or a SchemaSQL view that it reads and could not read for a while."""
    registry, store = warehouse.registry, warehouse.core.store
    try:
        d = registry.definition(name)
    except InvalidView:
        return False
    if has_moved(registry, d):
        return True
    since = warehouse.view(name).epoch
    return any(map(registry.outline, d.views)) and bool(look(store, registry, registry.overlay, d, since, store.epoch).relevant)


def _refreshed(warehouse: Warehouse, names: list[str]) -> None:
    for attempt in range(TRIES if names else 0):
        try:
            warehouse.refresh_views(names, "auto", None, follow=False)
            return
        except Conflict:
            if attempt == TRIES - 1:
                raise
