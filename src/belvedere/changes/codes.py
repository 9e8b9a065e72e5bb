"""A column of any type → a flat key column: two rows have equal keys exactly if SQL holds their values equal.

NULL equals NULL, NaN equals NaN, 0.0 equals -0.0, maps are equal in any order. Everything is vectorised: a struct becomes
the codes of its fields joined as text, a list becomes the bytes of its elements' codes, laid over Arrow's own offsets.
Codes are dense numbers that mean something within one call only.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.changes.column import canonical

_CODE_BYTES = 4


def is_flat(t: pa.DataType) -> bool:
    return not pa.types.is_nested(t)


def key_column(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    """The key of every value; NULL for NULL."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.nulls(0, array.type)
    t = array.type
    if is_flat(t):
        return canonical(array)
    if len(array) == 0:
        return pa.nulls(0, pa.string())
    if pa.types.is_struct(t):
        return _struct_key(array)
    if pa.types.is_map(t):
        return _map_key(array)
    lengths = pc.list_value_length(array)
    return _bytes_key(array, pc.fill_null(lengths, 0), codes(pc.list_flatten(array)))


def codes(array: pa.Array) -> pa.Array:
    """A number (int32, never NULL) for every value, equal for equal values."""
    return pc.dictionary_encode(key_column(array), null_encoding="encode").indices


def _struct_key(array: pa.StructArray) -> pa.Array:
    # flatten() carries the struct's own NULLs into its fields; is_valid then tells a NULL struct from one full of NULLs.
    parts = [codes(field).cast(pa.string()) for field in array.flatten()] or [pa.array([""] * len(array))]
    joined = pc.binary_join_element_wise(*parts, ",")
    return pc.if_else(pc.is_valid(array), joined, pa.scalar(None, pa.string()))


def _map_key(array: pa.MapArray) -> pa.Array:
    entry = pa.struct([pa.field("key", array.type.key_type), pa.field("value", array.type.item_type)])
    lists = array.cast(pa.list_(entry))
    entries = pc.list_flatten(lists)
    ordered = pa.table(
        {"map": pc.list_parent_indices(lists), "key": codes(entries.field("key")), "pair": codes(entries)},
    ).sort_by([("map", "ascending"), ("key", "ascending")])
    return _bytes_key(lists, pc.fill_null(pc.list_value_length(lists), 0), ordered["pair"].combine_chunks())


def _bytes_key(array: pa.Array, lengths: pa.Array, numbers: pa.Array) -> pa.Array:
    """Cut the buffer of int32 codes into one binary value per list, without copying it."""
    numbers = pa.concat_arrays(numbers.chunks) if isinstance(numbers, pa.ChunkedArray) else numbers
    numbers = pa.concat_arrays([numbers]) if numbers.offset == 0 else pc.take(numbers, pa.array(range(len(numbers))))
    ends = pc.multiply(pc.cumulative_sum(lengths.cast(pa.int64())), _CODE_BYTES)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    data = numbers.buffers()[1] if len(numbers) else pa.py_buffer(b"")
    keys = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(array), [None, offsets.buffers()[1], data])
    return pc.if_else(pc.is_valid(array), keys, pa.scalar(None, pa.large_binary()))
