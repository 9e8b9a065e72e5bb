"""OEM as text: `v ::= atom | {label: e, …}`, `e ::= v | &oid v | &oid`; a bare oid refers to an object written elsewhere.

The tree is what the text says, with places for errors; what an oid refers to is for the loader to find out. The walk has a
stack of its own, so that depth is no limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from belvedere.errors import ParseError
from belvedere.languages.lorel.constants import Constant
from belvedere.languages.lorel.reader import Reader


@dataclass(frozen=True)
class OemTree:
    """An object as written. `value`: a constant for an atomic object, (label, object) pairs for a complex one, None for a
    reference to `oid`. `at` is its place in the text."""

    oid: str | None
    value: Constant | tuple[tuple[str, OemTree], ...] | None
    at: int = field(default=0, compare=False)


@dataclass
class _Open:
    """A complex object whose brace is not closed yet."""

    oid: str | None
    at: int
    label: str = ""
    children: list[tuple[str, OemTree]] = field(default_factory=list)


def parse_oem(text: str) -> OemTree:
    """
    >>> name, near = parse_oem('&1 {Name: "Thai City", Near: &1}').value
    >>> name
    ('Name', OemTree(oid=None, value=Constant(type='string', value='Thai City'), at=10))
    >>> near
    ('Near', OemTree(oid='&1', value=None, at=29))
    """
    reader = Reader(text)
    tree = read_oem(reader)
    reader.takes_op(";")
    if reader.here.kind != "end":
        raise reader.expected("the end of the text", "after the object")
    return tree


def read_oem(reader: Reader) -> OemTree:
    """The object that stands here."""
    open_: list[_Open] = []
    while True:
        done = _begin(reader, open_)
        while done is None and reader.takes_op("}"):
            done = _close(open_)
        while done is not None:
            if not open_:
                return done
            top = open_[-1]
            top.children.append((top.label, done))
            done = None
            if reader.takes_op("}") or (reader.takes_op(",") and reader.takes_op("}")):
                done = _close(open_)
            elif not reader.tokens[reader.place - 1].is_op(","):
                raise reader.expected("`,` or `}`", "after an object's part")
        open_[-1].label = _label(reader)


def _begin(reader: Reader, open_: list[_Open]) -> OemTree | None:
    """An atomic object or a reference; None for a complex one, which is now open."""
    at = reader.here.start
    oid = reader.next().text if reader.here.kind == "oid" else None
    if reader.takes_op("{"):
        open_.append(_Open(oid, at))
        return None
    constant = reader.constant()
    if constant is None and oid is None:
        raise _no_object(reader)
    return OemTree(oid, constant, at)


def _close(open_: list[_Open]) -> OemTree:
    top = open_.pop()
    return OemTree(top.oid, tuple(top.children), top.at)


def _label(reader: Reader) -> str:
    token = reader.here
    if token.kind not in ("word", "name", "string"):
        raise reader.expected("a label", "inside `{`")
    reader.next()
    reader.need_op(":", f"after the label '{token.text}'")
    return token.text


def _no_object(reader: Reader) -> ParseError:
    if reader.here.is_word("null"):
        return reader.error("null is no object in OEM; leave the edge out")
    return reader.expected("an object: {label: …}, a number, a string, true, false, date '…', timestamp '…' or &oid,")
