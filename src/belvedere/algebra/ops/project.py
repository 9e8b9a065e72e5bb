"""Project: computes columns from columns, row by row. Linear: Δπ(X) = π(ΔX). Equal results add their weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from belvedere.algebra.check import need_columns
from belvedere.algebra.node import Node
from belvedere.algebra.scalar import Scalar, cols
from belvedere.algebra.types import Column, Schema


@dataclass(frozen=True)
class Project(Node):
    input: Node
    items: tuple[tuple[str, Scalar], ...]

    def __post_init__(self) -> None:
        for _, s in self.items:
            need_columns("Project", s.columns, self.input)

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(Column(n, s.type) for n, s in self.items))

    def with_inputs(self, *inputs: Node) -> Node:
        return Project(inputs[0], self.items)

    @property
    def label(self) -> str:
        return "Project " + ", ".join(n if s.column == n else f"{s} AS {n}" for n, s in self.items)


def keep(node: Node, names: tuple[str, ...]) -> Node:
    """Only these columns, in this order."""
    if node.schema.names == names:
        return node
    return Project(node, cols(node.schema.select(names)))


def renamed(node: Node, names: tuple[str, ...]) -> Node:
    """The same columns under other names, by position."""
    if node.schema.names == names:
        return node
    return Project(node, tuple((n, s) for n, (_, s) in zip(names, cols(node.schema), strict=True)))
