"""What the catalog keeps of a remote join, in one document under its name: up to where of each source its rows are, what asking
has taught about costs, the last plan, and what it really took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from belvedere.planning.sources.experience import Experience
from belvedere.planning.sources.thresholds import Memory
from belvedere.sources.maintain.visit import Asked
from belvedere.sources.source import Position
from belvedere.store.commit import Commit
from belvedere.store.store import Store
from belvedere.warehouse.sources.dropping import KIND

#: queries of the last refresh that are kept to be shown
SHOWN = 100


@dataclass
class Learned:
    """`digest` says what join it is of; `positions` are those of its sources, none while its rows count for nothing."""

    digest: str
    tables: Mapping[str, list[str]]
    positions: Mapping[str, Position] = field(default_factory=dict)
    rows: Mapping[str, float] = field(default_factory=dict)
    experience: Experience = field(default_factory=Experience)
    memory: Memory | None = None
    asked: list[Asked] = field(default_factory=list)

    def put(self, commit: Commit, name: str) -> None:
        """Into the catalog, with the rows that it is about."""
        commit.put_doc(
            KIND, name,
            {
                "digest": self.digest, "tables": dict(self.tables), "positions": dict(self.positions), "rows": dict(self.rows),
                "experience": self.experience.to_dict(), "memory": self.memory and self.memory.to_dict(),
                "asked": [asdict(a) for a in self.asked[:SHOWN]],
            },
        )  # fmt: skip

    @staticmethod
    def read(doc: Mapping[str, Any]) -> Learned:
        asked = [Asked(**{**a, "origins": tuple(a["origins"])}) for a in doc["asked"]]
        memory = Memory.from_dict(doc["memory"]) if doc["memory"] else None
        experience = Experience.from_dict(doc["experience"])
        return Learned(doc["digest"], doc["tables"], doc["positions"], doc["rows"], experience, memory, asked)


def learned(store: Store, name: str, epoch: int) -> Learned | None:
    found = store.doc(KIND, name, epoch)
    return None if found is None else Learned.read(found)


def consumers(store: Store, source: str) -> dict[str, list[Position]]:
    """Table of a source → how far each remote join over it has read."""
    found: dict[str, list[Position]] = {}
    for doc in store.docs(KIND).values():
        if source in doc["positions"]:
            for table in doc["tables"][source]:
                found.setdefault(table, []).append(doc["positions"][source])
    return found


def per_source(asked: Iterable[Asked]) -> dict[str, int]:
    """How many questions each source was asked."""
    counts: dict[str, int] = {}
    for a in asked:
        counts[a.source] = counts.get(a.source, 0) + 1
    return dict(sorted(counts.items()))
