"""Paths of any form as automata, against Python's own regular expressions over words of labels."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest

from belvedere.languages.lorel.automaton import Automaton, automaton
from belvedere.languages.lorel.constants import fits
from belvedere.languages.lorel.parser import parse_query
from belvedere.languages.lorel.syntax import AnyPath, Group, Label, PathStep, Step

LABELS = ("a", "b", "ab")


def steps_of(text: str) -> tuple[PathStep, ...]:
    return parse_query(f"select x from G{text} x").ranges[0].path.steps


def accepts(machine: Automaton, word: tuple[str, ...]) -> bool:
    here = {0}
    for label in word:
        here = {t for s, test, t in machine.transitions if s in here and _takes(test, label)}
    return bool(here & machine.accepting)


def _takes(test: Label, label: str) -> bool:
    return fits(label, test.text) if test.pattern else label == test.text


def regex(steps: tuple[PathStep, ...]) -> str:
    """Labels are written with a point in front, as in the text."""
    return "".join(_one(s) for s in steps)


def _one(step: PathStep) -> str:
    match step:
        case Step(label=label):
            return r"\." + (label.text.replace("%", "[ab]*") if label.pattern else label.text) + r"(?=\.|$)"
        case AnyPath():
            return r"(?:\.[ab]+)*"
        case Group(alternatives=alternatives, repeat=repeat):
            return f"(?:{'|'.join(regex(a) for a in alternatives)}){repeat}"


def random_steps(rng: random.Random, depth: int) -> tuple[PathStep, ...]:
    return tuple(_random_step(rng, depth) for _ in range(rng.choice((1, 1, 2, 3))))


def _random_step(rng: random.Random, depth: int) -> PathStep:
    kind = rng.random()
    if depth and kind < 0.45:
        alternatives = tuple(random_steps(rng, depth - 1) for _ in range(rng.choice((1, 2, 3))))
        return Group(alternatives, rng.choice(("", "?", "*", "+")))
    if kind < 0.55:
        return AnyPath()
    text = rng.choice((*LABELS, "%", "a%", "%b"))
    return Step(Label(text, "%" in text))


@pytest.mark.parametrize("seed", range(60))
def test_random_paths(seed: int) -> None:
    steps = random_steps(random.Random(seed), 2)
    machine, pattern = automaton(steps), re.compile(regex(steps))
    for length in range(5):
        for word in product(LABELS, repeat=length):
            text = "".join(f".{x}" for x in word)
            assert accepts(machine, word) == (pattern.fullmatch(text) is not None), (regex(steps), word)


@pytest.mark.parametrize(
    ("text", "states", "transitions"),
    [(".#", 1, 1), ("(.a)*", 1, 1), ("((.a)*(.b)*)*", 1, 2), ("(.a)+", 2, 2), (".#(.a).#", 2, 3), ("(.a|.b)?", 2, 2)],
)
def test_states_with_one_future_are_one(text: str, states: int, transitions: int) -> None:
    machine = automaton(steps_of(text))
    assert len({0, *machine.entered}) == states
    assert len(machine.transitions) == transitions
