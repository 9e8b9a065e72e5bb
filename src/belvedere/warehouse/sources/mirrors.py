"""Mirrors: ordinary tables of the warehouse that nobody changes but their source."""

from __future__ import annotations

from belvedere.errors import BelvedereError
from belvedere.store.model import Collection

SOURCE = "source"
"""Property of a collection that mirrors a table: the name of its source."""


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
