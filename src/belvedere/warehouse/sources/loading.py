"""The beginning of a view's remote joins."""

from __future__ import annotations

from belvedere.changes.names import WEIGHT
from belvedere.store.commit import Commit
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.report import Asking
from belvedere.warehouse.resolve import Overlay
from belvedere.warehouse.run import land
from belvedere.warehouse.sources.attached import all_attached
from belvedere.warehouse.sources.bring import Bringing
from belvedere.warehouse.sources.here import EngineHere
from belvedere.warehouse.sources.joins import digest, join_view, tables_of
from belvedere.warehouse.sources.learned import Learned
from belvedere.warehouse.sources.remotes import make, touch
from belvedere.warehouse.sources.shapes import check_shape
from belvedere.warehouse.sources.sites import Sites


def first_load(core: Core, registry: Registry, commit: Commit, overlay: Overlay, d: Definition) -> tuple[Asking, ...]:
    """Read the tables of a new view's remote joins, each source in one state, and keep the joins."""
    if not d.remotes:
        return ()
    known = registry.all_collections()
    views = {j.name: join_view(j, known) for j in d.remotes}
    tables: dict[str, set[str]] = {}
    for view in views.values():
        for source, names in tables_of(view).items():
            tables.setdefault(source, set()).update(names)
    attached = all_attached(core.store, commit.base)
    asked = []
    with Sites(core.store, attached, tables) as sites:
        for source in tables:
            touch(commit, source)
            site = sites.site(source)
            check_shape(site)
            if site.attached != attached[source]:
                site.attached.put(commit)  # a lost log was installed anew
        for join in d.remotes:
            view = views[join.name]
            fresh = Learned(digest(join, known), tables_of(view))
            brought = Bringing(join, view, sites, EngineHere(core.duckdb)).first(fresh, "first extent")
            land(core, commit, overlay, make(commit, overlay, join, None), brought.delta.select([*join.columns, WEIGHT]))
            brought.learned.put(commit, join.name)
            asked.append(brought.asking)
    return tuple(asked)
