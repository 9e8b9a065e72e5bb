"""What a refresh says about itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from belvedere.planning.cost import Expected


@dataclass(frozen=True)
class Step:
    """One statement of a refresh."""

    name: str
    rule: str
    engine: str
    rows_in: int
    rows_out: int
    rows_read: int
    bytes_read: int
    files: int
    jobs: int
    seconds: float
    sql: str = field(repr=False, default="")
    #: rows that lookups found and scans gave on; `rows_read` also counts those that lie beside them
    fetched: int = 0


@dataclass(frozen=True)
class Asking:
    """How a view's join over other databases was brought up to date: by which strategy and why, how many questions each source
    was asked, how many changed rows there were and how many came of them. `probes` are questions that were only to learn from."""

    name: str
    strategy: str
    reason: str
    queries: dict[str, int]
    rows_in: int
    rows_out: int
    seconds: float
    estimate: float | None = None
    probes: int = 0

    def __str__(self) -> str:
        asked = ", ".join(f"{s} {n}" for s, n in self.queries.items()) or "none"
        rows = f"{self.rows_in:,} rows in, {self.rows_out:,} out"
        return f"{self.name}: {self.strategy} ({self.reason}); questions: {asked}; {rows}"


@dataclass(frozen=True)
class Refresh:
    """The report of one refresh. strategy: "incremental", "recompute", or "none" where nothing mattered. `held`: it could
    not be brought up to date: its definition no longer fits, or a source that it reads did not answer; `reason` says which."""

    view: str
    epoch: int
    strategy: str
    engine: str
    reason: str
    rows_in: int = 0
    rows_out: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    rows_written: int = 0
    bytes_written: int = 0
    files: int = 0
    jobs: int = 0
    seconds: float = 0.0
    #: seconds that were expected of the way that was chosen, and the work that the refresh alone was expected to be
    estimate: float | None = None
    expected: Expected | None = None
    #: for a view in Lorel, objects that the paper's model says will be fetched, and those that were
    estimated_fetches: float | None = None
    fetches: int | None = None
    #: and whether anything that it reads went
    deleting: bool = False
    steps: tuple[Step, ...] = ()
    held: bool = False
    #: what was asked of databases that are not mirrored
    asked: tuple[Asking, ...] = ()

    def but(self, **told: Any) -> Refresh:
        """The same, with something else told. Every refresh is said to be of an epoch, and to have taken its time, once that is
        known; `replace` would look at each field for that."""
        made = object.__new__(Refresh)
        made.__dict__.update(self.__dict__, **told)
        return made

    @property
    def queries(self) -> dict[str, int]:
        """How many questions each source was asked."""
        counts: dict[str, int] = {}
        for a in self.asked:
            for source, n in a.queries.items():
                counts[source] = counts.get(source, 0) + n
        return counts

    def record(self) -> dict[str, Any]:
        """For the history: everything but the statements' texts."""
        plain = {k: v for k, v in self.__dict__.items() if k not in ("steps", "asked")}
        plain["asked"] = [dict(a.__dict__) for a in self.asked]
        plain["steps"] = [{k: v for k, v in s.__dict__.items() if k != "sql"} for s in self.steps]
        return plain

    def __str__(self) -> str:
        if self.held:
            return f"{self.view}: not refreshed ({self.reason})"
        if self.strategy == "none":
            return f"{self.view}: nothing to do ({self.reason})"
        return (
            f"{self.view}: {self.strategy} on {self.engine}, {self.rows_in:,} rows in, {self.rows_out:,} out, "
            f"{self.rows_read:,} read, {self.seconds * 1000:.0f} ms{self._fetched()}"
        )

    def _fetched(self) -> str:
        if self.fetches is None:
            return ""
        expected = "" if self.estimated_fetches is None else f" (about {self.estimated_fetches:,.0f} expected)"
        return f", {self.fetches:,} objects fetched{expected}"


def with_asked(report: Refresh, asked: tuple[Asking, ...]) -> Refresh:
    """A report with what was asked for it. That a database was read anew is said, whatever was done with the rows here."""
    if not asked:
        return report
    anew = [a for a in asked if a.strategy == "recompute"]
    reason = "; ".join(dict.fromkeys([*(a.reason for a in anew), report.reason])) if anew else report.reason
    strategy = "recompute" if anew and report.strategy == "incremental" else report.strategy
    return replace(report, asked=asked, strategy=strategy, reason=reason)
