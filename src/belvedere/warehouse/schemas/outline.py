"""The outline of a SchemaSQL view: all that reading needs beside the stored fragments, as a document of each epoch.

It says how fragments become relations, what the ids in them are called, which relations and pivot columns there are, and, while
the view is invalid, why. It is written with the refresh that it describes, so a view that is behind reads as it was.

Relations that are named by data can be as many as there are rows. Beyond MANY the document does not list them, but tells this
set of names from others by a token; they are read from the stage that counts them when somebody asks, and kept with the outline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from belvedere.languages.schemasql.bound import Layout

#: the kind of the document
KIND = "outline"
#: so many relations are listed in the document
MANY = 1_000

#: an id where the column holds ids, else a name; NULL names nothing
Raw = int | str | None
Dictionaries = Mapping[str, tuple[tuple[int, str], ...]]


def nothing() -> Iterable[Raw]:
    raise AssertionError("an outline that lists its relations has none to read")


@dataclass(frozen=True)
class Outline:
    """listed, pivots: what stands in the fragments now, as it stands there; empty where the layout has no such column. `listed`
    is None where the relations are too many; then `count` and `token` stand for them, and `read` gives them. `nameless`: NULL is
    among them."""

    layout: Layout
    dictionaries: Dictionaries
    listed: tuple[Raw, ...] | None = ()
    pivots: tuple[Raw, ...] = ()
    invalid: str | None = None
    nameless: bool = False
    count: int = 0
    token: str = ""
    read: Callable[[], Iterable[Raw]] = field(default=nothing, compare=False, repr=False)

    @property
    def headless(self) -> bool:
        """A select without a header is one relation, under the view's own name."""
        return self.layout.relation is None and self.layout.relation_name is None

    @property
    def single(self) -> bool:
        """One relation, whatever the data."""
        return self.layout.relation is None

    @cached_property
    def relations(self) -> tuple[Raw, ...]:
        """What stands in the column of relations now, in order."""
        return in_order(self.read()) if self.listed is None else self.listed

    @cached_property
    def _relation_names(self) -> tuple[str, ...]:
        if self.layout.relation is not None:
            return named(self.relations, self.dictionaries.get(self.layout.relation))
        return () if self.layout.relation_name is None else (self.layout.relation_name,)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._relation_names)

    def relation_names(self) -> tuple[str, ...]:
        """The relations, in order; none for a select without a header."""
        return self._relation_names

    @property
    def is_known(self) -> bool:
        """Whether it can tell its relations without reading anything."""
        return self.listed is not None or "relations" in self.__dict__

    def has_relation(self, name: str) -> bool:
        return name in self._known

    def pivot_names(self) -> tuple[str, ...]:
        """The columns that come from data, in order."""
        return () if self.layout.pivot is None else named(self.pivots, self.dictionaries.get(self.layout.pivot))

    def columns(self) -> tuple[str, ...]:
        """The columns of each relation."""
        fixed, at = [a for _, a in self.layout.fixed], self.layout.pivot_at
        return (*fixed[:at], *self.pivot_names(), *fixed[at:])

    def database(self, view: str) -> str:
        """Where the relations live."""
        return view if self.layout.database is None else self.layout.database

    def document(self) -> dict[str, Any]:
        return {
            "layout": {k: list(v) if isinstance(v, tuple) else v for k, v in self.layout.__dict__.items()},
            "dictionaries": {c: [list(e) for e in d] for c, d in sorted(self.dictionaries.items())},
            "relations": None if self.listed is None else list(self.listed), "pivots": list(self.pivots),
            "invalid": self.invalid, "nameless": self.nameless, "count": self.count, "token": self.token,
        }  # fmt: skip

    @staticmethod
    def of(doc: Mapping[str, Any], read: Callable[[], Iterable[Raw]]) -> Outline:
        """What a document says; `read` is asked for the relations only where it does not list them."""
        layout = {**doc["layout"], "fixed": tuple((c, a) for c, a in doc["layout"]["fixed"])}
        dictionaries = {c: tuple((int(i), str(n)) for i, n in d) for c, d in doc["dictionaries"].items()}
        listed = None if doc["relations"] is None else tuple(doc["relations"])
        return Outline(
            Layout(**layout), dictionaries, listed, tuple(doc["pivots"]), doc["invalid"],
            doc.get("nameless", False), doc.get("count", 0), doc.get("token", ""), read,
        )  # fmt: skip


def in_order(values: Iterable[Raw]) -> tuple[Raw, ...]:
    return tuple(sorted(values, key=lambda v: (v is not None, v)))


def named(raw: Iterable[Raw], dictionary: tuple[tuple[int, str], ...] | None) -> tuple[str, ...]:
    """Names in order; an id without an entry has none any more."""
    if dictionary is None:
        return tuple(sorted(str(r) for r in raw if r is not None))
    names = dict(dictionary)
    return tuple(sorted(names[r] for r in raw if isinstance(r, int) and r in names))
