"""What a function's code is, as a short text: equal for equal code, so that a view can tell when it was computed with other code.

It covers the bytecode, the constants, the defaults, what a closure holds, and the functions and plain constants of the same
module that the code names. Bytecode is Python's own, so another version of Python makes another fingerprint.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

_PLAIN = (type(None), bool, int, float, complex, str, bytes, Decimal, date, time, timedelta, type(Ellipsis))


def fingerprint(fn: Callable[..., Any]) -> str:
    """
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    digest = hashlib.sha256()
    for part in _parts(fn, []):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:32]


def _parts(value: Any, above: list[int]) -> Iterator[str]:
    """The value in a text that depends on nothing but what it means; `above` stops at cycles."""
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__}:{value!r}"
        return
    if id(value) in above:
        yield "again"
        return
    inner = [*above, id(value)]
    match value:
        case CodeType():
            yield f"code:{value.co_code.hex()}:{value.co_argcount}:{value.co_flags}:{value.co_names}:{value.co_varnames}"
            for constant in value.co_consts:
                yield from _parts(constant, inner)
        case FunctionType():
            yield from _function(value, inner)
        case MethodType():
            yield from _parts(value.__func__, inner)
            yield from _parts(value.__self__, inner)
        case functools.partial():
            yield from _parts((value.func, value.args, value.keywords), inner)
        case list() | tuple():
            yield f"{type(value).__name__}:{len(value)}"
            for v in value:
                yield from _parts(v, inner)
        case set() | frozenset():
            yield f"set:{len(value)}"
            yield from sorted("\0".join(_parts(v, inner)) for v in value)
        case dict():
            yield f"dict:{len(value)}"
            for k, v in value.items():
                yield from _parts((k, v), inner)
        case re.Pattern():
            yield f"pattern:{value.pattern!r}:{value.flags}"
        case ModuleType():
            yield f"module:{value.__name__}"
        case type() | BuiltinFunctionType():
            yield f"{value.__module__}.{value.__qualname__}"
        case _:
            yield f"object:{type(value).__module__}.{type(value).__qualname__}"
            yield from _parts(getattr(type(value).__call__, "__code__", None) if callable(value) else None, inner)
            yield from _parts(getattr(value, "__dict__", None), inner)


def _function(fn: FunctionType, above: list[int]) -> Iterator[str]:
    wrapped = getattr(fn, "__wrapped__", None)
    yield from _parts((fn.__code__, fn.__defaults__, fn.__kwdefaults__, wrapped), above)
    for cell in fn.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # not filled yet
            content = None
        yield from _parts(content, above)
    for name in sorted(_names(fn.__code__)):
        if name in fn.__globals__:
            yield f"global:{name}"
            yield from _parts(fn.__globals__[name], above)


def _names(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found
