"""A source's table has other columns than before: the same change for its mirror, as changes of attributes.

Columns that kept name and type are the same. One that vanished and one that appeared under the same number with the same type
are a rename if numbers are permanent; if they are only places, then if most rows hold the same value in both. Every other
difference is a column that goes or comes. What the rows hold is compared afterwards, whatever was found here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from belvedere.algebra.ops import Get
from belvedere.store.model import Collection
from belvedere.warehouse.sources.attached import Shape
from belvedere.warehouse.transaction import Transaction


@dataclass(frozen=True)
class Reshaping:
    """What to do to the mirror; `anew` says that its key is another one, so the mirror is made again."""

    dropped: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    added: tuple[tuple[str, str], ...] = ()
    anew: bool = False

    @property
    def nothing(self) -> bool:
        return not (self.dropped or self.renamed or self.added or self.anew)


#: of so many rows most must agree for a column to count as renamed
SAMPLE = 10_000
MOST = 0.5

Agree = Callable[[str, str], bool]


def reshaping(old: Shape, new: Shape, agree: Agree) -> Reshaping:
    """From one shape to the other; `agree` says whether an old and a new column may be the same one."""
    before = {(name, kind) for _, name, kind in old.columns}
    after = {(name, kind) for _, name, kind in new.columns}
    gone = {number: (name, kind) for number, name, kind in old.columns if (name, kind) not in after}
    came = {number: (name, kind) for number, name, kind in new.columns if (name, kind) not in before}
    renamed = []
    for number, (name, kind) in list(gone.items()):
        if number in came and came[number][1] == kind and agree(name, came[number][0]):
            renamed.append((name, came.pop(number)[0]))
            del gone[number]
    meant = dict(renamed)
    key = tuple(meant.get(k, k) for k in old.key)
    dropped = tuple(name for name, _ in gone.values())
    anew = key != new.key or bool(set(dropped) & set(old.key))
    return Reshaping(dropped, tuple(renamed), tuple(came.values()), anew)


def same_values(tx: Transaction, c: Collection, key: tuple[str, ...], there: pa.Table) -> Agree:
    """Compares a column of the mirror with one of the source's table, row by row of the same key."""

    def agree(old: str, new: str) -> bool:
        if not set(key) <= set(c.schema.names) or old not in c.schema:
            return False
        here = tx.rows(Get(c.name, c.schema.select((*key, old)), (*key, old))).slice(0, SAMPLE)
        values = dict(zip(_keys(here, key), here[old].to_pylist(), strict=True))
        both = [(values[k], v) for k, v in zip(_keys(there, key), there[new].to_pylist(), strict=True) if k in values]
        return bool(both) and sum(a == b for a, b in both) > MOST * len(both)

    return agree


def _keys(table: pa.Table, key: tuple[str, ...]) -> list[tuple[object, ...]]:
    return list(zip(*(table[k].to_pylist() for k in key), strict=True))


def reshape(tx: Transaction, mirror: str, change: Reshaping) -> None:
    """Apply it to a mirror inside a transaction that follows its source."""
    for name in change.dropped:
        tx.drop_attribute(mirror, name)
    waiting = list(change.renamed)
    for index, (old, _) in enumerate(waiting):  # first out of each other's way
        tx.rename_attribute(mirror, old, f"bv moving {index}")
    for index, (_, new) in enumerate(waiting):
        tx.rename_attribute(mirror, f"bv moving {index}", new)
    for name, kind in change.added:
        tx.add_attribute(mirror, name, kind)
