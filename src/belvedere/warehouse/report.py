"""What a refresh says about itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
    #: seconds: what was expected of the way that was chosen, and what the cost model alone says of the refresh alone
    estimate: float | None = None
    modelled: float | None = None
    #: for a view in Lorel, objects that the paper's model says would be fetched; `rows_read` is what was
    estimated_fetches: float | None = None
    steps: tuple[Step, ...] = ()
    held: bool = False

    def record(self) -> dict[str, Any]:
        """For the history: everything but the statements' texts."""
        plain = {k: v for k, v in self.__dict__.items() if k != "steps"}
        plain["steps"] = [{k: v for k, v in s.__dict__.items() if k != "sql"} for s in self.steps]
        return plain

    def __str__(self) -> str:
        if self.held:
            return f"{self.view}: not refreshed ({self.reason})"
        if self.strategy == "none":
            return f"{self.view}: nothing to do ({self.reason})"
        return (
            f"{self.view}: {self.strategy} on {self.engine}, {self.rows_in:,} rows in, {self.rows_out:,} out, "
            f"{self.rows_read:,} read, {self.seconds * 1000:.0f} ms"
        )
