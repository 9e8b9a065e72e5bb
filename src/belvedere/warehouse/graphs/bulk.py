"""Many lines of JSON → objects, edges and values at once: DuckDB reads the lines, and what hangs where is worked out by columns.

For plain data only: no oids, references or dates, no array directly in an array, numbers that fit. Lines with anything else, or
that are not JSON, are left to `walk.py`, which knows all of it and says what is wrong where. What both read is the same graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from belvedere.errors import EngineError
from belvedere.warehouse.graphs.sources import Element, Line
from belvedere.warehouse.graphs.values import number_in
from belvedere.warehouse.graphs.walk import DATE, ID, REF, VALUE

if TYPE_CHECKING:
    from belvedere.engines.duckdb import DuckDBEngine

#: characters of the lines that are read at once, and of those that are not worth it
MANY, FEW = 4 << 20, 64 << 10
#: deeper lines are left to the walk
DEEP = 500

Numbers: TypeAlias = npt.NDArray[np.int64]

_SPECIAL = pa.array([ID, REF, VALUE, DATE])
_NODES = """
    SELECT l.n, j.id, j.parent, j.key, j.type,
        CASE WHEN j.type = 'VARCHAR' THEN j.atom ->> '$' ELSE CAST(j.atom AS VARCHAR) END AS text,
        CASE WHEN j.type IN ('BIGINT', 'UBIGINT') THEN TRY_CAST(CAST(j.atom AS VARCHAR) AS BIGINT) END AS whole,
        CASE WHEN j.type = 'DOUBLE' THEN TRY_CAST(CAST(j.atom AS VARCHAR) AS DOUBLE) END AS real
    FROM lines l, json_tree(l.text) j
"""
_KINDS = {"VARCHAR": "string", "UBIGINT": "int", "BIGINT": "int", "DOUBLE": "real", "BOOLEAN": "bool"}


def batches(elements: Iterator[Element | Line]) -> Iterator[Element | list[Line]]:
    """Elements as they are; lines in batches."""
    waiting: list[Line] = []
    size = 0
    for element in elements:
        if isinstance(element, Line) and size < MANY:
            waiting.append(element)
            size += len(element.text)
            continue
        if waiting:
            yield waiting
            waiting, size = [], 0
        if isinstance(element, Line):
            waiting, size = [element], len(element.text)
        else:
            yield element
    if waiting:
        yield waiting


@dataclass(frozen=True)
class Part:
    """What a batch of lines brings. `source` and `target` are numbers of fresh objects from 0 on, -1 for the one they hang at."""

    source: Numbers
    label: pa.Array
    target: Numbers
    depth: Numbers
    #: (number of the object, type, integer, number, text) of what is atomic
    atoms: tuple[Numbers, pa.Array, pa.Array, pa.Array, pa.Array]


def read(engine: DuckDBEngine, lines: Sequence[Line], label: str) -> Part | None:
    """The lines as parts of an object of depth 0; None if they are for the walk."""
    if sum(len(line.text) for line in lines) < FEW:
        return None
    texts = pa.array([line.text for line in lines], pa.string())
    # DuckDB puts up with a comma too many
    if pc.any(pc.match_substring_regex(texts, r",\s*[}\]]")).as_py():
        return None
    try:
        found = engine.query_text(_NODES, {"lines": pa.table({"n": np.arange(len(texts)), "text": texts})})
    except EngineError:
        return None
    return _part(found.sort_by([("n", "ascending"), ("id", "ascending")]).combine_chunks(), label)


def _part(nodes: pa.Table, label: str) -> Part | None:
    kind, key = (nodes.column(c).combine_chunks() for c in ("type", "key"))
    parent = _parents(nodes)
    array = _mask(pc.equal(kind, "ARRAY"))
    inside = parent >= 0
    element = inside & array[parent]  # of an array; its label is the array's
    if (array & (element | ~inside)).any() or not _plain(nodes, kind, key):
        return None
    owner = np.where(element, parent[parent], parent)
    depth = _depths(owner)
    if depth is None:
        return None
    objects = np.flatnonzero(~array & ~_mask(pc.equal(kind, "NULL")))
    number = np.full(len(parent), -1, np.int64)
    number[objects] = np.arange(len(objects))
    holder = owner[objects]
    source = np.where(holder >= 0, number[holder], -1)
    named = key.take(pa.array(np.where(element, parent, np.arange(len(parent)))[objects]))
    labels = pc.if_else(pa.array(holder >= 0), named, pa.scalar(label, pa.string()))
    return Part(source, labels, number[objects], depth[objects], _atoms(nodes, kind, number))


def _parents(nodes: pa.Table) -> Numbers:
    """The place of each node's parent among the nodes; -1 where a line begins."""
    line, own = (nodes.column(c).to_numpy().astype(np.int64) for c in ("n", "id"))
    above = pc.fill_null(nodes.column("parent"), 0).to_numpy().astype(np.int64)
    width = int(own.max(initial=0)) + 1
    places = line * width + own
    found = np.searchsorted(places, line * width + above)
    return np.where(_mask(pc.is_null(nodes.column("parent"))), -1, found)


def _plain(nodes: pa.Table, kind: pa.Array, key: pa.Array) -> bool:
    if pc.any(pc.is_in(key.unique(), value_set=_SPECIAL)).as_py():
        return False
    integers = pc.is_in(kind, value_set=pa.array(["BIGINT", "UBIGINT"]))
    if nodes.column("whole").null_count != nodes.num_rows - (pc.sum(integers).as_py() or 0):
        return False  # beyond 64 bits
    real = nodes.column("real").drop_null()
    doubles = nodes.filter(pc.equal(kind, "DOUBLE")).column("text")
    digits = pc.match_substring_regex(doubles, "^-?[0-9]+$")  # an integer that is too large
    finite = pc.all(pc.is_finite(real)).as_py() is not False
    return finite and len(real) == len(doubles) and pc.any(digits).as_py() is not True


def _depths(owner: Numbers) -> Numbers | None:
    """How deep each node is; None if one is too deep."""
    depth = np.ones(len(owner), np.int64)
    above = owner.copy()
    for _ in range(DEEP):
        inner = np.flatnonzero(above >= 0)
        if not len(inner):
            return depth
        depth[inner] += 1
        above[inner] = owner[above[inner]]
    return None


def _atoms(nodes: pa.Table, kind: pa.Array, number: Numbers) -> tuple[Numbers, pa.Array, pa.Array, pa.Array, pa.Array]:
    atomic = np.flatnonzero(_mask(pc.is_in(kind, value_set=pa.array(list(_KINDS)))))
    rows = nodes.take(pa.array(atomic))
    kinds = rows.column("type").combine_chunks().dictionary_encode()
    types = pa.array([_KINDS[k] for k in kinds.dictionary.to_pylist()], pa.string()).take(kinds.indices)
    written = rows.column("text").combine_chunks()
    whole = rows.column("whole").combine_chunks()
    real = pc.add(rows.column("real").combine_chunks(), 0.0)  # there is no -0.0
    words = pc.equal(rows.column("type"), "VARCHAR").combine_chunks()
    numeric = pc.coalesce(_read_as_number(pc.if_else(words, written, None)), whole.cast(pa.float64(), safe=False), real)
    texts = pc.coalesce(_shown(real), written)
    return number[atomic], types, whole, numeric, texts


def _read_as_number(words: pa.Array) -> pa.Array:
    """What texts read as, each text once."""
    coded = words.dictionary_encode()
    known = pa.array([number_in(w) for w in coded.dictionary.to_pylist()], pa.float64())
    return known.take(coded.indices)


def _shown(real: pa.Array) -> pa.Array:
    """Real numbers as Python writes them."""
    coded = real.dictionary_encode()
    return pa.array([repr(x) for x in coded.dictionary.to_pylist()], pa.string()).take(coded.indices)


def _mask(condition: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    whole = condition.combine_chunks() if isinstance(condition, pa.ChunkedArray) else condition
    return np.asarray(pc.fill_null(whole, False).to_numpy(zero_copy_only=False), dtype=bool)
