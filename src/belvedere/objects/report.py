"""What a deletion touched beyond the objects themselves."""

from __future__ import annotations

from builtins import property as property_
from dataclasses import dataclass

from belvedere.objects.oid import Oid


@dataclass(frozen=True)
class Touched:
    """The objects whose property lost a reference."""

    cls: str
    property: str
    owners: tuple[Oid, ...]

    @property_
    def count(self) -> int:
        return len(self.owners)

    def __str__(self) -> str:
        shown = ", ".join(map(repr, self.owners[:5]))
        return f"{self.cls}.{self.property} of {shown}{f' and {self.count - 5:,} more' if self.count > 5 else ''}"


@dataclass(frozen=True)
class Deletion:
    """The objects that went, and whose references to them were nilled or removed in the same transaction."""

    oids: tuple[Oid, ...]
    touched: tuple[Touched, ...]

    def __str__(self) -> str:
        gone = ", ".join(map(repr, self.oids[:5])) + (f" and {len(self.oids) - 5:,} more" if len(self.oids) > 5 else "")
        return f"deleted {gone}" + "".join(f"\n  {t}" for t in self.touched)
