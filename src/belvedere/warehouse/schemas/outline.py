"""The outline of a SchemaSQL view: all that reading needs beside the stored fragments, as a document of each epoch.

It says how fragments become relations, what the ids in them are called, which relations and pivot columns there are, and, while
the view is invalid, why. It is written with the refresh that it describes, so a view that is behind reads as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from belvedere.languages.schemasql.bound import Layout

#: the kind of the document
KIND = "outline"

#: an id where the column holds ids, else a name; NULL names nothing
Raw = int | str | None
Dictionaries = Mapping[str, tuple[tuple[int, str], ...]]


@dataclass(frozen=True)
class Outline:
    """relations, pivots: what stands in the fragments now, as it stands there; empty where the layout has no such column."""

    layout: Layout
    dictionaries: Dictionaries
    relations: tuple[Raw, ...] = ()
    pivots: tuple[Raw, ...] = ()
    invalid: str | None = None

    @property
    def headless(self) -> bool:
        """A select without a header is one relation, under the view's own name."""
        return self.layout.relation is None and self.layout.relation_name is None

    @property
    def single(self) -> bool:
        """One relation, whatever the data."""
        return self.layout.relation is None

    def relation_names(self) -> tuple[str, ...]:
        """The relations, in order; none for a select without a header."""
        if self.layout.relation is not None:
            return named(self.relations, self.dictionaries.get(self.layout.relation))
        return () if self.layout.relation_name is None else (self.layout.relation_name,)

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
            "relations": list(self.relations), "pivots": list(self.pivots), "invalid": self.invalid,
        }  # fmt: skip

    @staticmethod
    def read(doc: Mapping[str, Any]) -> Outline:
        layout = {**doc["layout"], "fixed": tuple((c, a) for c, a in doc["layout"]["fixed"])}
        dictionaries = {c: tuple((int(i), str(n)) for i, n in d) for c, d in doc["dictionaries"].items()}
        return Outline(Layout(**layout), dictionaries, tuple(doc["relations"]), tuple(doc["pivots"]), doc["invalid"])


def named(raw: Iterable[Raw], dictionary: tuple[tuple[int, str], ...] | None) -> tuple[str, ...]:
    """Names in order; an id without an entry has none any more."""
    if dictionary is None:
        return tuple(sorted(str(r) for r in raw if r is not None))
    names = dict(dictionary)
    return tuple(sorted(names[r] for r in raw if isinstance(r, int) and r in names))
