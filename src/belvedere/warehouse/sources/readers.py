"""Which views read which sources, through whatever views lie between."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from belvedere.errors import InvalidView
from belvedere.store.model import Collection
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.sources.mirrors import REMOTE, SOURCE


def sources_of(registry: Registry, view: str) -> set[str]:
    """The sources whose tables a view reads."""
    every = list(registry.upstream(view))
    read = {str(c.properties[SOURCE]) for name in every for c in _tables(registry, name)}
    return read | {source for name in every for source in _gone(registry, name)}


def remote_tables(registry: Registry, view: str) -> dict[str, set[str]]:
    """Source → tables of it that the view itself reads and that are not kept here."""
    found: dict[str, set[str]] = {}
    with suppress(InvalidView):
        for name in {leaf.name for join in registry.definition(view).remotes for leaf in join.leaves}:
            c = registry.collection(name)
            found.setdefault(str(c.properties[SOURCE]), set()).add(str(c.properties[REMOTE]))
    for source, tables in _gone(registry, view).items():
        found.setdefault(source, set()).update(tables)
    return found


def asked_before(registry: Registry, view: str) -> bool:
    """Whether the view, as it is stored, asks other databases."""
    return bool(registry.document(view).get("remotes"))


def followed_by(registry: Registry, view: str, known: Iterable[str]) -> set[str]:
    """The sources whose changes a view can feel: those that it reads, and those whose names it ranges over."""
    found = sources_of(registry, view)
    for name in registry.upstream(view):
        ranges = registry.document(name).get("ranges", {})
        databases = {d.lower() for d in ranges.get("relations", ()) if d is not None}
        found |= {s for s in known if "databases" in ranges or s.lower() in databases}
    return found


def _gone(registry: Registry, view: str) -> dict[str, list[str]]:
    """Tables that its remote joins have read, and that may be back."""
    found: dict[str, list[str]] = {}
    for join in registry.document(view).get("remotes", ()):
        doc = registry.core.store.doc("remote", join)
        for source, tables in (doc or {"tables": {}})["tables"].items():
            found.setdefault(source, []).extend(tables)
    return found


def _tables(registry: Registry, view: str) -> list[Collection]:
    used = {use.get("id") for use in registry.document(view)["uses"].values()}
    return [c for c in registry.all_collections().values() if SOURCE in c.properties and c.id in used]


def readers(registry: Registry, source: str) -> set[str]:
    """The views that read a source."""
    return {v for v in registry.view_names() if source in sources_of(registry, v)}
