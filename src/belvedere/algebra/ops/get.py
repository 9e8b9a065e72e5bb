"""Get: a leaf that reads a stored collection in one of its versions.

new = old + delta, as Z-sets: the identity that all change rules rest on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from belvedere.algebra.node import Node
from belvedere.algebra.types import Schema

Version = Literal["new", "old", "delta"]


@dataclass(frozen=True)
class Get(Node):
    """Columns of a collection. `columns` maps each visible name to the collection's own column name; `by` tells the
    columns (visible names) through which it is looked up, so that the store can choose the sort order to read."""

    name: str
    types: Schema
    columns: tuple[str, ...]
    version: Version = "new"
    by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.types):
            raise ValueError("Get: one collection column for each visible column")
        if not set(self.by) <= set(self.types.names):
            raise ValueError(f"Get: by {self.by} is not among {self.types.names}")

    @cached_property
    def schema(self) -> Schema:
        return self.types

    def with_inputs(self, *inputs: Node) -> Node:
        return self

    def at(self, version: Version) -> Get:
        return replace(self, version=version)

    def source(self, visible: str) -> str:
        """The collection's column behind a visible name."""
        return self.columns[self.types.names.index(visible)]

    @property
    def label(self) -> str:
        version = "" if self.version == "new" else f" [{self.version}]"
        by = f" by {', '.join(self.by)}" if self.by else ""
        return f"Get {self.name}{version} ({', '.join(self.schema.names)}){by}"


def gets(node: Node) -> tuple[Get, ...]:
    """The leaves of a plan that read collections, each once. A refresh asks often: a node remembers."""
    known: tuple[Get, ...] | None = node.__dict__.get("_gets")
    if known is None:
        known = (node,) if isinstance(node, Get) else tuple(dict.fromkeys(g for i in node.inputs for g in gets(i)))
        node.__dict__["_gets"] = known
    return known
