"""Dead objects taken out of a value: a single reference becomes nil, a member of a collection goes, wherever it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from belvedere.objects.canonical import arranged
from belvedere.objects.types import CollectionType, DictionaryType, OType, Ref, StructType


def without(t: OType, value: Any, dead: Collection[int]) -> Any:
    """The stored value of a type, free of the dead objects.

    >>> from belvedere.objects.types import PRIMITIVES
    >>> without(CollectionType("list", StructType((("a", Ref("x")), ("n", PRIMITIVES["long"])))), [{"a": 7, "n": 1}], {7})
    [{'a': None, 'n': 1}]
    """
    if value is None:
        return None
    match t:
        case Ref():
            return None if value in dead else value
        case StructType(fields=fields):
            return {n: without(f, value[n], dead) for n, f in fields}
        case CollectionType(kind=kind, element=element):
            kept = [v for v in value if not _is_dead(element, v, dead)]
            return arranged(kind, element, [without(element, v, dead) for v in kept])
        case DictionaryType(key=key, value=item):
            kept = [(k, v) for k, v in value if not _is_dead(key, k, dead) and not _is_dead(item, v, dead)]
            return [(k, without(item, v, dead)) for k, v in kept]
    return value


def _is_dead(t: OType, value: Any, dead: Collection[int]) -> bool:
    return isinstance(t, Ref) and value in dead


def references(t: OType, value: Any) -> Iterator[int]:
    """The objects that a stored value refers to."""
    if value is None:
        return
    match t:
        case Ref():
            yield value
        case StructType(fields=fields):
            for n, f in fields:
                yield from references(f, value[n])
        case CollectionType(element=element):
            for v in value:
                yield from references(element, v)
        case DictionaryType(key=key, value=item):
            for k, v in value:
                yield from references(key, k)
                yield from references(item, v)
