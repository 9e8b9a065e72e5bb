"""Many objects at once, column by column in Arrow.

Columns and link tables are written whole. Where the other side of a relationship is a single reference, objects that were there
before change, and may leave others for it: that goes through the session, which reads all the objects it needs at once.
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
from belvedere.objects.model import OID, InColumn, Property
from belvedere.objects.types import Ref, data_type
from belvedere.warehouse.objects.batch_links import write_links
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
    _check_alive(session, converted)
    apart = [p for n, p in properties.items() if n in values and _needs_others(session, p)]
    _write_rows(session, cls, oids, {n: v for n, v in values.items() if properties[n] not in apart})
    for n, v in values.items():
        if properties[n] not in apart:
            write_links(session, properties[n], oids, v)
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
    """Whether setting the property of a new object changes what other objects hold in a single reference."""
    return p.inverse is not None and isinstance(other_side(session.model, p).storage, InColumn)


def _check_alive(session: Session, converted: BatchColumns) -> None:
    """Every object referred to is there; one lookup per class."""
    for number, (oids, where) in converted.references().items():
        cls = next(c.name for c in session.model.classes.values() if c.number == number)
        asked = pc.unique(oids)
        alive = find(session.tx, session.table(cls), {OID: asked}, [OID])[OID]
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


def _relate(session: Session, p: Property, oids: pa.Array, values: pa.Array) -> None:
    """The other sides, object by object, in order, with everything read before."""
    relations = Relations(session)
    single = isinstance(p.type, Ref)
    filled = pc.is_valid(values) if single else pc.greater(pc.list_value_length(values), 0)
    owners, held = oids.filter(filled).to_pylist(), values.filter(filled).to_pylist()
    session.load(owners)
    relations.read_ahead(p, [(o, m) for o, h in zip(owners, held, strict=True) for m in ([h] if single else h)])
    for oid, value in zip(owners, held, strict=True):
        if single:
            relations.set_single(session.get(oid), p, value)
        else:
            relations.replace(session.get(oid), p, value, before=[])


