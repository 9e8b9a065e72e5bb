"""One round of refreshing: views in order; one that fails is undone and held back, and so is what reads it. The others go on.

A view that follows at once what it reads is an exception. If it fails, what it would have followed in this round cannot change
either, so those views are held back instead, and the round begins again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from belvedere.errors import BelvedereError, EngineError, InvalidView, RefreshFailed, Unsupported
from belvedere.warehouse.finish import follow_at_once
from belvedere.warehouse.publishing import republish
from belvedere.warehouse.refresh import Refresher
from belvedere.warehouse.report import Refresh
from belvedere.warehouse.savepoint import Savepoint
from belvedere.warehouse.sources.follow import Following
from belvedere.warehouse.sources.readers import followed_by
from belvedere.warehouse.sources.remotes import Remotes

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


class Round:
    """The named views, all if None, with what they read and what follows them at once."""

    def __init__(
        self, wh: Warehouse, following: Following, remotes: Remotes, names: list[str] | None, strategy: str, engine: str | None
    ) -> None:
        self.wh, self.following, self.remotes = wh, following, remotes
        self.names, self.strategy, self.engine = names, strategy, engine
        tx = following.tx
        self.commit, self.registry, self.overlay = tx.commit, tx.registry, tx.overlay
        self.wanted = set(self.registry.view_names() if names is None else names)
        self.at_once = set(follow_at_once(tx))
        self.refresher = self._refresher()
        #: what went wrong with a view, or with one that follows it at once
        self.failed: dict[str, BelvedereError] = {}
        #: views that may not change in this round
        self.barred: set[str] = set()

    @property
    def reports(self) -> list[Refresh]:
        return self.refresher.reports

    @property
    def worked(self) -> list[str]:
        return [r.view for r in self.reports if r.strategy != "none"]

    def run(self) -> None:
        start = Savepoint(self.commit, self.overlay)
        try:
            while not self._pass():
                start.restore()
                self.refresher.ahead.end()
                self.refresher = self._refresher()
        finally:
            self.refresher.ahead.end()

    def _refresher(self) -> Refresher:
        return Refresher(self.wh.core, self.registry, self.commit, self.overlay, asked=self.remotes.asked)

    def error(self, reports: list[Refresh]) -> RefreshFailed | None:
        """What the caller is told, after all else is published."""
        if not self.failed:
            return None
        return RefreshFailed("\n".join(dict.fromkeys(str(e) for e in self.failed.values())), tuple(reports))

    def _pass(self) -> bool:
        """Whether it came to its end."""
        in_order = None if self.names is None else [*self.names, *sorted(self.at_once)]
        todo = self.registry.in_order(in_order, immediate_readers=True)
        begun: set[str] = set()
        for place, name in enumerate(todo):
            if name not in begun:
                begun = self._begin(todo[place:])
            held = self._held_back(name)
            if held is not None:
                self._hold(name, held)
                continue
            try:
                self._refresh(name)
            except (EngineError, Unsupported) as e:
                if not self._fails(name, e):
                    return False
            except BelvedereError as e:
                expected = isinstance(e, InvalidView) or e in (*self.following.failed.values(), *self.remotes.failed.values())
                if not expected or (self.names is not None and name in self.wanted):
                    raise
                self._hold(name, str(e))
        return True

    def _begin(self, todo: list[str]) -> set[str]:
        """The first of the views, as far as none of them reads another. If there are several, what an engine has to do for
        them is put together."""
        group: list[str] = []
        for name in todo:
            if not set(self.registry.upstream(name)).isdisjoint(group):
                break
            group.append(name)
        if len(group) > 1 and self.strategy != "recompute":
            self.refresher.expect(group)
            for name in group:
                # what is wrong is found, and told, when it is the view's turn
                with suppress(BelvedereError):
                    if self._held_back(name) is None and self._unanswered(name) is None:
                        self.refresher.begin(name, self.strategy if name in self.wanted else "auto", self.engine)
            self.refresher.start()
        return set(group)

    def _refresh(self, name: str) -> None:
        silent = None if name in self.at_once else self._unanswered(name)
        if silent is not None:
            raise silent
        before, compiled = Savepoint(self.commit, self.overlay), len(self.refresher.compiled)
        try:
            done = self.refresher.refresh(name, self.strategy if name in self.wanted else "auto", self.engine)
            if done.strategy != "none":
                self._publish(name)
        except (EngineError, Unsupported):
            before.restore()
            del self.refresher.compiled[compiled:]
            self.refresher.reports[:] = [r for r in self.reports if r.view != name]
            raise

    def _publish(self, name: str) -> None:
        try:
            republish(self.wh, self.registry, self.commit, self.overlay, [name])
        except EngineError as e:
            raise EngineError(f"view {name!r} cannot be published: {e}") from e

    def _fails(self, name: str, error: BelvedereError) -> bool:
        """Note the failure of a view. Whether the round can go on as it is; if not, more is barred now."""
        told = error if isinstance(error, EngineError) else EngineError(f"view {name!r} cannot be refreshed: {error}")
        if name in self.at_once:
            raise told  # what it must follow is written by this very transaction
        if self.registry.document(name)["mode"] == "immediate":
            followed = {v for v in self.registry.upstream(name) if v in self.worked}
            if followed:
                self.barred |= followed
                self.failed |= dict.fromkeys(followed, told)
                return False
        self.failed[name] = told
        self._hold(name, str(error.__cause__ or error) if told is error else str(error))
        return True

    def _held_back(self, name: str) -> str | None:
        """Why a view has to wait for others. One that follows at once does not: it follows what changes, and no more."""
        if not self.failed:
            return None
        if name in self.barred:
            return f"a view that follows it at once fails: {self.failed[name]}"
        if name in self.at_once or self.registry.document(name)["mode"] == "immediate":
            return None
        waits = next((v for v in self.registry.upstream(name) if v != name and v in self.failed), None)
        return None if waits is None else f"view {waits!r}, which it reads, could not be refreshed"

    def _hold(self, name: str, why: str) -> None:
        self.reports.append(Refresh(name, self.wh.epoch, "none", "none", why, held=True))

    def _unanswered(self, name: str) -> BelvedereError | None:
        """The error of a source that the view reads and that did not answer."""
        if not self.remotes.failed and not self.following.failed:
            return None
        held = next((self.remotes.failed[v] for v in self.registry.upstream(name) if v in self.remotes.failed), None)
        if held is not None:
            return held
        silent = self.following.failed
        felt = followed_by(self.registry, name, silent) if silent else set()
        return next((silent[s] for s in sorted(felt) if s in silent), None)
