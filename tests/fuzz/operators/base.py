"""What an operator is: a name, a weight, and `sql(rng, scope)`, which writes a select over inputs it asks the scope for.

A new operator is one class with `@operator`; nothing else has to know about it.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import ClassVar

from tests.fuzz.scope import Query, Scope


class Operator(ABC):
    name: ClassVar[str]
    weight: ClassVar[int] = 10

    @abstractmethod
    def sql(self, rng: random.Random, scope: Scope) -> Query | None:
        """A select, or None if the scope has nothing to make one from."""


OPERATORS: dict[str, Operator] = {}


def operator(cls: type[Operator]) -> type[Operator]:
    """Register an operator under its name."""
    if cls.name in OPERATORS:
        raise AssertionError(f"two operators are called {cls.name}")
    OPERATORS[cls.name] = cls()
    return cls
