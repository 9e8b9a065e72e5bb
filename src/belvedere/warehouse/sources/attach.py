"""Attaching a source and letting go of it.

The catalog learns of the attachment before anything is installed at the source, so that whatever happens in between, there is
a name under which `detach` can clean up.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from belvedere.errors import BelvedereError, SourceUnavailable
from belvedere.sources.opening import open_source
from belvedere.sources.source import COMPARE, Source, TableInfo, Watch
from belvedere.sources.url import LOGICAL, parse, with_changes
from belvedere.store.faults import point
from belvedere.warehouse.sources.attached import ATTACHED, ATTACHING, KIND, POSITION, Attached, Shape, all_attached, find
from belvedere.warehouse.sources.first_load import Progress, load
from belvedere.warehouse.sources.mirrors import SOURCE, mirror_name
from belvedere.warehouse.sources.readers import readers
from belvedere.warehouse.sources.shapes import make_remote
from belvedere.warehouse.tables import check_name

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse

#: systems whose changes can only be found by comparing
ALWAYS_MIRRORED = ("duckdb",)


def attach(
    wh: Warehouse,
    name: str,
    url: str,
    tables: Sequence[str] | None,
    mirror: bool,
    changes: str | None,
    progress: Progress | None,
) -> dict[str, int]:
    """Install the change logs and load the mirrors; gives the rows loaded per table."""
    _check_free(wh, name)
    address = parse(name, with_changes(name, url, changes))
    source = open_source(name, address)
    try:
        infos = source.describe(None if tables is None else list(dict.fromkeys(tables)))
        if not infos:
            raise BelvedereError(f"source {name!r} has no tables; make some first, or check the database that the URL names")
        mirror = mirror or address.system in ALWAYS_MIRRORED
        for info in infos:
            _check_follow(name, info, mirror)
            check_name(wh.registry, mirror_name(name, info.name), "table")
        new = Attached(name, address.text, mirror, Watch(uuid.uuid4().hex[:12]), ATTACHING, every=tables is None)
        with wh.transaction() as tx:
            new.put(tx.commit)
        point("attach.recorded")
        try:
            return _fill(wh, new, source, infos, progress)
        except BaseException:
            _abandon(wh, new, source)
            raise
    finally:
        source.close()


def _check_follow(source: str, info: TableInfo, mirror: bool) -> None:
    if info.follow == COMPARE and not mirror:
        raise BelvedereError(
            f"source {source!r}: changes of table {info.name!r} can only be found by comparing it with a mirror ({info.why}); "
            "attach with mirror=True, or leave it out with tables=[…]"
        )


def _fill(wh: Warehouse, new: Attached, source: Source, infos: list[TableInfo], progress: Progress | None) -> dict[str, int]:
    watch = source.watch(new.watch, infos)
    point("attach.watched")
    names = [i.name for i in infos]
    rows: dict[str, int] = {}
    with wh.transaction() as tx, source.snapshot(names, watch) as snapshot:
        gone = [n for n in names if n not in snapshot.tables]
        if gone:
            raise BelvedereError(f"source {new.name!r}: table {gone[0]!r} was dropped while it was attached; run attach again")
        for info in snapshot.tables.values():
            if new.mirror:
                rows[mirror_name(new.name, info.name)] = load(tx, new.name, new.address.settings, info, snapshot, progress)
            else:
                make_remote(tx, new.name, info)
        shapes = {n: Shape.of(i) for n, i in snapshot.tables.items()}
        point("attach.loaded")
        replace(new, state=ATTACHED, watch=watch, tables=shapes, position=snapshot.position()).put(tx.commit)
    wh.after_publish(rows)
    return rows


def _abandon(wh: Warehouse, new: Attached, source: Source) -> None:
    """After a failure: nothing stays at the source, and if that cannot be had, the catalog remembers."""
    try:
        source.unwatch(new.watch.token)
    except BelvedereError:
        return
    _forget(wh, new)


def _forget(wh: Warehouse, attached: Attached) -> None:
    with wh.transaction() as tx:
        tx.following = True
        for c in list(tx.registry.all_collections().values()):
            if c.kind == "table" and c.properties.get(SOURCE) == attached.name:
                tx.drop_relation(c.name)
        tx.commit.put_doc(KIND, attached.name, None)
        tx.commit.put_doc(POSITION, attached.name, None)


def detach(wh: Warehouse, name: str, force: bool) -> None:
    """Remove the change logs at the source, then the mirrors. `force` goes on where the source does not answer."""
    attached = find(all_attached(wh.core.store), name)
    reading = sorted(readers(wh.registry, attached.name))
    if reading:
        raise BelvedereError(f"source {attached.name!r} is read by {', '.join(reading)}; drop those views first")
    try:
        source = open_source(attached.name, attached.address)
        try:
            source.unwatch(attached.watch.token)
        finally:
            source.close()
    except SourceUnavailable as e:
        if not force:
            slot = " (a slot keeps the server's log growing)" if attached.address.settings.changes == LOGICAL else ""
            raise SourceUnavailable(
                f"{e}; its change logs could not be removed. Try again when it is back, or detach with force and drop there by "
                f"hand what is called bv_log_{attached.watch.token}…{slot}"
            ) from e
    point("detach.unwatched")
    _forget(wh, attached)


def _check_free(wh: Warehouse, name: str) -> None:
    if not re.fullmatch(r"[^\W\d]\w*", name or ""):
        raise BelvedereError(f"{name!r} cannot be the name of a source: use letters, digits and _, and begin with a letter")
    for other in all_attached(wh.core.store).values():
        if other.name.lower() == name.lower():
            half = other.state == ATTACHING
            said = "was being attached when that was interrupted; detach it and attach it again"
            raise BelvedereError(f"source {other.name!r} {said if half else 'is attached already'}")
