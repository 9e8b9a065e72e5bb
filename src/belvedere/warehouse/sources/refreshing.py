"""A refresh of several views as one epoch, with what their sources have changed meanwhile.

A source that does not answer holds up only the views that read it, and those are told so. Views that follow at once are no
exception to their rule: they follow whatever is written here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from belvedere.errors import BelvedereError, InvalidView
from belvedere.warehouse.finish import follow_at_once, write_rows
from belvedere.warehouse.publishing import republish
from belvedere.warehouse.refresh import Refresher
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.report import Refresh
from belvedere.warehouse.sources.attached import all_attached
from belvedere.warehouse.sources.follow import Following
from belvedere.warehouse.sources.readers import followed_by

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


def refresh_views(wh: Warehouse, names: list[str] | None, strategy: str, engine: str | None, follow: bool) -> list[Refresh]:
    """The named views, all if None; `follow` fetches the changes of their sources first."""
    tx = wh.transaction()
    with tx.commit as commit:
        following = Following(tx)
        if follow:
            _pull(following, wh, names)
        write_rows(tx)
        registry, overlay = tx.registry, tx.overlay
        wanted = set(registry.view_names() if names is None else names)
        at_once = set(follow_at_once(tx))
        refresher = Refresher(wh.core, registry, commit, overlay)
        for name in registry.in_order(None if names is None else [*names, *sorted(at_once)], immediate_readers=True):
            own = name in wanted
            try:
                held = None if name in at_once else _held_up(registry, name, following)
                if held is not None:
                    raise held
                refresher.refresh(name, strategy if own else "auto", engine)
            except BelvedereError as e:
                if not isinstance(e, InvalidView) and e not in following.failed.values():
                    raise
                if names is not None and own:
                    raise
                refresher.reports.append(Refresh(name, wh.epoch, "none", "none", str(e), held=True))
        worked = [r for r in refresher.reports if r.strategy != "none"]
        if worked:
            republish(wh, registry, commit, overlay, [r.view for r in worked])
        if worked or following.changed:
            epoch = commit.publish()
    if not worked and not following.changed:
        return refresher.reports
    if following.changed:
        following.forget()
    for d in refresher.compiled:
        wh.registry.remember(d)
    wh.after_publish([*overlay.tables, *overlay.files])
    wh.arrange_large([r.view for r in worked])
    return [replace(r, epoch=epoch) if r.strategy != "none" else r for r in refresher.reports]


def _pull(following: Following, wh: Warehouse, names: list[str] | None) -> None:
    known = all_attached(wh.core.store, following.tx.commit.base)
    if not known:
        return
    registry = following.tx.registry
    needed = set(known) if names is None else set().union(*(followed_by(registry, n, known) for n in names))
    following.pull(a for n, a in known.items() if n in needed)


def _held_up(registry: Registry, name: str, following: Following) -> BelvedereError | None:
    """Why a view cannot be brought up to date: one of its sources did not answer."""
    if not following.failed:
        return None
    felt = followed_by(registry, name, following.failed)
    return next((following.failed[s] for s in sorted(felt) if s in following.failed), None)
