"""Values that cannot be sent to a source, because it has none like them: no row there is equal to one that holds such a value."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from belvedere.algebra.types import Fractional, String
from belvedere.sources.maintain.view import Slot
from belvedere.sources.source import INFINITY, NAN, NUL


def sendable(keys: pa.Table, slots: Sequence[Slot], joins: Sequence[exp.Expr], lacks: frozenset[str]) -> pa.Table | None:
    """The rows that can be sent, all others being equal to nothing at the source; None if one of those may be compared by
    something other than =."""
    strange: pa.ChunkedArray | None = None
    for s in slots:
        mask = _strange(keys[s.name], s, lacks)
        if mask is None or not pc.any(mask).as_py():
            continue
        if not all(isinstance(j, exp.EQ) for j in joins if any(c.name == s.name for c in j.find_all(exp.Column))):
            return None
        strange = mask if strange is None else pc.or_(strange, mask)
    return keys if strange is None else keys.filter(pc.invert(strange))


def _strange(values: pa.ChunkedArray, slot: Slot, lacks: frozenset[str]) -> pa.ChunkedArray | None:
    found: list[pa.ChunkedArray] = []
    if isinstance(slot.type, String) and NUL in lacks:
        found.append(pc.match_substring(values, "\x00"))
    if isinstance(slot.type, Fractional):
        found += [pc.is_nan(values)] * (NAN in lacks) + [pc.is_inf(values)] * (INFINITY in lacks)
    filled = [pc.fill_null(f, False) for f in found]
    return None if not filled else filled[0] if len(filled) == 1 else pc.or_(*filled)
