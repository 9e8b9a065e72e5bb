"""Links of many new objects to objects that were there before, in Arrow: rows of link tables, ends of other objects' lists.

A new object is in nobody's collection yet, so every pair is new; only a pair given twice must be found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.changes.zset import weighted
from belvedere.objects.layout import other_side
from belvedere.objects.model import MEMBER, OWNER, POSITION, Linked, Property
from belvedere.objects.types import CollectionType
from belvedere.warehouse.objects.reading import find

if TYPE_CHECKING:
    from belvedere.warehouse.objects.session import Session

_AT = "at"


def write_links(session: Session, p: Property, oids: pa.Array, values: pa.Array) -> None:
    """What link tables hold of a property of new objects, on both sides."""
    pairs = _pairs(p, oids, values)
    own, other = p.storage, None if p.inverse is None else other_side(session.model, p).storage
    if isinstance(own, Linked):
        _write(session, own, pairs if own.owner == OWNER else _turned(pairs))
    if not isinstance(other, Linked):
        return
    if not isinstance(own, Linked) or own.table != other.table or own == other:
        _write(session, other, _turned(pairs))


def _pairs(p: Property, oids: pa.Array, values: pa.Array) -> pa.Table:
    """(new object, other one) in the given order; in a set and in a relationship each pair once, where it comes first."""
    if not isinstance(p.type, CollectionType):
        filled = pc.is_valid(values)
        return pa.table({OWNER: oids.filter(filled), MEMBER: values.filter(filled)})
    table = pa.table({OWNER: oids.take(pc.list_parent_indices(values)), MEMBER: pc.list_flatten(values)})
    if p.type.kind != "set" and p.inverse is None:
        return table
    numbered = table.append_column(_AT, pa.array(range(table.num_rows), pa.int64()))
    first = numbered.group_by([OWNER, MEMBER], use_threads=False).aggregate([(_AT, "min")])
    return table if first.num_rows == table.num_rows else first.sort_by(f"{_AT}_min").select([OWNER, MEMBER])


def _turned(pairs: pa.Table) -> pa.Table:
    return pa.table({OWNER: pairs[MEMBER], MEMBER: pairs[OWNER]})


def _write(session: Session, storage: Linked, pairs: pa.Table) -> None:
    if not pairs.num_rows:
        return
    c = session.tx.registry.collection(storage.table)
    if storage.ordered:
        pairs = _appended(session, storage, pairs)
    session.tx.write(c, weighted(pairs.select(list(c.schema.names))))


def _appended(session: Session, storage: Linked, pairs: pa.Table) -> pa.Table:
    """The pairs with positions after the end of each owner's list, in the given order."""
    numbered = pairs.append_column(_AT, pa.array(range(pairs.num_rows), pa.int64()))
    ordered = numbered.sort_by([(OWNER, "ascending"), (_AT, "ascending")])
    place = pa.array(range(pairs.num_rows), pa.int64())
    starts = ordered.append_column("place", place).group_by(OWNER, use_threads=False).aggregate([("place", "min")])
    c = session.tx.registry.collection(storage.table)
    held = find(session.tx, c, {OWNER: starts[OWNER].combine_chunks()}, [OWNER])
    counts = held.group_by(OWNER).aggregate([(OWNER, "count")])
    at = pc.index_in(ordered[OWNER], value_set=starts[OWNER].combine_chunks())
    before = pc.index_in(ordered[OWNER], value_set=counts[OWNER].combine_chunks())
    length = pc.fill_null(counts[f"{OWNER}_count"].combine_chunks().take(before.combine_chunks()), 0)
    rank = pc.subtract(place, starts["place_min"].combine_chunks().take(at.combine_chunks()))
    return ordered.select([OWNER, MEMBER]).append_column(POSITION, pc.add(rank, length).cast(pa.int32()))
