"""Collections as JSON for the catalog. Types are trees, not DDL text, so that no field name can be misread."""

from __future__ import annotations

import json
from typing import Any

from belvedere.algebra import types as t
from belvedere.errors import StoreError
from belvedere.store.model import Collection

_SIMPLE: dict[str, t.DataType] = {
    str(s): s
    for s in (
        t.Void(), t.Boolean(), t.TinyInt(), t.SmallInt(), t.Int(), t.BigInt(), t.Float(), t.Double(), t.String(), t.Binary(),
        t.Date(), t.Timestamp(), t.TimestampNtz(), t.Variant(),
    )
}  # fmt: skip


_JSON = json.JSONEncoder(separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def dumps(value: Any) -> str:
    """Compact JSON with sorted keys: equal values give equal text."""
    return _JSON.encode(value)


def encode_type(dt: t.DataType) -> Any:
    match dt:
        case t.Decimal(precision=p, scale=s):
            return ["decimal", p, s]
        case t.Array(element=e):
            return ["array", encode_type(e)]
        case t.Map(key=k, value=v):
            return ["map", encode_type(k), encode_type(v)]
        case t.Struct(fields=fs):
            return ["struct", [[n, encode_type(ft)] for n, ft in fs]]
        case _:
            return str(dt)


def decode_type(value: Any) -> t.DataType:
    match value:
        case str() if value in _SIMPLE:
            return _SIMPLE[value]
        case ["decimal", int(p), int(s)]:
            return t.Decimal(p, s)
        case ["array", e]:
            return t.Array(decode_type(e))
        case ["map", k, v]:
            return t.Map(decode_type(k), decode_type(v))
        case ["struct", list(fs)]:
            return t.Struct(tuple((n, decode_type(ft)) for n, ft in fs))
        case _:
            raise StoreError(f"the catalog holds the unknown type {value!r}; it was changed by something else")


def encode_collection(c: Collection) -> str:
    """All of a collection but its id, name and kind, which are columns of the catalog."""
    return dumps(
        {
            "columns": [[col.id, col.name, encode_type(col.type)] for col in c.schema],
            "key": c.key, "sort": c.sort, "arrangements": c.arrangements, "next": c.next_id, "properties": c.properties,
        }
    )  # fmt: skip


def decode_collection(number: int, name: str, kind: str, body: str, version: int) -> Collection:
    d = json.loads(body)
    return Collection(
        id=number,
        name=name,
        kind=kind,
        schema=t.Schema(tuple(t.Column(n, decode_type(ct), i) for i, n, ct in d["columns"])),
        key=tuple(d["key"]),
        sort=tuple(d["sort"]),
        arrangements=tuple(tuple(a) for a in d["arrangements"]),
        next_id=d["next"],
        properties=d["properties"],
        version=version,
    )
