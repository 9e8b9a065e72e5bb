"""Random conditions over variables whose objects are known, so that comparisons are near the values that are there."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.lorel.oracle.graph import Graph
from tests.lorelfuzz.random_graph import LABELS, random_value
from tests.lorelfuzz.random_path import Paths

from belvedere.languages.lorel.constants import Constant
from belvedere.languages.lorel.syntax import (
    Aggregate,
    And,
    Comparison,
    Condition,
    Exists,
    ForAll,
    Item,
    Literal,
    Member,
    Not,
    Or,
    Path,
    Query,
    Range,
    Start,
)

SHAPES = ("constant", "two", "aggregate", "same", "like", "bare", "exists", "all", "in", "query", "label")
WEIGHTS = (30, 8, 7, 4, 5, 6, 10, 5, 6, 4, 8)
OPERATORS = ("=", "=", "=", "!=", "<", "<=", ">", ">=")
FUNCTIONS = ("count", "count", "sum", "avg", "min", "max")


@dataclass
class Known:
    """Variables with the objects they may stand for, label variables, and the oids that a text may name."""

    variables: dict[str, set[str]] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    oids: bool = False

    def and_also(self, variable: str, objects: set[str]) -> Known:
        return Known({**self.variables, variable: objects}, self.labels, self.oids)


class Conditions:
    def __init__(self, rng: random.Random, graph: Graph, paths: Paths) -> None:
        self.rng = rng
        self.graph = graph
        self.paths = paths
        self.made = 0

    def fresh(self, letter: str = "x") -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def condition(self, known: Known, depth: int = 2) -> Condition:
        if depth and self.rng.random() < 0.45:
            parts = tuple(self.condition(known, depth - 1) for _ in range(self.rng.choice((2, 2, 3))))
            match self.rng.choice(("and", "or", "not")):
                case "and":
                    return And(parts)
                case "or":
                    return Or(parts)
                case _:
                    return Not(parts[0])
        return self.leaf(known, depth)

    def leaf(self, known: Known, depth: int) -> Condition:
        rng = self.rng
        shape = rng.choices(SHAPES, WEIGHTS)[0]
        path, objects = self.path(known)
        match shape:
            case "two":
                return Comparison(rng.choice(OPERATORS), path, self.path(known)[0])
            case "aggregate":
                return self.aggregate(known, path, objects)
            case "same":
                other = Path(Start(rng.choice(sorted(self.graph.objects)), oid=True)) if known.oids else self.path(known)[0]
                return Comparison("==", path, other)
            case "like":
                return Comparison("like", path, Literal(Constant.of(rng.choice(("x%", "%y", "%", "x_y", "xy", "%2%", "")))))
            case "bare":
                return Exists(None, path)
            case "exists":
                x = self.fresh()
                inner = self.condition(known.and_also(x, objects), max(0, depth - 1)) if rng.random() < 0.9 else None
                return Exists(x, path, inner)
            case "all":
                x = self.fresh()
                return ForAll(x, path, self.condition(known.and_also(x, objects), max(0, depth - 1)))
            case "in":
                element = path if rng.random() < 0.5 else self.literal(objects)
                return Member(element, self.path(known)[0] if rng.random() < 0.7 else self.query(known, depth))
            case "query":
                q = self.query(known, depth)
                return Exists(None, q) if rng.random() < 0.6 else Comparison(rng.choice(OPERATORS), path, q)
            case "label" if known.labels:
                label = Path(Start(rng.choice(known.labels)))
                if rng.random() < 0.3:
                    return Comparison("like", label, Literal(Constant.of(rng.choice(("a%", "%b%", "N%")))))
                return Comparison(rng.choice(("=", "=", "!=", "<")), label, Literal(Constant.of(rng.choice(LABELS))))
        sides = path, self.literal(objects)
        return Comparison(rng.choice(OPERATORS), *(sides if rng.random() < 0.9 else sides[::-1]))

    def path(self, known: Known) -> tuple[Path, set[str]]:
        """From a variable mostly, also the variable alone; sometimes from a name or an oid."""
        rng = self.rng
        roll = rng.random()
        if roll < 0.08 or not known.variables:
            name = rng.choice(sorted(self.graph.names))
            start, here = Start(name), {self.graph.names[name]}
        elif roll < 0.1 and known.oids:
            oid = rng.choice(sorted(self.graph.objects))
            start, here = Start(oid, oid=True), {oid}
        else:
            variable = rng.choice(sorted(known.variables))
            start, here = Start(variable), known.variables[variable]
        atomic = here <= self.graph.values.keys()
        steps, there = self.paths.steps(here, 0 if atomic and rng.random() < 0.9 else rng.choice((1, 1, 1, 2)))
        return Path(start, steps), there

    def literal(self, objects: set[str]) -> Literal:
        """A value that is there, or one like it."""
        values = [self.graph.values[o] for o in sorted(objects) if o in self.graph.values]
        value = self.rng.choice(values) if values and self.rng.random() < 0.75 else random_value(self.rng)
        return Literal(Constant.of(value))

    def aggregate(self, known: Known, path: Path, objects: set[str]) -> Comparison:
        rng = self.rng
        function = rng.choice(FUNCTIONS)
        over = path if rng.random() < 0.8 else self.query(known, 0)
        right = Literal(Constant.of(rng.choice((0, 1, 2, 3, "2", 2.5)))) if rng.random() < 0.8 else self.path(known)[0]
        return Comparison(rng.choice(OPERATORS), Aggregate(function, over), right)

    def query(self, known: Known, depth: int) -> Query:
        """A query inside: mostly about a variable outside."""
        path, objects = self.path(known)
        y = self.fresh("y")
        where = self.condition(known.and_also(y, objects), 0) if depth and self.rng.random() < 0.7 else None
        return Query((Item(Path(Start(y))),), (Range(path, y),), where)
