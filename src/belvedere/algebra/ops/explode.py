"""Explode: one row for each element of an array or entry of a map in the row. Linear: works row by row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Array, Column, Int, Map, Schema


@dataclass(frozen=True)
class Explode(Node):
    """Adds `names`: one column for an array, two for a map; and `position` (int, from 0) if asked. `outer` keeps a row
    with NULLs where the collection is NULL or empty."""

    input: Node
    collection: Scalar
    names: tuple[str, ...]
    position: str | None = None
    outer: bool = False

    def __post_init__(self) -> None:
        need_columns("Explode", self.collection.columns, self.input)
        if len(self.names) != (2 if isinstance(self.collection.type, Map) else 1):
            raise ValueError("Explode: one name for an array, two for a map")

    @cached_property
    def schema(self) -> Schema:
        t = self.collection.type
        if isinstance(t, Map):
            added: tuple[Column, ...] = (Column(self.names[0], t.key), Column(self.names[1], t.value))
        elif isinstance(t, Array):
            added = (Column(self.names[0], t.element),)
        else:
            raise ValueError(f"Explode: {t} is neither an array nor a map")
        position = (Column(self.position, Int()),) if self.position else ()
        return Schema(self.input.schema.columns + position + added)

    def with_inputs(self, *inputs: Node) -> Node:
        return Explode(inputs[0], self.collection, self.names, self.position, self.outer)

    @property
    def label(self) -> str:
        return f"Explode{' outer' if self.outer else ''} {self.collection} AS {', '.join(self.names)}"
