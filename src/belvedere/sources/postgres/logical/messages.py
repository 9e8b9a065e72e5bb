"""What the output plugin `pgoutput` says, version 1 of its protocol: bytes → messages.

https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

Value = str | None


class Unchanged:
    """In place of a value that is kept apart from its row (TOAST) and that an update left alone."""


UNCHANGED = Unchanged()
Row = tuple[Value | Unchanged, ...]


@dataclass(frozen=True)
class Begin:
    """`commit`: where in the log the transaction's commit begins."""

    commit: int


@dataclass(frozen=True)
class Commit:
    pass


@dataclass(frozen=True)
class Relation:
    """A table, said before its first change and after each change of its shape."""

    oid: int
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A row that came, went or became another. `whole`: the old row, if there was one, is told, and not only its key."""

    oid: int
    old: Row | None
    new: Row | None
    whole: bool


@dataclass(frozen=True)
class Truncate:
    oids: tuple[int, ...]


Message = Begin | Commit | Relation | Change | Truncate


def message(data: bytes) -> Message | None:
    """None for what does not matter to rows: origins and names of types."""
    at = _Reader(data)
    match at.letter():
        case "B":
            return Begin(at.number("q"))
        case "C":
            return Commit()
        case "R":
            return _relation(at)
        case "I" | "U" | "D" as letter:
            return _change(at, letter)
        case "T":
            count, _ = at.number("i"), at.number("b")
            return Truncate(tuple(at.number("I") for _ in range(count)))
        case _:
            return None


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    @property
    def over(self) -> bool:
        return self.place >= len(self.data)

    def number(self, kind: str) -> int:
        [found] = struct.unpack_from("!" + kind, self.data, self.place)
        self.place += struct.calcsize("!" + kind)
        return int(found)

    def letter(self) -> str:
        return chr(self.number("B"))

    def text(self) -> str:
        end = self.data.index(b"\0", self.place)
        found = self.data[self.place : end].decode()
        self.place = end + 1
        return found

    def counted(self) -> str:
        size = self.number("i")
        self.place += size
        return self.data[self.place - size : self.place].decode()


def _relation(at: _Reader) -> Relation:
    oid, _, _, _ = at.number("I"), at.text(), at.text(), at.letter()
    columns = []
    for _ in range(at.number("h")):
        at.number("b")  # whether it is of the identity
        columns.append(at.text())
        at.number("I"), at.number("i")  # its type
    return Relation(oid, tuple(columns))


def _change(at: _Reader, kind: str) -> Change:
    """An update that left the key alone tells no old row at all, unless the table's identity is the whole row."""
    oid, old, new, whole = at.number("I"), None, None, kind == "I"
    while not at.over:
        match at.letter():
            case "N":
                new = _row(at)
            case letter:
                old, whole = _row(at), letter == "O"
    return Change(oid, old, new, whole)


def _row(at: _Reader) -> Row:
    return tuple(_value(at) for _ in range(at.number("h")))


def _value(at: _Reader) -> Value | Unchanged:
    match at.letter():
        case "n":
            return None
        case "u":
            return UNCHANGED
        case _:
            return at.counted()
