"""Tables that are known by their columns only: made, altered and dropped as their source's tables are."""

from __future__ import annotations

from dataclasses import replace

from belvedere.errors import BelvedereError
from belvedere.sources.source import TableInfo
from belvedere.store.model import Collection
from belvedere.warehouse.sources.attached import Attached, Shape
from belvedere.warehouse.sources.mirrors import REMOTE, SOURCE, mirror_name
from belvedere.warehouse.sources.shape import reshape, reshaping
from belvedere.warehouse.sources.sites import Site
from belvedere.warehouse.tables import new_table
from belvedere.warehouse.transaction import Transaction


def make_remote(tx: Transaction, source: str, info: TableInfo) -> Collection:
    """A table without rows that stands for one elsewhere."""
    properties = {SOURCE: source, REMOTE: info.name}
    name = mirror_name(source, info.name)
    return new_table(tx.registry, tx.commit, tx.overlay, name, info.schema, info.key, properties=properties)


def settle_shapes(tx: Transaction, site: Site) -> tuple[Attached, list[str]]:
    """The columns known here as they are at the source now; gives the source as it is now, and the tables that changed."""
    attached, snapshot = site.attached, site.snapshot
    shapes, changed = dict(attached.tables), []
    known = tx.registry.all_collections()
    tx.following = True
    for name in attached.tables:
        full, info = mirror_name(attached.name, name), snapshot.tables.get(name)
        there = known.get(full)
        if name not in site.asked_for:
            continue
        if info is None:
            if there is not None:
                tx.drop_relation(full)
                changed.append(name)
            continue
        if _settled(tx, attached, info, there):
            changed.append(name)
        shapes[name] = Shape.of(info)
    return replace(attached, tables=shapes), changed


def _settled(tx: Transaction, attached: Attached, info: TableInfo, there: Collection | None) -> bool:
    """Whether anything had to change. A column counts as renamed where the source numbers its columns for good."""
    if there is None:
        make_remote(tx, attached.name, info)
        return True
    change = reshaping(attached.tables[info.name], Shape.of(info), lambda old, new: info.permanent)
    if change.nothing:
        return False
    if change.anew:
        tx.drop_relation(there.name)
        make_remote(tx, attached.name, info)
    else:
        reshape(tx, there.name, change)
    return True


def check_shape(site: Site) -> None:
    """For who cannot change what is known of tables."""
    for name in site.asked_for:
        info = site.snapshot.tables.get(name)
        if info is None or Shape.of(info) != site.attached.tables.get(name):
            raise BelvedereError(
                f"source {site.attached.name!r}: table {name!r} is not what it was when it was last looked at; run sync first"
            )
