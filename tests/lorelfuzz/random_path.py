"""Random paths that mostly lead somewhere: at each step the labels are looked at that leave what was reached."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.lorel.oracle.evaluate import Meaning
from tests.lorel.oracle.paths import Rest, walk
from tests.lorelfuzz.random_graph import random_label

from belvedere.languages.lorel.syntax import AnyPath, Group, Label, PathStep, Step

PLAIN = ("label",)
SHAPES = ("label", "pattern", "any", "alternation", "#", "?", "*", "+", "sequence", "nested")
WEIGHTS = (60, 7, 3, 7, 5, 5, 5, 4, 3, 1.5)


class Paths:
    """Makes steps, and knows where they lead in the graph as it is."""

    def __init__(self, rng: random.Random, meaning: Meaning) -> None:
        self.rng = rng
        self.meaning = meaning

    def steps(self, starts: set[str], count: int, *, plain: bool = False) -> tuple[Rest, set[str]]:
        """Steps, and what they reach."""
        found: list[PathStep] = []
        here = starts
        for _ in range(count):
            step = self.step(here, plain=plain)
            there = self.reach(here, step)
            if not there and self.rng.random() < 0.8:
                break
            found.append(step)
            here = there
        return tuple(found), here

    def reach(self, starts: set[str], step: PathStep) -> set[str]:
        bare = replace(step, variable=None)
        return set().union(*(walk(self.meaning.out, o, (bare,))[0] for o in starts))

    def step(self, here: set[str], *, plain: bool = False) -> PathStep:
        rng = self.rng
        match "label" if plain else rng.choices(SHAPES, WEIGHTS)[0]:
            case "label":
                return self.one(here)
            case "pattern":
                return Step(self.pattern(here))
            case "any":
                return Step(Label("%", pattern=True))
            case "alternation":
                return Group(tuple((self.one(here),) for _ in range(rng.choice((2, 2, 3)))))
            case "#":
                return AnyPath()
            case ("?" | "*" | "+") as repeat:
                inner = self.one(here) if rng.random() < 0.7 else Step(self.pattern(here))
                more = ((self.one(here),),) if rng.random() < 0.3 else ()
                return Group(((inner,), *more), repeat)
            case "sequence":
                first = self.one(here)
                second = self.one(self.reach(here, first))
                more = ((self.one(here),),) if rng.random() < 0.5 else ()
                return Group(((first, second), *more), rng.choice(("", "?", "*", "+")))
        first = self.one(here)
        deep = Group(((first,),), rng.choice("?*+"))
        return Group(((deep, self.one(self.reach(here, deep))), (self.one(here),)), rng.choice(("", "?", "*", "+")))

    def one(self, here: set[str]) -> Step:
        return Step(Label(self.label(here)))

    def label(self, here: set[str]) -> str:
        labels = sorted({label for o in here for label, _ in self.meaning.out.get(o, ())})
        return self.rng.choice(labels) if labels and self.rng.random() < 0.9 else random_label(self.rng)

    def pattern(self, here: set[str]) -> Label:
        label = self.label(here)
        at = self.rng.randrange(len(label))
        return Label(self.rng.choice((f"{label[: at + 1]}%", f"%{label[at:]}", f"{label[:1]}%{label[-1:]}", "%")), pattern=True)
