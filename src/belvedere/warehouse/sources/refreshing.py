"""A refresh of several views as one epoch, with what their sources have changed meanwhile.

A source that does not answer, and a view that fails, hold up only the views that read them, and those are told so. Views that
follow at once are no exception to their rule: they follow whatever is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from belvedere.errors import NotIncremental
from belvedere.warehouse.finish import write_rows
from belvedere.warehouse.report import Refresh
from belvedere.warehouse.sources.attached import Attached, all_attached
from belvedere.warehouse.sources.bring import STRATEGIES as ASKING
from belvedere.warehouse.sources.follow import Following
from belvedere.warehouse.sources.readers import asked_before, followed_by, remote_tables
from belvedere.warehouse.sources.remotes import Remotes
from belvedere.warehouse.sources.rounds import Round

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


def refresh_views(wh: Warehouse, names: list[str] | None, strategy: str, engine: str | None, follow: bool) -> list[Refresh]:
    """The named views, all if None; `follow` fetches the changes of their sources first. RefreshFailed, after all that could be
    done is published, if a view failed."""
    tx = wh.transaction()
    with tx.commit as commit:
        following, remotes = Following(tx), Remotes(tx)
        if follow:
            known = all_attached(wh.core.store, commit.base)
            _pull(following, known, names)
            _ask(remotes, known, names, strategy)
        write_rows(tx)
        work = Round(wh, following, remotes, names, "auto" if strategy in ASKING else strategy, engine)
        work.run()
        reports = work.reports
        changed = bool(work.worked or following.changed or remotes.changed)
        if changed:
            epoch = commit.publish()
            reports = [r.but(epoch=epoch) if r.strategy != "none" else r for r in reports]
    if changed:
        _published(wh, following, remotes, work)
    error = work.error(reports)
    if error is not None:
        raise error from next(iter(work.failed.values()))
    return reports


def _published(wh: Warehouse, following: Following, remotes: Remotes, work: Round) -> None:
    """What comes after a publication."""
    if following.changed:
        following.forget()
    if remotes.changed:
        remotes.forget()
    for d in work.refresher.compiled:
        wh.registry.remember(d)
    wh.after_publish([*work.overlay.tables, *work.overlay.files])
    wh.arrange_large(work.worked)


def _pull(following: Following, known: dict[str, Attached], names: list[str] | None) -> None:
    if not known:
        return
    registry = following.tx.registry
    needed = set(known) if names is None else set().union(*(followed_by(registry, n, known) for n in names))
    following.pull(a for n, a in known.items() if n in needed)


def _ask(remotes: Remotes, known: dict[str, Attached], names: list[str] | None, strategy: str) -> None:
    """Bring the remote joins of the views, and of what they read, up to date."""
    registry = remotes.tx.registry
    # without sources there may still be views whose sources are gone
    asking = [v for v in registry.in_order(names) if (known or asked_before(registry, v)) and remote_tables(registry, v)]
    if strategy in ASKING:
        without = [n for n in names or () if n not in asking]
        if without:
            raise NotIncremental(
                f"strategy={strategy!r} is for views that ask other databases; {without[0]!r} reads nothing but what is kept here"
            )
    if asking:
        remotes.bring(known, asking, dict.fromkeys(names or (), strategy), {})
