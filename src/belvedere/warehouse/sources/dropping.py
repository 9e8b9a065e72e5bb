"""The end of remote joins: with them goes what kept their sources from forgetting."""

from __future__ import annotations

from collections.abc import Collection

from belvedere.store.commit import Commit
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.resolve import Overlay

#: the kind of the documents about remote joins
KIND = "remote"


def drop_remotes(registry: Registry, commit: Commit, overlay: Overlay, view: str, keep: Collection[str] = ()) -> None:
    """Those of a view, but for the ones it still has."""
    if view not in registry.view_names():
        return
    for join in registry.document(view).get("remotes", ()):
        if join in keep:
            continue
        if join in registry.all_collections():
            commit.drop_collection(join)
            overlay.dropped.add(join)
        commit.put_doc(KIND, join, None)
