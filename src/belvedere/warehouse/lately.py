"""Choices for small changes that were made lately.

To weigh the ways of a refresh takes a quarter of a millisecond, and a small change is followed in five. From one small change to
the next, nothing that is weighed moves by much: so the last choice stands until what the view reads has doubled or halved,
another kind of change comes, or the cost model has learned.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from belvedere.planning.choice import Choice
from belvedere.planning.cost import CostModel, Work

if TYPE_CHECKING:
    from belvedere.warehouse.definition import Definition
    from belvedere.warehouse.inputs import Inputs

#: all that a view reads is counted again when so much of it has changed, or after so many refreshes
PART, TIMES = 8, 32
#: choices between the same ways, one for each time that the cost model learns
AGAIN = 3


@dataclass(frozen=True)
class Ways:
    """What a choice is made between: by strategy, what evaluating reads, the engines that can do it, and why it cannot be had;
    and the ways to the first stage's delta that were compared, with the best."""

    work: Mapping[str, Work]
    engines: Mapping[str, Sequence[str]]
    why_not: Mapping[str, str]
    picked: Any


@dataclass(frozen=True)
class Chosen:
    """A choice, and what it was made for."""

    definition: Definition
    costs: CostModel
    asked: Hashable
    ways: Ways
    choice: Choice
    #: how often it was made again between these ways
    again: int = 0

    @property
    def is_old(self) -> bool:
        """Whether the ways are to be looked at again, too: more may lie in memory by now."""
        return self.again >= AGAIN


@dataclass
class _Size:
    """How much a view read in all when it was last looked at, and what has changed since."""

    definition: Definition
    whole: int
    changed: int = 0
    times: int = 0


@dataclass
class Lately:
    """The last choice of each view."""

    _made: dict[str, Chosen] = field(default_factory=dict)
    _sizes: dict[str, _Size] = field(default_factory=dict)

    def whole(self, d: Definition, rows: int, measure: Callable[[], int]) -> int:
        """The rows of all that a view reads, as far as it matters: so many of them have changed."""
        known = self._sizes.get(d.name)
        if known is not None and known.definition is d:
            known.changed += rows
            known.times += 1
            if known.changed * PART <= known.whole and known.times < TIMES:
                return known.whole
        self._sizes[d.name] = _Size(d, measure())
        return self._sizes[d.name].whole

    def find(self, d: Definition, asked: Hashable) -> Chosen | None:
        """The last choice that was asked for like that. Where the cost model has learned since, the ways are the same, and it is
        to be made again."""
        found = self._made.get(d.name)
        return found if found is not None and found.definition is d and found.asked == asked else None

    def keep(self, made: Chosen) -> None:
        self._made[made.definition.name] = made

    def forget(self, view: str) -> None:
        self._made.pop(view, None)
        self._sizes.pop(view, None)


def asked(d: Definition, inputs: Inputs, whole: int, strategy: str, engine: str | None) -> Hashable:
    """What a choice depends on, as far as it matters: kinds of changes, and sizes by powers of two. The columns of updates decide
    only where identities are kept."""
    kinds = (frozenset(x) for x in (inputs.relevant, inputs.deleting, inputs.inserting))
    columns = frozenset(inputs.updated.items()) if any(s.support for s in d.plan.stages) else None
    return *kinds, columns, inputs.rows.bit_length(), whole.bit_length(), strategy, engine
