"""The object model as a JSON document of the catalog, and back."""

from __future__ import annotations

from typing import Any

from belvedere.objects.model import Backwards, ClassDef, InColumn, Linked, ObjectModel, Property, Storage
from belvedere.objects.types import (
    PRIMITIVES,
    CollectionType,
    DictionaryType,
    Enum,
    OType,
    Primitive,
    Ref,
    StructType,
)


def write_model(model: ObjectModel) -> dict[str, Any]:
    return {
        "classes": [_write_class(c) for c in model.classes.values()],
        "types": [[n, write_type(t)] for n, t in model.types.items()],
        "constants": [[n, write_type(t), v] for n, (t, v) in model.constants.items()],
    }


def read_model(document: dict[str, Any]) -> ObjectModel:
    return ObjectModel(
        {c["name"]: _read_class(c) for c in document["classes"]},
        {n: read_type(t) for n, t in document["types"]},
        {n: (read_type(t), v) for n, t, v in document["constants"]},
    )


def write_type(t: OType) -> Any:
    match t:
        case Primitive(name=name):
            return name
        case Enum(name=name, members=members):
            return ["enum", name, list(members)]
        case Ref(cls=cls):
            return ["ref", cls]
        case StructType(fields=fields):
            return ["struct", [[n, write_type(f)] for n, f in fields]]
        case CollectionType(kind=kind, element=element):
            return [kind, write_type(element)]
        case DictionaryType(key=key, value=value):
            return ["dictionary", write_type(key), write_type(value)]
    raise AssertionError(f"{t} is no type of a property")


def read_type(document: Any) -> OType:
    match document:
        case str():
            return PRIMITIVES[document]
        case ["enum", name, members]:
            return Enum(name, tuple(members))
        case ["ref", cls]:
            return Ref(cls)
        case ["struct", fields]:
            return StructType(tuple((n, read_type(f)) for n, f in fields))
        case ["dictionary", key, value]:
            return DictionaryType(read_type(key), read_type(value))
        case [kind, element]:
            return CollectionType(kind, read_type(element))
    raise AssertionError(f"{document!r} is no type")


def _write_class(c: ClassDef) -> dict[str, Any]:
    return {
        "name": c.name, "number": c.number, "table": c.table, "extent": c.extent, "parents": list(c.parents),
        "own": [_write_property(p) for p in c.own], "keys": [list(k) for k in c.keys],
    }  # fmt: skip


def _read_class(d: dict[str, Any]) -> ClassDef:
    return ClassDef(
        d["name"], d["number"], d["table"], d["extent"], tuple(d["parents"]),
        tuple(_read_property(p, d["name"]) for p in d["own"]), tuple(tuple(k) for k in d["keys"]),
    )  # fmt: skip


def _write_property(p: Property) -> dict[str, Any]:
    return {
        "name": p.name, "type": write_type(p.type), "storage": _write_storage(p.storage),
        "inverse": list(p.inverse) if p.inverse else None, "readonly": p.readonly,
    }  # fmt: skip


def _read_property(d: dict[str, Any], cls: str) -> Property:
    inverse = (d["inverse"][0], d["inverse"][1]) if d["inverse"] else None
    return Property(d["name"], read_type(d["type"]), cls, _read_storage(d["storage"]), inverse, d["readonly"])


def _write_storage(s: Storage) -> list[Any]:
    match s:
        case InColumn(column=column):
            return ["column", column]
        case Backwards(cls=cls, table=table, column=column):
            return ["backwards", cls, table, column]
        case Linked(table=table, owner=owner, member=member, ordered=ordered):
            return ["linked", table, owner, member, ordered]


def _read_storage(d: list[Any]) -> Storage:
    match d:
        case ["column", column]:
            return InColumn(column)
        case ["backwards", cls, table, column]:
            return Backwards(cls, table, column)
        case ["linked", table, owner, member, ordered]:
            return Linked(table, owner, member, ordered)
    raise AssertionError(f"{d!r} is no place")
