"""Upkeep works on what it has read, and gives up if somebody else changed that meanwhile."""

from __future__ import annotations

from belvedere.store.catalog import Writer
from belvedere.store.model import Collection


class GaveUp(Exception):
    """Another writer changed what was being worked on."""


def check_version(tx: Writer, collection: Collection) -> None:
    """The collection is described as it was read."""
    rows = tx.rows("SELECT epoch_from FROM bv_collections WHERE id = :id AND epoch_to IS NULL", id=collection.id)
    if not rows or rows[0][0] != collection.version:
        raise GaveUp
