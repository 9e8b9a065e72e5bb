"""One column of values, as a Python list or as Arrow, → Arrow of exactly the wanted type.

Arrow's own casts do the work where they are known to lose nothing; the converters of `convert` are the meaning, and take
over for everything else and whenever a fast cast says no, because they can name the row.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.types import DataType, to_arrow
from belvedere.changes.bad_value import BadValue, Locate, by_row, mismatch
from belvedere.changes.convert import converter

_READY: dict[type[DataType], type] = {
    T.TinyInt: int, T.SmallInt: int, T.Int: int, T.BigInt: int, T.Double: float, T.Boolean: bool, T.String: str,
    T.Binary: bytes, T.Date: datetime.date,
}  # fmt: skip

_DIGITS_AND_FRACTION = r"^-?[0-9]{{1,{whole}}}(\.[0-9]{{1,{scale}}})?$"
_DAY = r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"


def from_python(values: Sequence[Any], t: DataType, *, what: str, column: str, locate: Locate = by_row) -> pa.Array:
    """A list of Python values as an Arrow array."""
    ready = _READY.get(type(t))
    if ready is not None and {type(v) for v in values} <= {ready, type(None)}:
        with contextlib.suppress(pa.ArrowException, OverflowError, UnicodeError):
            return canonical(pa.array(values, type=to_arrow(t)))
    convert = converter(t)
    result: list[Any] = []
    for index, value in enumerate(values):
        try:
            result.append(None if _missing(value) else convert(value))
        except BadValue as bad:
            raise mismatch(bad, what, column, locate(index)) from None
    return pa.array(result, type=to_arrow(t))


def from_arrow(values: pa.ChunkedArray, t: DataType, *, what: str, column: str, locate: Locate = by_row) -> pa.ChunkedArray:
    """An Arrow column of any type as one of the wanted type."""
    wanted = to_arrow(t)
    if pa.types.is_dictionary(values.type):
        values = _decoded(values)
    if pa.types.is_null(values.type):
        return pa.chunked_array([pa.nulls(len(values), wanted)])
    fast = _fast(values, t, wanted)
    if fast is not None:
        return pa.chunked_array([canonical(chunk) for chunk in fast.chunks], type=wanted)
    _refuse_nanoseconds(values, t, what, column, locate)
    chunks: list[pa.Array] = []
    start = 0
    for chunk in values.chunks:
        here = start  # each chunk binds its own offset
        chunks.append(
            from_python(chunk.to_pylist(), t, what=what, column=column, locate=lambda i, here=here: locate(here + i))  # type: ignore[misc]
        )
        start += len(chunk)
    return pa.chunked_array(chunks, type=wanted)


def canonical(values: pa.Array) -> pa.Array:
    """Floats with one zero and one NaN, so that values SQL holds equal are equal bytes."""
    if not pa.types.is_floating(values.type):
        return values
    nan = pa.scalar(float("nan"), values.type)
    return pc.if_else(pc.is_nan(values), nan, pc.add(values, pa.scalar(0.0, values.type)))


def _missing(value: Any) -> bool:
    """None, and the NA and NaT of pandas."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _fast(values: pa.ChunkedArray, t: DataType, wanted: pa.DataType) -> pa.ChunkedArray | None:
    """Arrow's cast where it means the same as ours and loses nothing; None if it does not, or a value does not fit."""
    if t.contains(T.Map) or t.contains(T.Variant) or t.contains(T.Float) or isinstance(t, T.Void):
        return values if isinstance(t, T.Float) and values.type == wanted else None
    source = values.type
    if source == wanted:
        return values if not t.children or not t.contains(T.Double) else None
    try:
        if _is_text(source):
            return _from_text(values, t, wanted)
        if _harmless(source, wanted):
            return values.cast(wanted, safe=True)
    except pa.ArrowException:
        return None
    return None


def _harmless(source: pa.DataType, wanted: pa.DataType) -> bool:
    kinds = pa.types
    whole = kinds.is_integer(source)
    return bool(
        (whole and (kinds.is_integer(wanted) or kinds.is_decimal(wanted)))
        or (kinds.is_integer(source) and source.bit_width <= 32 and kinds.is_float64(wanted))
        or (kinds.is_floating(source) and source.bit_width <= 32 and kinds.is_float64(wanted))
        or (kinds.is_decimal(source) and kinds.is_decimal(wanted))
        or (kinds.is_timestamp(source) and kinds.is_timestamp(wanted) and (source.tz is None or wanted.tz is not None))
        or (kinds.is_date32(source) and kinds.is_timestamp(wanted) and wanted.tz is None)
        or (_is_bytes(source) and kinds.is_binary(wanted))
    )


def _decoded(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary column as its values; Arrow cannot take from the view types, so those are made plain first."""
    t = values.type.value_type
    plain = pa.string() if _is_text(t) else pa.binary() if pa.types.is_binary_view(t) else t
    return pa.chunked_array([c.dictionary.cast(plain).take(c.indices) for c in values.chunks], type=plain)


def _is_text(t: pa.DataType) -> bool:
    return bool(pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t))


def _is_bytes(t: pa.DataType) -> bool:
    kinds = pa.types
    return bool(kinds.is_large_binary(t) or kinds.is_fixed_size_binary(t) or kinds.is_binary_view(t))


def _from_text(values: pa.ChunkedArray, t: DataType, wanted: pa.DataType) -> pa.ChunkedArray | None:
    if isinstance(t, T.String):
        return values.cast(wanted)
    pattern = _text_pattern(t)
    if pattern is None:
        return None
    values = values.cast(pa.string())
    if pc.all(pc.match_substring_regex(values, pattern), min_count=0).as_py() is not True:
        return None
    if isinstance(t, T.Timestamp):
        return values.cast(pa.timestamp("us")).cast(wanted)
    return values.cast(wanted)


def _text_pattern(t: DataType) -> str | None:
    """Texts that Arrow and we read alike."""
    match t:
        case T.Integral():
            return r"^-?[0-9]{1,19}$"
        case T.Double():
            return r"^-?[0-9]{1,15}(\.[0-9]{1,15})?$"
        case T.Decimal(precision=p, scale=s) if s and p > s:
            return _DIGITS_AND_FRACTION.format(whole=p - s, scale=s)
        case T.Date():
            return f"^{_DAY}$"
        case T.Timestamp() | T.TimestampNtz():
            return f"^{_DAY}[ T]{_CLOCK}$"
        case _:
            return None


def _refuse_nanoseconds(values: pa.ChunkedArray, t: DataType, what: str, column: str, locate: Locate) -> None:
    """Python's datetime cannot even hold what is finer than a microsecond, so it is found before."""
    if not (pa.types.is_timestamp(values.type) and values.type.unit == "ns"):
        return
    numbers = values.cast(pa.int64())
    rounded = pc.multiply(pc.divide(numbers, 1000), 1000)
    index = pc.index(pc.not_equal(numbers, rounded), True).as_py()
    if index >= 0:
        bad = BadValue(str(values[index]), f"a {t}", "it is finer than a microsecond; round it first")
        raise mismatch(bad, what, column, locate(index))
