"""The types of values, with Spark's names and meaning.

One immutable class per family; `parse_type("array<struct<a:int>>")` reads Spark's DDL, `str(t)` writes it.
Every type is nullable. `to_arrow`/`from_arrow` are exact inverses for every type that can be stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import sqlglot
from sqlglot import exp

from belvedere.errors import TypeMismatch


@dataclass(frozen=True)
class DataType:
    """A type of values. Compare with ==; print with str()."""

    def __str__(self) -> str:
        return _SIMPLE_NAMES[type(self)]

    @property
    def is_numeric(self) -> bool:
        return isinstance(self, (Integral, Fractional, Decimal))

    @property
    def is_exact(self) -> bool:
        """Addition and subtraction are exact, so a sum can be undone."""
        return isinstance(self, (Integral, Decimal))

    @property
    def children(self) -> tuple[DataType, ...]:
        return ()

    def contains(self, kind: type[DataType]) -> bool:
        return isinstance(self, kind) or any(c.contains(kind) for c in self.children)


class Integral(DataType): ...


class Fractional(DataType): ...


@dataclass(frozen=True)
class Void(DataType):
    """The type of a bare NULL."""


@dataclass(frozen=True)
class Boolean(DataType): ...


@dataclass(frozen=True)
class TinyInt(Integral): ...


@dataclass(frozen=True)
class SmallInt(Integral): ...


@dataclass(frozen=True)
class Int(Integral): ...


@dataclass(frozen=True)
class BigInt(Integral): ...


@dataclass(frozen=True)
class Float(Fractional): ...


@dataclass(frozen=True)
class Double(Fractional): ...


@dataclass(frozen=True)
class Decimal(DataType):
    precision: int = 10
    scale: int = 0

    def __post_init__(self) -> None:
        if not (1 <= self.precision <= 38 and 0 <= self.scale <= self.precision):
            raise TypeMismatch(f"decimal({self.precision},{self.scale}) is not a type: 1 <= precision <= 38, scale <= precision")

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


@dataclass(frozen=True)
class String(DataType): ...


@dataclass(frozen=True)
class Binary(DataType): ...


@dataclass(frozen=True)
class Date(DataType): ...


@dataclass(frozen=True)
class Timestamp(DataType):
    """An instant (Spark's TIMESTAMP). Sessions run in UTC."""


@dataclass(frozen=True)
class TimestampNtz(DataType):
    """A wall-clock time without a zone."""


@dataclass(frozen=True)
class Variant(DataType):
    """Semi-structured value; stored as JSON text."""


@dataclass(frozen=True)
class Array(DataType):
    element: DataType

    def __str__(self) -> str:
        return f"array<{self.element}>"

    @property
    def children(self) -> tuple[DataType, ...]:
        return (self.element,)


@dataclass(frozen=True)
class Map(DataType):
    key: DataType
    value: DataType

    def __str__(self) -> str:
        return f"map<{self.key},{self.value}>"

    @property
    def children(self) -> tuple[DataType, ...]:
        return (self.key, self.value)


@dataclass(frozen=True)
class Struct(DataType):
    fields: tuple[tuple[str, DataType], ...]

    def __str__(self) -> str:
        return "struct<" + ",".join(f"{quote_name(n)}:{t}" for n, t in self.fields) + ">"

    @property
    def children(self) -> tuple[DataType, ...]:
        return tuple(t for _, t in self.fields)

    def field(self, name: str) -> tuple[str, DataType] | None:
        """The field of that name, without regard to case; an exact match wins."""
        exact = [f for f in self.fields if f[0] == name]
        loose = [f for f in self.fields if f[0].lower() == name.lower()]
        return next(iter(exact or loose), None)


_SIMPLE_NAMES: dict[type[DataType], str] = {
    Void: "void", Boolean: "boolean", TinyInt: "tinyint", SmallInt: "smallint", Int: "int", BigInt: "bigint",
    Float: "float", Double: "double", String: "string", Binary: "binary", Date: "date",
    Timestamp: "timestamp", TimestampNtz: "timestamp_ntz", Variant: "variant",
}  # fmt: skip

_ARROW: dict[type[DataType], pa.DataType] = {
    Void: pa.null(), Boolean: pa.bool_(), TinyInt: pa.int8(), SmallInt: pa.int16(), Int: pa.int32(), BigInt: pa.int64(),
    Float: pa.float32(), Double: pa.float64(), String: pa.string(), Binary: pa.binary(), Date: pa.date32(),
    Timestamp: pa.timestamp("us", tz="UTC"), TimestampNtz: pa.timestamp("us"), Variant: pa.string(),
}  # fmt: skip


def to_arrow(t: DataType) -> pa.DataType:
    match t:
        case Decimal(precision=p, scale=s):
            return pa.decimal128(p, s)
        case Array(element=e):
            return pa.list_(pa.field("element", to_arrow(e)))
        case Map(key=k, value=v):
            return pa.map_(to_arrow(k), to_arrow(v))
        case Struct(fields=fs):
            return pa.struct([pa.field(n, to_arrow(ft)) for n, ft in fs])
        case _:
            return _ARROW[type(t)]


def from_arrow(t: pa.DataType) -> DataType:
    """The type that stores values of an Arrow type (unsigned and small ones widen)."""
    if pa.types.is_dictionary(t):
        return from_arrow(t.value_type)
    if pa.types.is_decimal(t):
        return Decimal(t.precision, t.scale)
    if pa.types.is_timestamp(t):
        return Timestamp() if t.tz else TimestampNtz()
    if pa.types.is_date(t):
        return Date()
    if pa.types.is_map(t):
        return Map(from_arrow(t.key_type), from_arrow(t.item_type))
    if pa.types.is_struct(t):
        return Struct(tuple((f.name, from_arrow(f.type)) for f in t))
    if pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t) or pa.types.is_list_view(t):
        return Array(from_arrow(t.value_type))
    if pa.types.is_large_string(t) or pa.types.is_string_view(t):
        return String()
    if pa.types.is_large_binary(t) or pa.types.is_fixed_size_binary(t) or pa.types.is_binary_view(t):
        return Binary()
    widened: dict[pa.DataType, DataType] = {
        pa.uint8(): SmallInt(), pa.uint16(): Int(), pa.uint32(): BigInt(), pa.uint64(): Decimal(20, 0), pa.float16(): Float(),
    }  # fmt: skip
    if t in widened:
        return widened[t]
    for ours, arrow in _ARROW.items():
        if arrow == t and ours is not Variant:
            return ours()
    raise TypeMismatch(f"values of the Arrow type {t} cannot be stored; cast them first")


@dataclass(frozen=True)
class Column:
    """A named, typed column. `id` is its permanent field id in a stored collection, 0 elsewhere."""

    name: str
    type: DataType
    id: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Schema:
    """An ordered set of columns with names that are unique, exactly as written."""

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        names = [c.name for c in self.columns]
        if len(set(names)) != len(names):
            twice = sorted({n for n in names if names.count(n) > 1})
            raise TypeMismatch(f"column name used twice: {', '.join(twice)}")

    @staticmethod
    def of(**columns: DataType | str) -> Schema:
        return Schema(tuple(Column(n, parse_type(t) if isinstance(t, str) else t) for n, t in columns.items()))

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, name: str) -> bool:
        return any(c.name == name for c in self.columns)

    def __getitem__(self, name: str) -> Column:
        for c in self.columns:
            if c.name == name:
                return c
        raise KeyError(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def select(self, names: tuple[str, ...]) -> Schema:
        return Schema(tuple(self[n] for n in names))

    def __str__(self) -> str:
        return ", ".join(f"{quote_name(c.name)} {c.type}" for c in self.columns)


def quote_name(name: str) -> str:
    """A name as Spark's DDL writes it: bare if it is a plain identifier, else in backticks."""
    if name.isascii() and name.isidentifier():
        return name
    return "`" + name.replace("`", "``") + "`"


_SQLGLOT: dict[str, DataType] = {
    "BOOLEAN": Boolean(), "TINYINT": TinyInt(), "SMALLINT": SmallInt(), "INT": Int(), "BIGINT": BigInt(),
    "FLOAT": Float(), "DOUBLE": Double(), "TEXT": String(), "VARCHAR": String(), "CHAR": String(), "BINARY": Binary(),
    "VARBINARY": Binary(), "DATE": Date(), "TIMESTAMP": Timestamp(), "TIMESTAMPTZ": Timestamp(), "TIMESTAMPLTZ": Timestamp(),
    "TIMESTAMPNTZ": TimestampNtz(), "VARIANT": Variant(), "NULL": Void(), "DATETIME": TimestampNtz(),
}  # fmt: skip


def from_sqlglot(node: exp.DataType) -> DataType:
    """Our type for a parsed one."""
    kind = node.this.name if isinstance(node.this, exp.DataType.Type) else str(node.this)
    args = node.expressions
    if kind in ("DECIMAL", "BIGDECIMAL"):
        numbers = [int(a.name) for a in args]
        return Decimal(*(numbers or [10, 0]))
    if kind in ("ARRAY", "LIST") and args:
        return Array(from_sqlglot(args[0]))
    if kind == "MAP" and len(args) == 2:
        return Map(from_sqlglot(args[0]), from_sqlglot(args[1]))
    if kind in ("STRUCT", "OBJECT"):
        return Struct(tuple((a.name, from_sqlglot(a.args["kind"])) for a in args))
    if kind in _SQLGLOT:
        return _SQLGLOT[kind]
    raise TypeMismatch(f"unknown type {node.sql('spark')}; use Spark's types, such as bigint, string, decimal(12,2), array<int>")


def parse_type(text: str) -> DataType:
    """Read one type in Spark's DDL.

    >>> str(parse_type("array<struct<a:int,b:decimal(5,2)>>"))
    'array<struct<a:int,b:decimal(5,2)>>'
    """
    try:
        node = exp.DataType.build(text, dialect="spark")
    except sqlglot.errors.SqlglotError as e:
        raise TypeMismatch(f"cannot read the type {text!r}") from e
    return from_sqlglot(node)


def parse_schema(text: str) -> Schema:
    """Read a Spark DDL column list.

    >>> parse_schema("id bigint, tags array<string>").names
    ('id', 'tags')
    """
    try:
        table = sqlglot.parse_one(f"create table t ({text})", dialect="spark")
    except sqlglot.errors.SqlglotError as e:
        raise TypeMismatch(f"cannot read the schema {text!r}; write it as 'name type, name type'") from e
    defs = list(table.this.expressions) if isinstance(table, exp.Create) and isinstance(table.this, exp.Schema) else []
    columns = []
    for d in defs:
        if not isinstance(d, exp.ColumnDef) or d.args.get("kind") is None:
            raise TypeMismatch(f"cannot read the column {d.sql('spark')!r} of the schema; write 'name type'")
        columns.append(Column(d.name, from_sqlglot(d.args["kind"])))
    if not columns:
        raise TypeMismatch(f"the schema {text!r} has no columns")
    return Schema(tuple(columns))
