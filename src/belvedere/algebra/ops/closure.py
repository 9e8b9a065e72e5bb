"""Closure: what can be reached from seeds by steps, however long the way; the least fixpoint, on cyclic data too.

    seeds  (src string, state int, node string)
    steps  (s1 int, a string, s2 int, b string)
    result (src, state, node): the seeds, and (src, s2, b) wherever (src, s1, a) is in it and (s1, a, s2, b) is a step

States are those of an automaton, nodes those of a graph, so that the ways which count are the words that the automaton reads.
Both inputs count as sets, by position; a row with a NULL in it is neither seed nor step. Each row of the result comes once.

With `ranked`, each row has a `rank` that proves it: 0 for a seed, and for any other row larger than the rank of some row that
a step leads from to it. That is what deletions need: on a cycle, rows that hold up nothing but each other would be kept forever
by counting, while a chain of falling ranks can only end in a seed.

Neither linear nor a matter of keys: a view never propagates through it. It is a stage of its own, maintained by a procedure
(`maintenance/reach.py`); engines evaluate it before the statement that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from belvedere.algebra.node import Node
from belvedere.algebra.types import BigInt, Column, Int, Schema, String

SEEDS = (String(), Int(), String())
STEPS = (Int(), String(), Int(), String())
RANK = Column("rank", BigInt())


@dataclass(frozen=True)
class Closure(Node):
    seeds: Node
    steps: Node
    ranked: bool = False

    def __post_init__(self) -> None:
        for name, node, wanted in (("seeds", self.seeds, SEEDS), ("steps", self.steps, STEPS)):
            if tuple(c.type for c in node.schema) != wanted:
                raise ValueError(f"Closure: {name} are ({', '.join(map(str, wanted))}), not ({node.schema})")

    @cached_property
    def schema(self) -> Schema:
        reached = (Column("src", String()), Column("state", Int()), Column("node", String()))
        return Schema((*reached, RANK) if self.ranked else reached)

    def with_inputs(self, *inputs: Node) -> Node:
        return Closure(inputs[0], inputs[1], self.ranked)

    def with_rank(self) -> Closure:
        """The same, with the proof of each row."""
        return replace(self, ranked=True)

    @property
    def label(self) -> str:
        return f"Closure of seeds under steps{', ranked' if self.ranked else ''}"
