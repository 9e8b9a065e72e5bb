"""The keys that classes declare: no two objects of an extent agree in one, and none is nil."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.changes.zset import positive
from belvedere.errors import KeyViolation
from belvedere.store.model import Collection
from belvedere.warehouse.objects.declare import CLASS
from belvedere.warehouse.objects.reading import find

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction


def check_class_keys(tx: Transaction, c: Collection, net: pa.Table) -> None:
    """Reads only the keys that come in; `net` is the table's change in its stored layout."""
    cls = c.properties.get(CLASS)
    if cls is None:
        return
    incoming = positive(net)
    changed = tx.changed_columns(c.name)
    for key in tx.registry.objects().classes[cls].keys:
        ids = [c.schema[n].id for n in key]
        if not incoming.num_rows or (changed is not None and not changed & set(ids)):
            continue
        names = list(key)
        keys = incoming.select([*(f"c{i}" for i in ids), "_w"]).rename_columns([*names, "_w"])
        for n in names:
            if keys[n].null_count:
                raise KeyViolation(f"class {cls}: {n!r} is nil in an object, and it is part of the key ({', '.join(names)})")
        found = find(tx, c, {n: keys[n].combine_chunks() for n in names}, names)
        counted = found.group_by(names).aggregate([([], "count_all")])
        twice = counted.filter(pc.greater(counted["count_all"], 1)).to_pylist()
        if twice:
            shown = ", ".join(f"{n}={twice[0][n]!r}" for n in names)
            more = f" (and {len(twice) - 1} more)" if len(twice) > 1 else ""
            raise KeyViolation(f"class {cls}: two objects would have the key {shown}{more}")
