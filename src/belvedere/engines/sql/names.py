"""Identifiers. Names in the algebra are arbitrary strings of the user's; what reaches an engine is made here.

Every column name of a statement gets one identifier: lower case, of letters, digits and underscores, unlike all others
without regard to case (DuckDB cannot tell `A` from `a`), and unlike the names of the statement's relations.
"""

from __future__ import annotations

import re

from sqlglot import exp

_WORDS = """
    all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint binary bit boolean both by
    case cast char character check coalesce collate collation column columns concurrently constraint create cross
    current_date current_time current_timestamp current_user database date day dec decimal default deferrable desc describe
    distinct do double else end escape except exists extract false fetch filter float for foreign freeze from full function
    generated glob grant group grouping grouping_id having hour if ilike in initially inner inout int integer intersect
    interval into is isnull join lambda lateral leading left like limit local map minus minute month national natural nchar
    none not notnull null nullif numeric offset on only or order out outer overlaps overlay partition pivot pivot_longer
    pivot_wider placing position positional precision primary qualify range real references returning right row rows second
    select semi session_user setof show similar smallint some struct substring summarize symmetric table tablesample then
    time timestamp to trailing treat trim true try_cast tuple union unique unknown unpack unpivot user using values varchar
    variadic verbose when where window with within year
"""

#: words that an engine would not take as an identifier; they are quoted
RESERVED = frozenset(_WORDS.split())

_LONGEST = 40


class Names:
    """Gives out identifiers of one statement, each once."""

    def __init__(self) -> None:
        self._taken = {"_w"}
        self._columns: dict[str, str] = {}

    def fresh(self, stem: str) -> str:
        """A new identifier like the stem.

        >>> n = Names()
        >>> n.fresh("Total Amount!"), n.fresh("total_amount"), n.fresh("42"), n.fresh("☃")
        ('total_amount', 'total_amount_2', 'n_42', 'x')
        """
        base = re.sub(r"[^a-z0-9_]+", "_", stem.lower().encode("ascii", "ignore").decode())[:_LONGEST].strip("_") or "x"
        if base[0].isdigit():
            base = f"n_{base}"
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def column(self, name: str) -> str:
        """The identifier of a column of the algebra: the same for the same name throughout the statement."""
        known = self._columns.get(name)
        if known is None:
            known = self._columns[name] = self.fresh(name)
        return known


def identifier(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=name in RESERVED)


def quoted(name: str, mark: str) -> str:
    """An identifier as text, in quotation marks where it must be."""
    return f"{mark}{name}{mark}" if name in RESERVED else name
