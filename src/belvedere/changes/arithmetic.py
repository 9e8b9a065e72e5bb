"""The arithmetic of Z-sets.

Laws that the rest of the project relies on: `add` is commutative and associative, `negate(z)` undoes `z`, and
`consolidate` is the normal form: equal rows once, no weight 0. Two Z-sets are equal if their difference consolidates to
nothing. A plain table is a bag: every row has weight 1.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.changes.codes import is_flat, key_column
from belvedere.changes.column import canonical
from belvedere.changes.names import WEIGHT
from belvedere.changes.plain import to_rows
from belvedere.errors import BelvedereError, TypeMismatch

_INDEX = "_i"


def is_weighted(table: pa.Table) -> bool:
    return WEIGHT in table.column_names


def weighted(table: pa.Table, weight: int = 1) -> pa.Table:
    """The rows of a plain table, each with the same weight."""
    if is_weighted(table):
        raise BelvedereError(f"the table already has weights in {WEIGHT}")
    return table.append_column(pa.field(WEIGHT, pa.int64()), pa.repeat(pa.scalar(weight, pa.int64()), table.num_rows))


def visible(z: pa.Table) -> pa.Table:
    """The rows without their weights."""
    return z.drop_columns([WEIGHT]) if is_weighted(z) else z


def empty(schema: pa.Schema) -> pa.Table:
    """The Z-set without rows over visible columns."""
    return weighted(schema.empty_table())


def negate(z: pa.Table) -> pa.Table:
    return _with_weights(z, pc.negate(z[WEIGHT]))


def add(first: pa.Table, *others: pa.Table) -> pa.Table:
    """The sum, not consolidated."""
    for z in others:
        same_columns(first, z)
    return pa.concat_tables([first, *others])


def same_columns(a: pa.Table, b: pa.Table) -> None:
    """Refuse two tables whose columns differ in name, order or type, and say which."""
    if a.column_names != b.column_names:
        raise TypeMismatch(f"the columns differ: {', '.join(a.column_names)} against {', '.join(b.column_names)}")
    for x, y in zip(a.schema, b.schema, strict=True):
        if x.type != y.type:
            raise TypeMismatch(f"the column {x.name} has the type {x.type} in one and {y.type} in the other")


def consolidate(z: pa.Table) -> pa.Table:
    """One row per distinct row, with the sum of its weights; rows whose weights cancel are gone."""
    names = [n for n in z.column_names if n != WEIGHT]
    if z.num_rows == 0:
        return z
    if not all(is_flat(z.schema.field(n).type) for n in names):
        return _consolidate_nested(z, names)
    arrays = [_canonical(z[n]) for n in names]
    keys = [f"c{i}" for i in range(len(names))]
    flat = pa.table([*arrays, z[WEIGHT]], names=[*keys, WEIGHT])
    sums = flat.group_by(keys, use_threads=False).aggregate([(WEIGHT, "sum")])
    sums = sums.filter(pc.not_equal(sums[f"{WEIGHT}_sum"], 0))
    columns = dict(zip(names, (sums[k] for k in keys), strict=True)) | {WEIGHT: sums[f"{WEIGHT}_sum"]}
    return pa.Table.from_arrays([columns[n] for n in z.column_names], schema=z.schema)


def _consolidate_nested(z: pa.Table, names: list[str]) -> pa.Table:
    keys = [f"c{i}" for i in range(len(names))]
    arrays = [key_column(z[n]) for n in names]
    flat = pa.table([*arrays, z[WEIGHT], pa.array(range(z.num_rows))], names=[*keys, WEIGHT, _INDEX])
    sums = flat.group_by(keys, use_threads=False).aggregate([(WEIGHT, "sum"), (_INDEX, "min")])
    sums = sums.filter(pc.not_equal(sums[f"{WEIGHT}_sum"], 0))
    return _with_weights(z.take(sums[f"{_INDEX}_min"]), sums[f"{WEIGHT}_sum"])


def _canonical(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([canonical(c) for c in values.chunks], type=values.type)


def _with_weights(z: pa.Table, weights: pa.ChunkedArray) -> pa.Table:
    return z.set_column(z.column_names.index(WEIGHT), pa.field(WEIGHT, pa.int64()), weights)


def project(z: pa.Table, names: list[str] | tuple[str, ...]) -> pa.Table:
    """The Z-set over some of the columns, not consolidated."""
    return z.select([*names, WEIGHT])


def positive(z: pa.Table) -> pa.Table:
    """The rows that came. Consolidate first if rows may cancel."""
    return z.filter(pc.greater(z[WEIGHT], 0))


def negative(z: pa.Table) -> pa.Table:
    """The rows that went, with their negative weights."""
    return z.filter(pc.less(z[WEIGHT], 0))


def expand(z: pa.Table) -> pa.Table:
    """The bag that a Z-set describes: a row of weight n, n times. A negative weight is no bag, and refused."""
    if z.num_rows == 0:
        return visible(z)
    weights = z[WEIGHT].combine_chunks()
    low = pc.min(weights).as_py()
    if low < 0:
        row = to_rows(z.filter(pc.equal(z[WEIGHT], low)).slice(0, 1))[0]
        raise BelvedereError(f"a row with the weight {low} is missing what it takes away: {row}")
    if low == 1 and pc.max(weights).as_py() == 1:
        return visible(z)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(weights)])
    lists = pa.LargeListArray.from_arrays(offsets, pa.nulls(offsets[-1].as_py()))
    return visible(z).take(pc.list_parent_indices(lists))
