"""What sync and sources() say."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Synced:
    """One source after a sync. rows: changed rows per table; compared: tables that were compared whole, and why; reshaped: tables
    that came, went or got other columns; left_out: new tables that cannot be followed, and why; error: why it could not be read,
    then nothing of it changed."""

    source: str
    epoch: int
    rows: dict[str, int] = field(default_factory=dict)
    compared: dict[str, str] = field(default_factory=dict)
    reshaped: tuple[str, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def total(self) -> int:
        return sum(self.rows.values())


@dataclass(frozen=True)
class SourceInfo:
    """An attached source. state: "attached", or "attaching" if that was interrupted."""

    name: str
    url: str
    system: str
    mirror: bool
    state: str
    tables: tuple[str, ...]
