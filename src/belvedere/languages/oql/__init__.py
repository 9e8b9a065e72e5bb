"""OQL text → comprehensions → the monoid algebra → our algebra."""

from __future__ import annotations

from belvedere.languages.oql.binding import OqlBound, bind

__all__ = ["OqlBound", "bind"]
