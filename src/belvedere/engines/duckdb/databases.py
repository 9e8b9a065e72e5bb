"""DuckDB's databases in memory, each with its settings and macros.

To make one takes twenty milliseconds, most of them for functions that all of them have, and a connection to one that is there
takes none. So engines that ask for the same settings share a database for as long as any of them is open: what a statement
sees of others are its settings and macros only, since rows are registered, and statements prepared, with the connection.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping

import duckdb

from belvedere.engines.duckdb.macros import MACROS

#: statements after which a database is replaced
WORN = 4_000


class Database:
    """One database. It is gone when nobody has it any more.

    DuckDB 2.0 keeps some kilobytes of each statement with a join for as long as its database is open: 26 MB of 2,400 statements
    of a view, the last of which took a third longer than the first. So who has used one for long begins another."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._statements = 0
        self._first = duckdb.connect(":memory:")
        for name, value in settings.items():
            self._first.execute(f"SET GLOBAL {name} = {value}")
        for macro in MACROS:
            self._first.execute(macro)

    def use(self) -> None:
        """A statement is to be run."""
        self._statements += 1

    @property
    def is_worn(self) -> bool:
        return self._statements >= WORN

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own: its tables and prepared statements are nobody else's."""
        con = self._first.cursor()
        con.execute("SET enable_progress_bar = false")  # the one setting that each connection has for itself
        return con


#: by process, since a fork has threads of none of them, and settings
_SHARED: weakref.WeakValueDictionary[tuple[object, ...], Database] = weakref.WeakValueDictionary()


def shared(settings: Mapping[str, str]) -> Database:
    """The database with these settings; two threads that ask at once may get one each."""
    key = (os.getpid(), *settings.items())
    found = _SHARED.get(key)
    if found is None or found.is_worn:
        found = _SHARED[key] = Database(settings)
    return found
