"""What the binder asks of the warehouse beyond tables: the names that stand for objects."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class OemNames(Protocol):
    """A catalog that can say which entry points there are. `None`: do not ask (a view that exists keeps its meaning when a
    name goes: it is then empty, not wrong)."""

    def entry_points(self) -> list[str] | None: ...
