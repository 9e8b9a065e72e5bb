"""Identities of objects in graphs: `&` and letters, digits, `_`. The form `&_<number>` is kept for those that we give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from belvedere.errors import BelvedereError, TypeMismatch

if TYPE_CHECKING:
    from belvedere.store.commit import Commit

_OID = re.compile(r"&[A-Za-z0-9_]+")
_OURS = re.compile(r"&_[0-9]+")

KIND, COUNTER = "oem", "oid"
"""The document that keeps the next number. Two writers that make objects conflict."""


def is_oid(text: Any) -> bool:
    return isinstance(text, str) and _OID.fullmatch(text) is not None


def is_ours(oid: str) -> bool:
    """Whether the system gave it; in loaded data such an oid is a local name, since here it may stand for another object."""
    return _OURS.fullmatch(oid) is not None


def checked(oid: Any, what: str) -> str:
    """An oid, or an error that says where something else was given."""
    if not is_oid(oid):
        raise TypeMismatch(f"{what}: {oid!r:.60} is no oid; oids are written & and letters, digits, _, such as '&12'")
    return str(oid)


def order(oid: str) -> tuple[int, int, str]:
    """Sorts ours by number, which is the order in which they were made."""
    return (0, int(oid[2:]), "") if is_ours(oid) else (1, len(oid), oid)


#: numbers from here on begin at the second one: oids are sorted as text, and what was made together lies together only if its
#: numbers are of one length
FIRST, LONG = 10_000, 1_000_000_000


class Fresh:
    """Numbers that no object of the warehouse has or will have, taken one after the other."""

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        known = commit.doc(KIND, COUNTER)
        self.next = self._start = int(known["next"]) if known else 1

    def take(self) -> str:
        return f"&_{self.take_many(1)}"

    def take_many(self, count: int) -> int:
        """The first number of so many, which follow each other."""
        first = LONG if self.next < LONG and self.next + count > FIRST else self.next
        self.next = first + count
        return first

    def keep(self) -> None:
        """Note in the transaction what was taken."""
        if self.next != self._start:
            if self.next > 2**62:
                raise BelvedereError("the graphs of this warehouse have used up their oids")
            self._commit.put_doc(KIND, COUNTER, {"next": self.next})
            self._start = self.next
