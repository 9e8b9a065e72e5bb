"""Many objects at once, column by column in Arrow.

Columns and link tables without an inverse of their own are written whole. What must change other objects (the other side of a
1:1 or of an ordered relationship, a collection that is kept backwards) goes through the session after them, which reads all
the objects it needs at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.types import Column, Schema, to_arrow
from belvedere.changes.forms import Columns, as_frame, as_rows, rows_to_columns
from belvedere.changes.names import resolve_all
from belvedere.changes.zset import weighted
from belvedere.errors import UnknownName
from belvedere.objects.layout import other_side
from belvedere.objects.model import MEMBER, OID, OWNER, POSITION, Backwards, Linked, Property
from belvedere.objects.types import CollectionType, Ref, data_type
from belvedere.warehouse.objects.columns import BatchColumns
from belvedere.warehouse.objects.reading import find
from belvedere.warehouse.objects.relate import Relations
from belvedere.warehouse.objects.session import empty

if TYPE_CHECKING:
    from belvedere.warehouse.objects.session import Session


def new_many(session: Session, cls: str, data: Any) -> pa.Array:
    """The oids of the new objects, in the order of the rows."""
    session.forget()
    properties = session.properties(cls)
    given = _columns(session, cls, data)
    start = session.reserve(cls, given.rows)
    oids = pa.array(range(start, start + given.rows), pa.int64())
    if not given.rows:
        return oids
    converted = BatchColumns(session, cls)
    values = {n: converted.convert(properties[n], v) for n, v in given.values.items()}
    _check_alive(session, cls, converted, start, given.rows)
    apart = [p for n, p in properties.items() if n in values and _needs_others(session, p)]
    _write_rows(session, cls, oids, {n: v for n, v in values.items() if properties[n] not in apart})
    for n, v in values.items():
        storage = properties[n].storage
        if isinstance(storage, Linked) and properties[n] not in apart:
            _write_links(session, properties[n], storage, oids, v)
    for p in apart:
        _relate(session, p, oids, values[p.name])
    return oids


def _columns(session: Session, cls: str, data: Any) -> Columns:
    """What was handed over, by property."""
    schema = Schema(tuple(Column(n, data_type(p.type)) for n, p in session.properties(cls).items()))
    what = f"class {cls}"
    frame = as_frame(data, what)
    if frame is None:
        return rows_to_columns(as_rows(data, what), schema, what, partial=False)
    names = resolve_all(frame.values, schema, what)
    return Columns({names[n]: v for n, v in frame.values.items()}, frame.rows)


def _needs_others(session: Session, p: Property) -> bool:
    """Whether setting the property of a new object changes rows of other objects, or reads their lists."""
    if p.inverse is None:
        return False
    q = other_side(session.model, p)
    if isinstance(q.storage, Linked) and isinstance(p.storage, Linked):
        return q.storage.table != p.storage.table or (p.cls, p.name) == (q.cls, q.name)
    return not isinstance(q.storage, Backwards)


def _check_alive(session: Session, cls: str, converted: BatchColumns, start: int, rows: int) -> None:
    """Every object referred to is there; one lookup per class."""
    model = session.model
    for number, (oids, where) in converted.references().items():
        found = next(c for c in model.classes.values() if c.number == number)
        own = range(start, start + rows) if found.name == cls else range(0)
        asked = pc.unique(oids)
        if len(own):
            inside = pc.and_(pc.greater_equal(asked, own.start), pc.less(asked, own.stop))
            asked = asked.filter(pc.invert(inside))
        alive = find(session.tx, session.table(found.name), {OID: asked}, [OID])[OID]
        missing = asked.filter(pc.invert(pc.is_in(asked, value_set=alive.combine_chunks())))
        if len(missing):
            gone = session.named(missing[0].as_py())
            more = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
            raise UnknownName(f"{where}: there is no object {gone!r}{more}; it was deleted, or never made")


def _write_rows(session: Session, cls: str, oids: pa.Array, values: dict[str, Any]) -> None:
    """A row in the table of the class and of every class above it."""
    properties = session.properties(cls)
    for name in session.model.above(cls):
        c = session.table(name)
        arrays: list[Any] = []
        for x in c.schema:
            if x.name == OID:
                arrays.append(oids)
            elif x.name in values:
                arrays.append(values[x.name])
            else:
                none = pa.scalar(empty(properties[x.name]), to_arrow(x.type))
                arrays.append(pa.repeat(none, len(oids)))
        session.tx.write(c, weighted(pa.Table.from_arrays(arrays, names=list(c.schema.names))))


def _write_links(session: Session, p: Property, storage: Linked, oids: pa.Array, lists: pa.Array) -> None:
    """The rows of a link table, one for each member of each list."""
    c = session.tx.registry.collection(storage.table)
    parents = pc.list_parent_indices(lists)
    columns = {OWNER: oids.take(parents), MEMBER: pc.list_flatten(lists)}
    if storage.owner == MEMBER:
        columns = {OWNER: columns[MEMBER], MEMBER: columns[OWNER]}
    assert isinstance(p.type, CollectionType)
    if storage.ordered:
        offsets = pc.subtract(lists.offsets, lists.offsets[0]).take(parents)
        columns[POSITION] = pc.subtract(pa.array(range(len(parents)), pa.int64()), offsets.cast(pa.int64())).cast(pa.int32())
    table = pa.table(columns)
    if p.type.kind == "set" or p.inverse is not None:
        table = table.group_by([OWNER, MEMBER], use_threads=False).aggregate([])
    session.tx.write(c, weighted(table.select(list(c.schema.names))))


def _relate(session: Session, p: Property, oids: pa.Array, values: pa.Array) -> None:
    """The other sides, object by object, in order, with everything read before."""
    relations = Relations(session)
    single = isinstance(p.type, Ref)
    filled = pc.is_valid(values) if single else pc.greater(pc.list_value_length(values), 0)
    owners, held = oids.filter(filled).to_pylist(), values.filter(filled).to_pylist()
    session.load(owners)
    relations.read_ahead(p, owners, [m for h in held for m in ([h] if single else h)])
    for oid, value in zip(owners, held, strict=True):
        if single:
            relations.set_single(session.get(oid), p, value)
        else:
            relations.replace(session.get(oid), p, value, before=[])


