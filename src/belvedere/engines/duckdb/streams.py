"""What prepared statements read: streams under names that the connection knows.

To register one costs DuckDB a third of a millisecond, and statements of a view read rows of the same few forms; so they share
streams. That is safe because one statement runs at a time, and each puts its own rows in before and takes them out after.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

#: streams that no statement reads at the moment but may soon
IDLE = 256


@dataclass(eq=False)
class Stream:
    """A table that DuckDB reads as a stream; it may be another one of the same form the next time. `nothing` is the form."""

    name: str
    nothing: pa.Table
    table: pa.Table
    #: statements that read it
    users: int = 0

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


#: the form of the rows, and which of several such streams of one statement
Form = tuple[pa.Schema, int]


class Streams:
    """Those of one connection."""

    def __init__(self) -> None:
        self._known: dict[Form, Stream] = {}
        self._idle: OrderedDict[Form, None] = OrderedDict()
        self._number = 0

    def forget(self) -> None:
        """The connection is gone. Names are not given out twice, in case it is not."""
        self._known.clear()
        self._idle.clear()

    def take(self, con: duckdb.DuckDBPyConnection, schemas: Sequence[pa.Schema]) -> tuple[Stream, ...]:
        """A stream for each; all of them are different."""
        taken = []
        for form in _forms(schemas):
            stream = self._known.get(form)
            if stream is None:
                self._number += 1
                nothing = form[0].empty_table()
                # no relation within a statement has a name that begins like this (`names.Names.fresh`), and so hides it
                stream = self._known[form] = Stream(f"_rows_{self._number}", nothing, nothing)
                con.register(stream.name, stream)
            stream.users += 1
            self._idle.pop(form, None)
            taken.append(stream)
        return tuple(taken)

    def give_back(self, con: duckdb.DuckDBPyConnection, streams: Sequence[Stream]) -> None:
        """A statement that took them is gone."""
        for form in _forms([s.nothing.schema for s in streams]):
            stream = self._known[form]
            stream.users -= 1
            if not stream.users:
                self._idle[form] = None
        while len(self._idle) > IDLE:
            form, _ = self._idle.popitem(last=False)
            con.unregister(self._known.pop(form).name)


def _forms(schemas: Sequence[pa.Schema]) -> list[Form]:
    seen: Counter[pa.Schema] = Counter()
    forms = []
    for schema in schemas:
        forms.append((schema, seen[schema]))
        seen[schema] += 1
    return forms
