"""Statement: SQL text with holes where the scans go.

Lowering depends on the plan and on what is known of each scan's weights, not on the files: the same plan over new files is
the same statement, filled in again. That is why a refresh of ten rows does not pay for making its SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from belvedere.algebra.ops import Get
from belvedere.engines.sql.names import identifier

#: what is quoted, and line breaks that are not; a backslash in a string takes the next character with it in Spark
_PARTS = {
    "duckdb": re.compile(r"""'[^']*'|"[^"]*"|\n"""),
    "spark": re.compile(r"""'(?:[^'\\]|\\.)*'|`[^`]*`|"(?:[^"\\]|\\.)*"|\n""", re.DOTALL),
}


@dataclass(frozen=True)
class Slot:
    """A relation that reads a leaf. `columns` pairs each column of the collection with its identifier here."""

    name: str
    get: Get
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Cte:
    """A named relation of the statement: text, or a scan."""

    name: str
    body: str | Slot
    materialized: bool = False


@dataclass(frozen=True)
class Statement:
    """WITH ctes SELECT …; `columns` are the identifiers of the result in the order of the node's schema."""

    ctes: tuple[Cte, ...]
    body: str
    columns: tuple[str, ...]
    #: no two rows of the result are equal
    distinct: bool = False

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(c.body for c in self.ctes if isinstance(c.body, Slot))

    def render(self, dialect: str, scan: Callable[[Slot], str | None]) -> str:
        """The text. `scan` gives the SELECT of a slot, or None for one that the engine knows by its name already."""
        parts = []
        for cte in self.ctes:
            body = cte.body if isinstance(cte.body, str) else scan(cte.body)
            if body is None:
                continue
            hint = "MATERIALIZED " if cte.materialized else ""
            parts.append(f"{_quoted(cte.name, dialect)} AS {hint}(\n{indented(body, dialect)}\n)")
        return f"WITH {', '.join(parts)}\n{self.body}" if parts else self.body


@lru_cache(maxsize=4096)
def _quoted(name: str, dialect: str) -> str:
    return identifier(name).sql(dialect)


def indented(body: str, dialect: str) -> str:
    """Every line two spaces to the right, but for line breaks inside of quotes, which belong to a value or a name."""
    return "  " + _PARTS[dialect].sub(lambda m: "\n  " if m[0] == "\n" else m[0], body)
