"""Types of OQL among each other: which type two have in common, which can be compared, what a word or a column means."""

from __future__ import annotations

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.typing import coerce
from belvedere.languages.oql import ast
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import (
    PRIMITIVES,
    CollectionKind,
    CollectionType,
    DictionaryType,
    Enum,
    Nil,
    OType,
    Primitive,
    Ref,
    StructType,
)

LONG, LONG_LONG, DOUBLE = PRIMITIVES["long"], PRIMITIVES["long long"], PRIMITIVES["double"]
BOOLEAN, STRING, CHAR = PRIMITIVES["boolean"], PRIMITIVES["string"], PRIMITIVES["char"]
#: the type of a bare `undefined`
UNDEFINED = Primitive("undefined", T.Void())

_BY_DATA: dict[T.DataType, Primitive] = {
    T.SmallInt(): PRIMITIVES["short"], T.Int(): LONG, T.BigInt(): LONG_LONG, T.Float(): PRIMITIVES["float"], T.Double(): DOUBLE,
    T.Boolean(): BOOLEAN, T.String(): STRING, T.Date(): PRIMITIVES["date"], T.Timestamp(): PRIMITIVES["timestamp"],
    T.Void(): UNDEFINED,
}  # fmt: skip
#: kept as numbers, and not numbers
_CLOCK = ("time", "interval")


def of_data(t: T.DataType) -> OType:
    """The type of a column of a table: what the algebra knows of it. An array is a list."""
    match t:
        case T.Array(element=e):
            return CollectionType("list", of_data(e))
        case T.Struct(fields=fields):
            return StructType(tuple((n, of_data(f)) for n, f in fields))
        case T.Map(key=k, value=v):
            return DictionaryType(of_data(k), of_data(v))
        case _:
            return _BY_DATA.get(t) or Primitive(str(t), t)


def is_number(t: OType) -> bool:
    return isinstance(t, Primitive) and t.data.is_numeric and t.name not in _CLOCK


def is_whole(t: OType) -> bool:
    return is_number(t) and isinstance(t, Primitive) and isinstance(t.data, T.Integral)


def is_text(t: OType) -> bool:
    return isinstance(t, Enum) or (isinstance(t, Primitive) and isinstance(t.data, T.String))


def is_boolean(t: OType) -> bool:
    return isinstance(t, Primitive) and isinstance(t.data, T.Boolean)


def is_undefined(t: OType) -> bool:
    return t == UNDEFINED


def is_reference(t: OType) -> bool:
    return isinstance(t, (Ref, Nil))


def is_list(t: OType) -> bool:
    return isinstance(t, CollectionType) and t.kind in ("list", "array")


def common(a: OType, b: OType, model: ObjectModel) -> OType | None:
    """The type that both can be taken for, if there is one.

    >>> str(common(LONG, DOUBLE, ObjectModel())), common(LONG, STRING, ObjectModel())
    ('double', None)
    """
    if a == b or is_undefined(b):
        return a
    if is_undefined(a):
        return b
    match a, b:
        case (Ref(), Nil()):
            return a
        case (Nil(), Ref()):
            return b
        case (Ref(cls=x), Ref(cls=y)):
            shared = next((c for c in model.above(x) if c in model.above(y)), None)
            return Ref(shared) if shared is not None else None
        case (StructType(fields=f), StructType(fields=g)) if [n for n, _ in f] == [n for n, _ in g]:
            types = [common(s, t, model) for (_, s), (_, t) in zip(f, g, strict=True)]
            known = [t for t in types if t is not None]
            return StructType(tuple((n, t) for (n, _), t in zip(f, known, strict=True))) if len(known) == len(f) else None
        case (CollectionType(kind=k, element=e), CollectionType(kind=m, element=h)):
            kind, element = common_kind(k, m), common(e, h, model)
            return CollectionType(kind, element) if kind is not None and element is not None else None
        case (DictionaryType(key=k1, value=v1), DictionaryType(key=k2, value=v2)):
            key, value = common(k1, k2, model), common(v1, v2, model)
            return DictionaryType(key, value) if key is not None and value is not None else None
    if is_text(a) and is_text(b):
        return STRING
    if is_number(a) and is_number(b) and isinstance(a, Primitive) and isinstance(b, Primitive):
        found = coerce.common(a.data, b.data)
        return of_data(found) if found is not None else None
    if isinstance(a, Primitive) and isinstance(b, Primitive) and {a.name, b.name} == {"date", "timestamp"}:
        return PRIMITIVES["timestamp"]
    return None


def common_kind(a: CollectionKind, b: CollectionKind) -> CollectionKind | None:
    """A set mixed with a bag is a bag; lists and arrays are lists; the ordered and the unordered do not mix."""
    if a == b:
        return a
    if {a, b} <= {"set", "bag"}:
        return "bag"
    return "list" if {a, b} <= {"list", "array"} else None


def related(a: OType, b: OType, model: ObjectModel) -> bool:
    """Whether values can be equal: for references, whether one object can be of both classes."""
    if isinstance(a, Ref) and isinstance(b, Ref):
        return bool(set(model.below(a.cls)) & set(model.below(b.cls)))
    return common(a, b, model) is not None


def named(t: ast.TypeName, model: ObjectModel) -> OType | None:
    """What a written type means; None for an unknown name."""
    args = [named(a, model) for a in t.args]
    known = [a for a in args if a is not None]
    if len(known) != len(args):
        return None
    match t.name, known:
        case ("set" | "bag" | "list" | "array") as kind, [element]:
            return CollectionType(kind, element)
        case "dictionary", [key, value]:
            return DictionaryType(key, value)
        case "unsigned long long", []:
            return LONG_LONG
    if known:
        return None
    if t.name in PRIMITIVES:
        return PRIMITIVES[t.name]
    if t.name in model.types:
        return model.types[t.name]
    cls = matching(t.name, list(model.classes))
    return Ref(cls) if cls is not None else None


def matching(name: str, known: list[str]) -> str | None:
    """The name as it is known: in the same case, else in any."""
    if name in known:
        return name
    return next((k for k in known if k.lower() == name.lower()), None)
