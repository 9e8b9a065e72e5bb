"""What the catalog keeps of an attached source: where it is, its change logs, its tables, and how far they have been read.

Two documents under the source's name. `source` changes when its shape does; `position` with every sync that brought changes,
in the same transaction as those: that is what makes a change count exactly once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from belvedere.errors import Conflict, UnknownName, suggest
from belvedere.sources.source import Position, TableInfo, Watch
from belvedere.sources.url import Address, parse
from belvedere.store.commit import Commit
from belvedere.store.store import Store

KIND = "source"
POSITION = "position"
ATTACHING, ATTACHED = "attaching", "attached"


@dataclass(frozen=True)
class Shape:
    """A table as it was when last looked at: (number, name, type) of each column, its key, and how it is followed."""

    columns: tuple[tuple[int, str, str], ...]
    key: tuple[str, ...]
    follow: str

    @staticmethod
    def of(info: TableInfo) -> Shape:
        columns = tuple((n, c.name, str(c.type)) for n, c in zip(info.numbers, info.schema, strict=True))
        return Shape(columns, info.key, info.follow)

    def document(self) -> dict[str, Any]:
        return {"columns": [list(c) for c in self.columns], "key": list(self.key), "follow": self.follow}


@dataclass(frozen=True)
class Attached:
    """One source."""

    name: str
    url: str
    mirror: bool
    watch: Watch
    state: str = ATTACHED
    tables: Mapping[str, Shape] = field(default_factory=dict)
    position: Position = field(default_factory=dict)
    #: whether tables that are made there later belong to it
    every: bool = False

    @property
    def address(self) -> Address:
        return parse(self.name, self.url)

    def at(self, position: Position) -> Attached:
        return replace(self, position=position)

    def put(self, commit: Commit) -> None:
        """Into the catalog, with the transaction."""
        commit.put_doc(
            KIND, self.name,
            {
                "url": self.url, "mirror": self.mirror, "state": self.state, "token": self.watch.token,
                "logs": dict(self.watch.tables), "stamps": dict(self.watch.stamps),
                "tables": {n: t.document() for n, t in self.tables.items()}, "every": self.every,
            },
        )  # fmt: skip
        self.put_position(commit)

    def put_position(self, commit: Commit) -> None:
        commit.put_doc(POSITION, self.name, {"position": self.position})


def _read(name: str, doc: dict[str, Any], position: dict[str, Any] | None) -> Attached:
    tables = {
        n: Shape(tuple((i, c, t) for i, c, t in d["columns"]), tuple(d["key"]), d["follow"]) for n, d in doc["tables"].items()
    }
    watch = Watch(doc["token"], doc["logs"], doc["stamps"])
    at = (position or {}).get("position", {})
    return Attached(name, doc["url"], doc["mirror"], watch, doc["state"], tables, at, doc.get("every", False))


def all_attached(store: Store, epoch: int | None = None) -> dict[str, Attached]:
    """Every source by its name."""
    docs = store.docs(KIND, epoch)
    if not docs:
        return {}
    positions = store.docs(POSITION, epoch)
    return {n: _read(n, d, positions.get(n)) for n, d in sorted(docs.items())}


def check_unread(store: Store, attached: Attached) -> None:
    """Before its change logs are made anew: whoever reads a source writes down how far, and what seems to be lost may be what
    another process has read, and let be forgotten. Then there is nothing to mend, and this transaction cannot be published."""
    if all_attached(store).get(attached.name) != attached:
        raise Conflict(
            f"source {attached.name!r} was read by another process at the same time; nothing of this transaction was applied, "
            "run it again"
        )


def find(known: Mapping[str, Attached], name: str) -> Attached:
    """By the name a user gives."""
    for n, found in known.items():
        if n == name:
            return found
    for n, found in known.items():
        if n.lower() == name.lower():
            return found
    raise UnknownName(f"there is no source {name!r}{suggest(name, list(known))}")
