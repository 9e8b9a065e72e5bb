"""What an OQL query gives, as its rows are to be read."""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.objects.types import OType


@dataclass(frozen=True)
class ResultType:
    """`members`: the type is a collection and each row is a member of it; otherwise the one row is the result."""

    type: OType
    members: bool
