"""Values that a user gives for a property → values as they are stored, or TypeMismatch with the property's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from belvedere.algebra.types import DataType
from belvedere.changes.bad_value import BadValue, show
from belvedere.changes.convert import converter, unwrap
from belvedere.changes.convert_nested import fields_of
from belvedere.errors import TypeMismatch, UnknownName, suggest
from belvedere.objects.canonical import arranged, sort_key
from belvedere.objects.literal import literal
from belvedere.objects.model import ObjectModel
from belvedere.objects.oid import Oid
from belvedere.objects.types import CollectionType, DictionaryType, Enum, OType, Primitive, Ref, StructType

_BY_WORD = ("char", "time", "interval")


class Values:
    """`refer` is told of every reference, and where it was given."""

    def __init__(self, model: Callable[[], ObjectModel], refer: Callable[[int, str], None]) -> None:
        self._model = model
        self._refer = refer
        self._converters: dict[DataType, Callable[[Any], Any]] = {}

    def stored(self, t: OType, value: Any, where: str) -> Any:
        value = unwrap(value)
        if isinstance(t, CollectionType):
            return self.collection(t, () if value is None else value, where)
        if isinstance(t, DictionaryType):
            return self._dictionary(t, {} if value is None else value, where)
        if value is None:
            return None
        match t:
            case Primitive():
                return self._primitive(t, value, where)
            case Ref():
                return self.reference(t, value, where)
            case StructType():
                return self._struct(t, value, where)
            case Enum():
                return self._literal(t, value, where)
        raise AssertionError(f"{t} is no type of a property")

    def _literal(self, t: OType, value: Any, where: str) -> Any:
        try:
            return literal(t, value)
        except TypeMismatch as e:
            raise TypeMismatch(f"{where}: {e.message}") from e

    def _primitive(self, t: Primitive, value: Any, where: str) -> Any:
        if t.name in _BY_WORD:
            return self._literal(t, value, where)
        convert = self._converters.get(t.data)
        if convert is None:
            convert = self._converters[t.data] = converter(t.data)
        try:
            return self._literal(t, convert(value), where)
        except BadValue as bad:
            hint = f"; {bad.hint}" if bad.hint else ""
            raise TypeMismatch(f"{where}: {show(bad.value)} is not a value of type {t}{hint}") from None

    def reference(self, t: Ref, value: Any, where: str) -> int:
        """An oid of the class or of one below it. Whether the object is there is asked later, of all at once."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeMismatch(f"{where}: {show(value)} is not a reference to {t.cls}; give the Oid of an object, or None")
        model = self._model()
        found = model.class_of(value)
        if found is None:
            raise UnknownName(f"{where}: there is no object {int(value)}; give the Oid of an object of {t.cls}, or None")
        if t.cls not in model.above(found.name):
            raise TypeMismatch(f"{where}: {Oid(value, found.name)!r} is an object of {found.name}, and {t.cls} is expected")
        oid = int(value)
        self._refer(oid, where)
        return oid

    def collection(self, t: CollectionType, value: Any, where: str) -> list[Any]:
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
            raise TypeMismatch(f"{where}: {show(value)} is not a {t}; give a list, a tuple or a set")
        return arranged(t.kind, t.element, [self.element(t, v, where) for v in value])

    def element(self, t: CollectionType, value: Any, where: str) -> Any:
        """A member of a collection; nil is no object, so it cannot be a member among objects."""
        if value is None and isinstance(t.element, Ref):
            raise TypeMismatch(f"{where}: nil is no member of a {t}; leave it out")
        return self.stored(t.element, value, where)

    def _dictionary(self, t: DictionaryType, value: Any, where: str) -> list[tuple[Any, Any]]:
        pairs = list(value.items()) if isinstance(value, Mapping) else value
        if not isinstance(pairs, (list, tuple)) or any(not isinstance(p, (list, tuple)) or len(p) != 2 for p in pairs):
            raise TypeMismatch(f"{where}: {show(value)} is not a {t}; give a dict")
        found: dict[Any, tuple[Any, Any]] = {}
        for k, v in pairs:
            key, item = self.pair(t, k, v, where)
            mark = sort_key(t.key, key)
            if mark in found:
                raise TypeMismatch(f"{where}: the key {show(k)} is there twice")
            found[mark] = (key, item)
        return [found[m] for m in sorted(found)]

    def pair(self, t: DictionaryType, key: Any, value: Any, where: str) -> tuple[Any, Any]:
        if key is None:
            raise TypeMismatch(f"{where}: nil is no key of a {t}")
        return self.stored(t.key, key, where), self.stored(t.value, value, where)

    def _struct(self, t: StructType, value: Any, where: str) -> dict[str, Any]:
        names = [n for n, _ in t.fields]
        parts = fields_of(value.asdict() if hasattr(value, "asdict") else value)
        if parts is None:
            if not isinstance(value, tuple) or len(value) != len(names):
                raise TypeMismatch(f"{where}: {show(value)} is not a {t}; give a dict with the fields {', '.join(names)}")
            parts = dict(zip(names, value, strict=True))
        for n in parts:
            if n not in names:
                raise UnknownName(f"{where}: the struct has no field {n!r}{suggest(str(n), names)}")
        return {n: self.stored(f, parts.get(n), f"{where}.{n}") for n, f in t.fields}
