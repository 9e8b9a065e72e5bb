"""A random view: ranges that follow each other or join, conditions, selected items, with paths."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.lorel.oracle.evaluate import Meaning
from tests.lorel.oracle.graph import Graph
from tests.lorelfuzz.random_condition import Conditions, Known
from tests.lorelfuzz.random_path import Paths

from belvedere.languages.lorel.syntax import Comparison, Item, Label, Path, PathStep, Query, Range, Start, Step, View


class RandomView:
    def __init__(self, rng: random.Random, graph: Graph, number: int, oids: bool) -> None:
        self.rng = rng
        self.graph = graph
        self.number = number
        self.paths = Paths(rng, Meaning(graph))
        self.conditions = Conditions(rng, graph, self.paths)
        self.known = Known(oids=oids)

    def make(self) -> View:
        rng = self.rng
        if rng.random() < 0.1:
            query, starts = self.without_from()
        else:
            query, starts = self.with_from()
        named = rng.random() < 0.8
        return View(query, self.with_paths(starts), f"v{self.number}" if named else None, f"V{self.number}" if named else None)

    # from

    def with_from(self) -> tuple[Query, list[tuple[Path, set[str]]]]:
        rng = self.rng
        ranges = [self.range(first=n == 0) for n in range(rng.choice((1, 1, 2, 2, 2, 3, 4)))]
        where = self.conditions.condition(self.known) if rng.random() < 0.8 else None
        items = self.items()
        selected = tuple(Item(p, rng.choice((None, None, "found"))) for p, _ in items)
        return Query(selected, tuple(ranges), where, rng.random() < 0.1), items

    def range(self, *, first: bool) -> Range:
        rng, known = self.rng, self.known
        if first or rng.random() < 0.15:
            if known.oids and rng.random() < 0.08:
                oid = rng.choice(sorted(self.graph.objects))
                start, here = Start(oid, oid=True), {oid}
            else:
                name = rng.choice(sorted(self.graph.names)) if rng.random() < 0.3 else next(iter(self.graph.names))
                start, here = Start(name), {self.graph.names[name]}
        else:
            inner = [v for v, os in known.variables.items() if any(o in self.paths.meaning.out for o in os)]
            v = rng.choice(inner or list(known.variables))
            start, here = Start(v), known.variables[v]
        steps, there = self.paths.steps(here, rng.choice((1, 1, 1, 2, 2, 3)))
        steps = self.with_variables(steps, here)
        variable = self.conditions.fresh("r")
        known.variables[variable] = there
        return Range(Path(start, steps), variable)

    def with_variables(self, steps: tuple[PathStep, ...], here: set[str]) -> tuple[PathStep, ...]:
        """Some steps get a variable for the object reached, or for the label."""
        found: list[PathStep] = []
        for step in steps:
            here = self.paths.reach(here, step)
            if self.rng.random() < 0.07:
                name = self.conditions.fresh("o")
                step = replace(step, variable=name)
                self.known.variables[name] = here
            if isinstance(step, Step) and self.rng.random() < (0.5 if step.label.pattern else 0.05):
                name = self.conditions.fresh("L")
                step = replace(step, label_variable=name)
                self.known.labels.append(name)
            found.append(step)
        return tuple(found)

    # select

    def items(self) -> list[tuple[Path, set[str]]]:
        """Mostly a variable, sometimes more, sometimes a path that may be missing."""
        rng, found = self.rng, []
        variables = list(self.known.variables.items())
        for v, here in rng.sample(variables, min(len(variables), rng.choice((1, 1, 1, 1, 2, 3)))):
            steps, there = self.paths.steps(here, 1, plain=rng.random() < 0.7) if rng.random() < 0.15 else ((), here)
            found.append((Path(Start(v), steps), there))
        return found

    def without_from(self) -> tuple[Query, list[tuple[Path, set[str]]]]:
        rng = self.rng
        name = next(iter(self.graph.names))
        start, root = Start(name), {self.graph.names[name]}
        steps, there = self.paths.steps(root, rng.choice((1, 2, 2, 3)))
        found = [(Path(start, steps), there)]
        if rng.random() < 0.5 and steps:  # several, that begin alike
            common = steps[: rng.randint(0, len(steps) - 1)]
            here = root
            for s in common:
                here = self.paths.reach(here, s)
            more, there = self.paths.steps(here, 1)
            found.append((Path(start, (*common, *more)), there))
        where = None
        if rng.random() < 0.6:
            path, objects = rng.choice(found)
            longer, there = self.paths.steps(objects, rng.choice((0, 1)))
            whole = Path(start, (*path.steps, *longer))
            where = self.conditions.condition(Known(), 0) if rng.random() < 0.3 else self.about(whole, there)
        return Query(tuple(Item(p) for p, _ in found), (), where), found

    def about(self, path: Path, objects: set[str]) -> Comparison:
        """A comparison of a path that begins as the ranges do."""
        return Comparison(self.rng.choice(("=", "!=", "<", ">=")), path, self.conditions.literal(objects))

    # with

    def with_paths(self, starts: list[tuple[Path, set[str]]]) -> tuple[Range, ...]:
        rng, found = self.rng, []
        places = list(starts)
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            path, here = rng.choice(places)
            steps, there = self.paths.steps(here, rng.choice((1, 1, 2, 3)))
            if not steps:
                steps, there = (Step(Label(self.paths.label(here))),), set()
            variable = self.conditions.fresh("w") if rng.random() < 0.5 else None
            found.append(Range(Path(path.start, (*path.steps, *steps)), variable))
            if variable:
                places.append((Path(Start(variable)), there))
        return tuple(found)
