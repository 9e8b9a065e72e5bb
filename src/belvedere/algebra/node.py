"""What every operator of the algebra is: an immutable node that checks itself when made and carries its schema.

All relations are Z-sets. A node's schema names its visible columns; the weight is not among them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import TypeVar

from belvedere.algebra.types import Schema

N = TypeVar("N", bound="Node")

#: every concrete operator, in order of definition: dispatch tables are checked against it
OPERATORS: list[type[Node]] = []


@dataclass(frozen=True)
class Node(ABC):
    """An operator with its inputs. Plans are graphs, in which parts are used more than once: a node remembers its hash, and
    walks come by each part once, so that the work on a plan grows with its parts and not with the paths through it."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        OPERATORS.append(cls)
        # before the dataclass decorator looks: what is there already, it leaves alone
        cls.__hash__ = Node.__hash__  # type: ignore[method-assign]
        cls.__eq__ = Node.__eq__  # type: ignore[method-assign]

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = self.__dict__["_hash"] = hash((type(self), *(getattr(self, name) for name in _names(type(self)))))
        return known

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or hash(self) != hash(other):
            return False
        for name in _names(type(self)):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not theirs and mine != theirs:
                return False
        return True

    @cached_property
    @abstractmethod
    def schema(self) -> Schema:
        """The visible columns of the result."""

    @cached_property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes it reads, in the order of its fields."""
        return tuple(v for name in _names(type(self)) if isinstance(v := getattr(self, name), Node))

    @abstractmethod
    def with_inputs(self, *inputs: Node) -> Node:
        """The same operator over other inputs."""

    @property
    def label(self) -> str:
        """One line for a person."""
        return type(self).__name__

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first, each once."""
        seen: set[int] = set()
        todo: list[Node] = [self]
        while todo:
            node = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            todo.extend(reversed(node.inputs))

    def transform(self, rule: Callable[[Node], Node]) -> Node:
        """Rewrite bottom-up: inputs first, then the node itself. A part that is used twice is rewritten once."""
        done: dict[int, Node] = {}

        def visit(node: Node) -> Node:
            if id(node) not in done:
                inputs = tuple(visit(i) for i in node.inputs)
                same = all(a is b for a, b in zip(inputs, node.inputs, strict=True))
                done[id(node)] = rule(node if same else node.with_inputs(*inputs))
            return done[id(node)]

        return visit(self)

    def __str__(self) -> str:
        lines: list[str] = []

        def show(node: Node, depth: int) -> None:
            lines.append("  " * depth + node.label)
            for i in node.inputs:
                show(i, depth + 1)

        show(self, 0)
        return "\n".join(lines)


@cache
def _names(operator: type[Node]) -> tuple[str, ...]:
    """The fields of an operator: plans are compared often, and asking a dataclass takes longer than comparing."""
    return tuple(f.name for f in fields(operator))
