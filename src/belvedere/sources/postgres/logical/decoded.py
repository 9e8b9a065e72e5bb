"""What a slot tells, cut down to one state of the database.

Decoding is not part of a transaction's snapshot: it tells whatever is committed by now. But it says which transaction made each
change, and a snapshot says which transactions it has seen, so the changes of a state are those of the transactions that it has
seen. Law: a transaction that a snapshot has seen had its commit in the log before, and all of the log up to then is decoded; so
none is missing, in whatever order they wrote, committed or became visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from belvedere.sources.postgres.logical import messages
from belvedere.sources.postgres.logical.messages import UNCHANGED, Begin, Change, Commit, Relation, Row, Truncate, Unchanged
from belvedere.sources.postgres.logical.visible import Visible


class Entry(NamedTuple):
    """A row as PostgreSQL itself writes it, with the names that its columns had; or why it cannot be told."""

    xid: int
    weight: int
    columns: tuple[str, ...]
    row: str
    why: str = ""


@dataclass
class Decoded:
    """The changes of the transactions that a snapshot has seen, by the table's oid. `upto`: every transaction with changes whose
    commit begins before it is among them, so a slot may be advanced to it once they are kept."""

    upto: int
    entries: dict[int, list[Entry]] = field(default_factory=dict)


def decoded(told: Iterable[tuple[int, bytes]], seen: Visible, end: int) -> Decoded:
    """`told` by a slot up to at least `end`, which is not before what the snapshot has seen."""
    result = Decoded(end)
    columns: dict[int, tuple[str, ...]] = {}
    entries: list[tuple[int, Entry]] = []
    commit = 0
    for short, data in told:
        xid = seen.full(short)
        match messages.message(data):
            case Begin(where):
                commit, entries = where, []
            case Relation(oid, names):
                columns[oid] = names
            case Change() as change:
                entries += [(change.oid, e) for e in _entries(xid, change, columns[change.oid])]
            case Truncate(oids):
                entries += [(oid, Entry(xid, 0, (), "", "the table was truncated")) for oid in oids]
            case Commit() if seen(xid):
                for oid, entry in entries:
                    result.entries.setdefault(oid, []).append(entry)
            case Commit() if entries:
                result.upto = min(result.upto, commit)
    return result


def _entries(xid: int, change: Change, columns: tuple[str, ...]) -> list[Entry]:
    if not change.whole:
        return [Entry(xid, 0, columns, "", "somebody changed the replica identity of the table")]
    made = []
    if change.old is not None:
        made.append(Entry(xid, -1, columns, _record(change.old)))
    if change.new is not None:
        made.append(Entry(xid, 1, columns, _record(_filled(change.new, change.old))))
    return made


def _filled(new: Row, old: Row | None) -> Row:
    """Values that were left alone are those of the old row."""
    return new if old is None else tuple(o if n is UNCHANGED else n for n, o in zip(new, old, strict=True))


def _record(row: Row) -> str:
    """
    >>> print(_record(("1", None, 'a "b" c', "")))
    ("1",,"a ""b"" c","")
    """
    return f"({','.join(_quoted(v) for v in row)})"


def _quoted(value: str | Unchanged | None) -> str:
    assert not isinstance(value, Unchanged)
    return "" if value is None else '"' + value.replace("\\", "\\\\").replace('"', '""') + '"'
