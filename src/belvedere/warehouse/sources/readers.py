"""Which views read which sources, through whatever views lie between."""

from __future__ import annotations

from collections.abc import Iterable

from belvedere.warehouse.registry import Registry
from belvedere.warehouse.sources.mirrors import SOURCE


def sources_of(registry: Registry, view: str) -> set[str]:
    """The sources whose mirrors a view reads."""
    by_id = {c.id: c.properties[SOURCE] for c in registry.all_collections().values() if SOURCE in c.properties}
    found = set()
    for name in registry.upstream(view):
        for use in registry.document(name)["uses"].values():
            if use.get("id") in by_id:
                found.add(by_id[use["id"]])
    return found


def followed_by(registry: Registry, view: str, known: Iterable[str]) -> set[str]:
    """The sources whose changes a view can feel: those that it reads, and those whose names it ranges over."""
    found = sources_of(registry, view)
    for name in registry.upstream(view):
        ranges = registry.document(name).get("ranges", {})
        databases = {d.lower() for d in ranges.get("relations", ()) if d is not None}
        found |= {s for s in known if "databases" in ranges or s.lower() in databases}
    return found


def readers(registry: Registry, source: str) -> set[str]:
    """The views that read a source."""
    return {v for v in registry.view_names() if source in sources_of(registry, v)}
