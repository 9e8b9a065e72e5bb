"""A refresh of several views as one epoch, with what their sources have changed meanwhile.

A source that does not answer holds up only the views that read it, and those are told so. Views that follow at once are no
exception to their rule: they follow whatever is written here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from belvedere.errors import BelvedereError, InvalidView, NotIncremental
from belvedere.warehouse.finish import follow_at_once, write_rows
from belvedere.warehouse.publishing import republish
from belvedere.warehouse.refresh import Refresher
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.report import Refresh
from belvedere.warehouse.sources.attached import all_attached
from belvedere.warehouse.sources.bring import STRATEGIES as ASKING
from belvedere.warehouse.sources.follow import Following
from belvedere.warehouse.sources.readers import remote_tables, sources_of
from belvedere.warehouse.sources.remotes import Remotes

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


def refresh_views(wh: Warehouse, names: list[str] | None, strategy: str, engine: str | None, follow: bool) -> list[Refresh]:
    """The named views, all if None; `follow` fetches the changes of their sources first."""
    tx = wh.transaction()
    with tx.commit as commit:
        following, remotes = Following(tx), Remotes(tx)
        if follow:
            _pull(following, wh, names)
            _ask(remotes, wh, names, strategy)
        write_rows(tx)
        registry, overlay = tx.registry, tx.overlay
        wanted = set(registry.view_names() if names is None else names)
        at_once = set(follow_at_once(tx))
        refresher = Refresher(wh.core, registry, commit, overlay, asked=remotes.asked)
        local = "auto" if strategy in ASKING else strategy
        for name in registry.in_order(None if names is None else [*names, *sorted(at_once)], immediate_readers=True):
            own = name in wanted
            try:
                held = None if name in at_once else _held_up(registry, name, following, remotes)
                if held is not None:
                    raise held
                refresher.refresh(name, local if own else "auto", engine)
            except BelvedereError as e:
                if not isinstance(e, InvalidView) and e not in (*following.failed.values(), *remotes.failed.values()):
                    raise
                if names is not None and own:
                    raise
                refresher.reports.append(Refresh(name, wh.epoch, "none", "none", str(e), held=True))
        worked = [r for r in refresher.reports if r.strategy != "none"]
        if worked:
            republish(wh, registry, commit, overlay, [r.view for r in worked])
        if worked or following.changed or remotes.changed:
            epoch = commit.publish()
    if not worked and not following.changed and not remotes.changed:
        return refresher.reports
    if following.changed:
        following.forget()
    if remotes.changed:
        remotes.forget()
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
    needed = set(known) if names is None else set().union(*(sources_of(registry, n) for n in names))
    following.pull(a for n, a in known.items() if n in needed)


def _ask(remotes: Remotes, wh: Warehouse, names: list[str] | None, strategy: str) -> None:
    """Bring the remote joins of the views, and of what they read, up to date."""
    registry = remotes.tx.registry
    every = registry.in_order(names)
    asking = [v for v in every if remote_tables(registry, v)]
    if strategy in ASKING:
        without = [n for n in names or () if n not in asking]
        if without:
            raise NotIncremental(
                f"strategy={strategy!r} is for views that ask other databases; {without[0]!r} reads nothing but what is kept here"
            )
    if asking:
        known = all_attached(wh.core.store, remotes.tx.commit.base)
        remotes.bring(known, asking, dict.fromkeys(names or (), strategy), {})


def _held_up(registry: Registry, name: str, following: Following, remotes: Remotes) -> BelvedereError | None:
    """Why a view cannot be brought up to date: one of its sources did not answer."""
    held = next((remotes.failed[v] for v in registry.upstream(name) if v in remotes.failed), None)
    if held is not None or not following.failed:
        return held
    return next((following.failed[s] for s in sorted(sources_of(registry, name)) if s in following.failed), None)
