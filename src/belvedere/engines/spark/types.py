"""Our types in Spark's DDL, and Spark's own classes as ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belvedere.algebra import types as ours
from belvedere.algebra.types import Column, DataType, Schema
from belvedere.engines.spark.dialect import type_text
from belvedere.errors import TypeMismatch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SIMPLE: dict[str, DataType] = {
    "BooleanType": ours.Boolean(), "ByteType": ours.TinyInt(), "ShortType": ours.SmallInt(), "IntegerType": ours.Int(),
    "LongType": ours.BigInt(), "FloatType": ours.Float(), "DoubleType": ours.Double(), "StringType": ours.String(),
    "VarcharType": ours.String(), "CharType": ours.String(), "BinaryType": ours.Binary(), "DateType": ours.Date(),
    "TimestampType": ours.Timestamp(), "TimestampNTZType": ours.TimestampNtz(), "NullType": ours.Void(),
    "VariantType": ours.Variant(),
}  # fmt: skip


def ddl(columns: list[tuple[str, DataType]]) -> str:
    """A list of columns in Spark's DDL, for readers."""
    return ", ".join(f"`{n}` {type_text(t)}" for n, t in columns)


def schema_of(frame: DataFrame) -> Schema:
    """The schema of a DataFrame in our types."""
    return Schema(tuple(Column(f.name, from_spark(f.dataType)) for f in frame.schema.fields))


def from_spark(t: Any) -> DataType:
    """Goes by the names of Spark's classes, so that nothing of Spark is imported to ask."""
    kind = type(t).__name__
    if kind == "DecimalType":
        return ours.Decimal(t.precision, t.scale)
    if kind == "ArrayType":
        return ours.Array(from_spark(t.elementType))
    if kind == "MapType":
        return ours.Map(from_spark(t.keyType), from_spark(t.valueType))
    if kind == "StructType":
        return ours.Struct(tuple((f.name, from_spark(f.dataType)) for f in t.fields))
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    raise TypeMismatch(f"Spark's type {t.simpleString()} cannot be stored; cast it first")
