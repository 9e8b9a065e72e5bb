"""A SchemaSQL text as it stands, before any name has a meaning."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True)
class Word:
    """A name in the text, and where it stands."""

    text: str
    start: int


@dataclass(frozen=True)
class Declaration:
    """`range variable` of the FROM clause. A range is `[database::]relation`, then an arrow, an attribute, or nothing; an arrow
    alone has neither. In `x-> V` it is not yet known whether x is a database or a relation: it stands in `relation`."""

    variable: Word
    start: int
    database: Word | None = None
    relation: Word | None = None
    attribute: Word | None = None
    arrow: bool = False


@dataclass(frozen=True)
class Header:
    """create view [database::]name[(attributes)]."""

    database: Word | None
    name: Word
    attributes: tuple[Word, ...] | None


@dataclass(frozen=True)
class Parsed:
    """`select` is SQL's tree without a FROM clause; its positions are those of `text`."""

    text: str
    header: Header | None
    declarations: tuple[Declaration, ...]
    select: exp.Select
