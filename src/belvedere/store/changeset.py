"""What a transaction wants to change, as data: filled by `Commit`, written by `publish`."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from belvedere.algebra.types import Schema
from belvedere.store.model import Collection, Run


@dataclass(frozen=True)
class PlainTable:
    """The next state of a published Iceberg table."""

    name: str
    schema: Schema
    add: tuple[str, ...]
    remove: tuple[str, ...]


@dataclass
class ChangeSet:
    """The only mutable thing of a transaction. Items read and written are strings, as the conflict test compares them:

    `c:<id>` a collection's content or description, `n:<name>` which collection has a name, `d:<kind>:<name>` a document,
    `i:<name>` a published table.
    """

    base: int
    collections: dict[int, Collection] = field(default_factory=dict)
    created: set[int] = field(default_factory=set)
    dropped: dict[int, Collection] = field(default_factory=dict)
    replaced: set[int] = field(default_factory=set)
    runs: dict[int, list[Run]] = field(default_factory=dict)
    docs: dict[tuple[str, str], dict[str, Any] | None] = field(default_factory=dict)
    records: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    tables: dict[str, PlainTable | None] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    _run_numbers: Any = field(default_factory=lambda: count(1))

    def copy(self) -> ChangeSet:
        """One that does not feel what is added to this one; the numbers of runs go on."""
        made = object.__new__(ChangeSet)
        made.__dict__.update({n: v.copy() if isinstance(v, (dict, list, set)) else v for n, v in self.__dict__.items()})
        made.runs = {c: list(runs) for c, runs in self.runs.items()}
        return made

    def next_run(self) -> int:
        return int(next(self._run_numbers))

    def create(self, made: Collection) -> None:
        self.collections[made.id] = made
        self.created.add(made.id)
        self.names.add(made.name)

    def alter(self, old: Collection, made: Collection) -> None:
        self.collections[made.id] = made
        if made.name != old.name:
            self.names |= {old.name, made.name}

    def drop(self, gone: Collection) -> None:
        self.collections.pop(gone.id, None)
        self.runs.pop(gone.id, None)
        self.replaced.discard(gone.id)
        self.names.add(gone.name)
        if gone.id in self.created:
            self.created.discard(gone.id)
        else:
            self.dropped[gone.id] = gone

    def replace(self, collection: Collection) -> None:
        self.runs.pop(collection.id, None)
        if collection.id not in self.created:
            self.replaced.add(collection.id)

    def add(self, run: Run) -> None:
        self.runs.setdefault(run.collection, []).append(run)

    @property
    def empty(self) -> bool:
        return not (
            self.collections
            or self.dropped
            or self.replaced
            or any(self.runs.values())
            or self.docs
            or self.records
            or self.tables
        )

    @property
    def writes(self) -> set[str]:
        ids = {*self.collections, *self.dropped, *self.replaced, *(c for c, runs in self.runs.items() if runs)}
        return (
            {f"c:{i}" for i in ids}
            | {f"n:{n}" for n in self.names}
            | {f"d:{kind}:{name}" for kind, name in self.docs}
            | {f"i:{name}" for name in self.tables}
        )

    @property
    def resets(self) -> set[int]:
        """Collections whose change this epoch cannot be told as a sum of delta runs."""
        return self.replaced | {c for c, runs in self.runs.items() if any(not r.delta for r in runs)}
