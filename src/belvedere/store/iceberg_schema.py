"""A collection's columns as an Iceberg schema, with the very field ids that its data files carry."""

from __future__ import annotations

from collections.abc import Iterator

from pyiceberg import types as ice
from pyiceberg.schema import Schema as IcebergSchema

from belvedere.algebra import types as t
from belvedere.errors import StoreError
from belvedere.store.physical import WEIGHT, WEIGHT_ID, child_ids

_SIMPLE: dict[type[t.DataType], ice.PrimitiveType] = {
    t.Boolean: ice.BooleanType(), t.TinyInt: ice.IntegerType(), t.SmallInt: ice.IntegerType(), t.Int: ice.IntegerType(),
    t.BigInt: ice.LongType(), t.Float: ice.FloatType(), t.Double: ice.DoubleType(), t.String: ice.StringType(),
    t.Binary: ice.BinaryType(), t.Date: ice.DateType(), t.Timestamp: ice.TimestamptzType(), t.TimestampNtz: ice.TimestampType(),
    t.Variant: ice.StringType(),
}  # fmt: skip


def iceberg_schema(schema: t.Schema, schema_id: int, *, weight: bool) -> IcebergSchema:
    """Real names over our ids."""
    void = [c.name for c in schema if c.type.contains(t.Void)]
    if void:
        raise StoreError(f"column {void[0]!r} is of type void, which Iceberg does not have; cast it to a type")
    fields = [_field(c.name, c.type, c.id, child_ids(c.id)) for c in schema]
    if weight:
        fields.append(ice.NestedField(WEIGHT_ID, weight_name(schema), ice.LongType(), required=False))
    return IcebergSchema(*fields, schema_id=schema_id)


def weight_name(schema: t.Schema) -> str:
    """`_w`, with more underscores where a column has that name."""
    name = WEIGHT
    while name in schema:
        name = "_" + name
    return name


def _field(name: str, dt: t.DataType, number: int, ids: Iterator[int]) -> ice.NestedField:
    return ice.NestedField(number, name, _type(dt, ids), required=False)


def _type(dt: t.DataType, ids: Iterator[int]) -> ice.IcebergType:
    match dt:
        case t.Decimal(precision=p, scale=s):
            return ice.DecimalType(p, s)
        case t.Array(element=e):
            number = next(ids)
            return ice.ListType(element_id=number, element=_type(e, ids), element_required=False)
        case t.Map(key=k, value=v):
            key_id = next(ids)
            key = _type(k, ids)
            value_id = next(ids)
            return ice.MapType(key_id=key_id, key_type=key, value_id=value_id, value_type=_type(v, ids), value_required=False)
        case t.Struct(fields=fs):
            return ice.StructType(*[_field(n, ft, next(ids), ids) for n, ft in fs])
        case _:
            return _SIMPLE[type(dt)]
