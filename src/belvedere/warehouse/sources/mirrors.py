"""Tables of other databases: mirrors, ordinary tables of the warehouse that nobody changes but their source; and those that are
known by their columns only."""

from __future__ import annotations

from belvedere.errors import BelvedereError, UnknownName
from belvedere.store.model import Collection

SOURCE = "source"
"""Property of a collection that stands for a table elsewhere: the name of its source."""

REMOTE = "remote"
"""Property of a collection whose rows are not kept here: what its table is called at the source."""


def is_remote(c: Collection) -> bool:
    """Does it stand for a table of another database that is not mirrored?"""
    return REMOTE in c.properties


def refuse_reading(c: Collection) -> None:
    """Only views, through their remote joins, read what is not kept here."""
    if is_remote(c):
        raise UnknownName(
            f"the tables of the source {c.properties[SOURCE]!r} are not kept here, so they cannot be read but by views in SQL: "
            "make a view of them, or detach it, and attach it with mirror=True"
        )


def refuse_mirror(c: Collection) -> None:
    """What is written into a mirror would be gone, or doubled, with the next sync."""
    source = c.properties.get(SOURCE)
    if source is not None:
        raise BelvedereError(
            f"{c.name!r} follows a table of the source {source!r} and cannot be changed here; change it there and run sync, or "
            "load a copy into a table of another name"
        )


def mirror_name(source: str, table: str) -> str:
    """
    >>> mirror_name("shop", "orders")
    'shop.orders'
    """
    return f"{source}.{table}"
