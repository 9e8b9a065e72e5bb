"""One order for the members of sets and bags, so that equal ones are equal arrays.

It is the order of the engines' array_sort: NULL last, NaN after all numbers, texts by code point, structs by their fields and
arrays by their elements, and inside those NULL first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from belvedere.objects.types import CollectionType, DictionaryType, OType, StructType


def arranged(kind: str, element: OType, values: Iterable[Any]) -> list[Any]:
    """The members as they are kept: a list or array as given, a bag sorted, a set sorted and each once.

    >>> from belvedere.objects.types import PRIMITIVES
    >>> arranged("set", PRIMITIVES["long"], [3, None, 1, 3])
    [1, 3, None]
    """
    members = list(values)
    if kind in ("list", "array"):
        return members
    keyed = sorted(((sort_key(element, v, last=True), v) for v in members), key=lambda pair: pair[0])
    if kind == "bag":
        return [v for _, v in keyed]
    return [v for i, (k, v) in enumerate(keyed) if not i or k != keyed[i - 1][0]]


def sort_key(t: OType, value: Any, *, last: bool = False) -> tuple[Any, ...]:
    """A key that sorts as the engines do, and is equal exactly for equal values. `last`: where NULL goes."""
    if value is None:
        return (2,) if last else (0,)
    return (1, *_of(t, value))


def _of(t: OType, value: Any) -> tuple[Any, ...]:
    match t:
        case StructType(fields=fields):
            return tuple(sort_key(f, value[n]) for n, f in fields)
        case CollectionType(element=element):
            return (tuple(sort_key(element, v) for v in value),)
        case DictionaryType(key=key, value=item):
            return (tuple((sort_key(key, k), sort_key(item, v)) for k, v in value),)
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return (value,)
