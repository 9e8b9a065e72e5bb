"""What a name in a query can mean: the relations of a from clause and their columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from belvedere.algebra.types import DataType
from belvedere.algebra.typing.resolve import has_field


@dataclass(frozen=True)
class Visible:
    """A column as the text sees it, and its name in the algebra."""

    name: str
    column: str
    type: DataType


@dataclass(frozen=True)
class Source:
    """A relation of the from clause. `alias` holds its name's parts: `db.t` answers to `t` and to `db.t`."""

    alias: tuple[str, ...]
    columns: tuple[Visible, ...]

    def answers_to(self, qualifier: list[str]) -> bool:
        tail = [p.lower() for p in self.alias[-len(qualifier) :]]
        return len(qualifier) <= len(self.alias) and tail == [q.lower() for q in qualifier]

    @property
    def shown(self) -> str:
        return ".".join(self.alias)


@dataclass(frozen=True)
class Match:
    """A column that was found; `fields` tells how many parts of the name go on into it."""

    column: Visible
    fields: int


class Ambiguous(Exception):
    """A name that fits more than one column."""

    def __init__(self, candidates: list[str]) -> None:
        self.candidates = candidates
        super().__init__(", ".join(candidates))


@dataclass(frozen=True)
class Scope:
    """`star` lists the columns that a bare name or `*` can mean, in order; `sources` those behind a qualifier. They differ
    after a join with using, which shows the common columns once."""

    sources: tuple[Source, ...] = ()
    star: tuple[Visible, ...] = ()

    @staticmethod
    def of(source: Source) -> Scope:
        return Scope((source,), source.columns)

    def joined(self, other: Scope) -> Scope:
        return Scope(self.sources + other.sources, self.star + other.star)

    def find(self, parts: list[str]) -> Match | None:
        """A qualified column if there is one, else a column with fields behind it."""
        for k in range(min(len(parts) - 1, 3), 0, -1):
            sources = [s for s in self.sources if s.answers_to(parts[:k])]
            hits = [(s, v) for s in sources for v in _named(parts[k], s.columns)]
            if len(hits) > 1:
                raise Ambiguous([f"{s.shown}.{v.name}" for s, v in hits])
            if hits:
                return Match(hits[0][1], len(parts) - k - 1)
        hits_bare = _named(parts[0], self.star)
        if len(hits_bare) > 1 and len(parts) > 1:
            hits_bare = [v for v in hits_bare if has_field(v.type, parts[1])] or hits_bare
        if len(hits_bare) > 1:
            raise Ambiguous([self.describe(v) for v in hits_bare])
        return Match(hits_bare[0], len(parts) - 1) if hits_bare else None

    def source(self, qualifier: list[str]) -> Source | None:
        found = [s for s in self.sources if s.answers_to(qualifier)]
        return found[0] if len(found) == 1 else None

    def describe(self, v: Visible) -> str:
        owner = next((s for s in self.sources if any(c.column == v.column for c in s.columns)), None)
        return f"{owner.shown}.{v.name}" if owner is not None and owner.alias else v.name

    def names(self) -> list[str]:
        return list(dict.fromkeys(v.name for v in self.star))

    def renamed(self, names: dict[str, str], types: dict[str, DataType] | None = None) -> Scope:
        """The scope over a node in which columns have other names; columns that are gone are no longer visible."""

        def pick(columns: Iterable[Visible]) -> tuple[Visible, ...]:
            return tuple(
                Visible(v.name, names[v.column], (types or {}).get(v.column, v.type)) for v in columns if v.column in names
            )

        return Scope(tuple(Source(s.alias, pick(s.columns)) for s in self.sources), pick(self.star))


def _named(name: str, columns: tuple[Visible, ...]) -> list[Visible]:
    """Columns of that name: those in the exact case if there are any, else in any case."""
    exact = [v for v in columns if v.name == name]
    return exact or [v for v in columns if v.name.lower() == name.lower()]
