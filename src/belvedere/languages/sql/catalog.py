"""What the binder asks of the warehouse: relations and functions by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from belvedere.algebra.node import Node
from belvedere.algebra.types import Schema
from belvedere.algebra.typing import Signature
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import OType


@dataclass(frozen=True)
class Relation:
    """A table or a view. `node` is what stands for it in a plan; its columns are the schema's, in order."""

    name: str
    schema: Schema
    node: Callable[[], Node] | Node

    def plan(self) -> Node:
        return self.node if isinstance(self.node, Node) else self.node()


class Names(Protocol):
    """Names are found without regard to case, an exact match first; a name may be "db.table"."""

    def relation(self, name: str) -> Relation | None: ...

    def relation_names(self) -> list[str]: ...

    def objects(self) -> ObjectModel: ...

    def object_type(self, name: str) -> OType | None: ...

    def udf(self, name: str) -> Signature | None: ...
