"""Results as plain Python.

A set is a frozenset, or a list in canonical order where a member cannot be hashed; a bag is a list in canonical order; a list or
array is a list; a dictionary is a dict; a struct is a Record; a reference is an Oid, nil is None; a time is a datetime.time, an
interval a timedelta. UNDEFINED is None.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from belvedere.objects.model import ObjectModel
from belvedere.objects.oid import Oid
from belvedere.objects.types import CollectionType, DictionaryType, OType, Primitive, Ref, StructType


class Record:
    """A struct: fields by attribute, by name and in order; equal by value.

    >>> r = Record(name="Ann", age=41)
    >>> r.name, r["age"], r
    ('Ann', 41, Record(name='Ann', age=41))
    """

    __slots__ = ("_fields",)
    _fields: dict[str, Any]

    def __init__(self, fields: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        object.__setattr__(self, "_fields", {**(fields or {}), **more})

    def __getattr__(self, name: str) -> Any:
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"no field {name!r}; there are {', '.join(self._fields)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a record does not change")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and list(self._fields.items()) == list(other._fields.items())

    def __hash__(self) -> int:
        return hash(tuple(self._fields.items()))

    def __repr__(self) -> str:
        return f"Record({', '.join(f'{n}={v!r}' for n, v in self._fields.items())})"

    def __reduce__(self) -> tuple[type[Record], tuple[dict[str, Any]]]:
        return Record, (dict(self._fields),)

    def asdict(self) -> dict[str, Any]:
        return dict(self._fields)


def decode(rows: pa.Table | Iterable[Mapping[str, Any]], t: OType, members: bool, model: ObjectModel | None = None) -> Any:
    """The whole result from its rows. `members`: each row is a member (see OqlBound)."""
    found = rows.to_pylist() if isinstance(rows, pa.Table) else list(rows)
    if members:
        assert isinstance(t, CollectionType)
        return _collected(t.kind, [_row(r, t.element, model) for r in found])
    if len(found) != 1:
        raise ValueError(f"one row is expected, and there are {len(found)}")
    return _row(found[0], t, model)


def _row(row: Mapping[str, Any], t: OType, model: ObjectModel | None) -> Any:
    values = list(row.values())
    if isinstance(t, StructType):
        return Record({n: value(v, ft, model) for (n, ft), v in zip(t.fields, values, strict=True)})
    return value(values[0], t, model)


def value(v: Any, t: OType, model: ObjectModel | None = None) -> Any:
    """One value."""
    if v is None:
        return _collected(t.kind, []) if isinstance(t, CollectionType) else None
    match t:
        case CollectionType(kind=kind, element=e):
            return _collected(kind, [value(x, e, model) for x in v])
        case StructType(fields=fields):
            return Record({n: value(v[n], ft, model) for n, ft in fields})
        case DictionaryType(key=k, value=item):
            pairs = v.items() if isinstance(v, Mapping) else v
            return {value(a, k, model): value(b, item, model) for a, b in pairs}
        case Ref(cls=cls):
            made = model.class_of(v) if model is not None else None
            return Oid(v, made.name if made is not None else cls)
        case Primitive(name="time"):
            return (dt.datetime.min + dt.timedelta(microseconds=v)).time()
        case Primitive(name="interval"):
            return dt.timedelta(microseconds=v)
        case _:
            return v


def _collected(kind: str, items: Sequence[Any]) -> Any:
    if kind != "set":
        return list(items)
    try:
        return frozenset(items)
    except TypeError:
        return list(items)
