"""The reference is right about what can be seen otherwise: paths against regular expressions, coercions against the page's words,
and both against the product's own Python."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from tests.lorel.oracle.coercion import OPERATORS, compare
from tests.lorel.oracle.evaluate import Meaning, Scope
from tests.lorel.oracle.graph import Graph
from tests.lorel.oracle.paths import Rest, after, ends
from tests.lorel.oracle.view import view_of
from tests.lorel.paper import EXAMPLE_1, EXAMPLE_2
from tests.lorelfuzz.random_graph import VALUES

from belvedere.languages.lorel.constants import satisfies
from belvedere.languages.lorel.parser import parse_query, parse_view
from belvedere.languages.lorel.syntax import AnyPath, Group, Label, PathStep, Step

LETTERS = "abc"


def as_regex(step: PathStep) -> str:
    match step:
        case Step():
            return "." if step.label.pattern else step.label.text
        case AnyPath():
            return ".*"
        case Group():
            return f"(?:{'|'.join(''.join(map(as_regex, a)) for a in step.alternatives)}){step.repeat}"


def random_step(rng: random.Random, depth: int) -> PathStep:
    if depth == 0 or rng.random() < 0.5:
        return rng.choice((Step(Label(rng.choice(LETTERS))), Step(Label(rng.choice(LETTERS))), Step(Label("%", True)), AnyPath()))
    inner = tuple(tuple(random_step(rng, depth - 1) for _ in range(rng.randint(1, 2))) for _ in range(rng.randint(1, 2)))
    return Group(inner, rng.choice(("", "?", "*", "+")))


def left_after(path: Rest, word: str) -> set[Rest]:
    states = {path}
    for letter in word:
        states = {s for state in states for s in after(state, letter)}
    return states


@pytest.mark.parametrize("seed", range(40))
def test_a_path_is_a_regular_expression(seed: int) -> None:
    rng = random.Random(seed)
    path = tuple(random_step(rng, 2) for _ in range(rng.randint(1, 3)))
    expression = re.compile("".join(map(as_regex, path)))
    for length in range(5):
        for word in map("".join, product(LETTERS, repeat=length)):
            found = any(ends(s) for s in left_after(path, word))
            assert found == (expression.fullmatch(word) is not None), (expression.pattern, word)


def test_the_same_coercions_as_the_product() -> None:
    for a, b in product(VALUES, repeat=2):
        for op in OPERATORS:
            assert compare(op, a, b) == satisfies(a, op, b), (a, op, b)


@pytest.mark.parametrize(
    ("left", "op", "right", "holds"),
    [
        (1, "=", 1.0, True), ("1", "=", 1, True), ("1.0", "=", "1", False), ("02", "=", 2, True), ("nan", "=", "nan", True),
        ("nan", "!=", 1, False), ("5d", ">", 1, False), (True, "=", 1, False), (True, "!=", 1, False), (True, "=", True, True),
        (2**53 + 1, "=", 2**53, False), (2**53 + 1, "=", float(2**53), True), ("x", "!=", 1, False), ("x", "!=", "y", True),
        (" 2", "=", 2, False), ("1e1", "=", 10, True), ("10", "<", "9", True), ("10", "<", 9, False),
    ],
)  # fmt: skip
def test_coercions(left: object, op: str, right: object, holds: bool) -> None:
    assert compare(op, left, right) is holds  # type: ignore[arg-type]


def figure_1() -> Graph:
    edges = {
        ("&1", "Restaurant", "&2"), ("&1", "Restaurant", "&3"), ("&1", "Restaurant", "&4"), ("&2", "Name", "&5"),
        ("&3", "Name", "&7"), ("&3", "Entree", "&9"), ("&3", "Entree", "&10"),
        ("&4", "Entree", "&10"), ("&4", "Name", "&11"), ("&9", "Name", "&14"),
        ("&9", "Ingredient", "&15"), ("&10", "Name", "&16"),
    }  # fmt: skip
    values = {"&5": "Thai City", "&7": "Baghdad Cafe", "&11": "Wendy's", "&14": "Beef Stew", "&15": "Mushroom", "&16": "Lamb"}
    return Graph.of({"Guide": "&1"}, edges, values)


def test_the_papers_example() -> None:
    graph = figure_1()
    assert {t.oid for _, t in Meaning(graph).rows(parse_query(EXAMPLE_1), Scope())} == {"&9"}
    found = view_of(graph, parse_view(EXAMPLE_2))
    assert found.primary == {"&9"}
    assert found.edges == {("&9", "Name", "&14"), ("&9", "Ingredient", "&15")}
    assert found.values == {"&14": "Beef Stew", "&15": "Mushroom"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select Guide.Restaurant.Name", {"&5", "&7", "&11"}),
        ('select Guide.Restaurant.Name where Guide.Restaurant.Name like "T%"', {"&5"}),
        ("select Guide.#", {"&1", "&2", "&3", "&4", "&5", "&7", "&9", "&10", "&11", "&14", "&15", "&16"}),
        ("select r from Guide.Restaurant r where not r.Entree", {"&2"}),
        ("select r from Guide.Restaurant r where count(r.Entree) = 2", {"&3"}),
        ('select r from Guide.Restaurant r where for all e in r.Entree: e.Ingredient = "Mushroom"', {"&2"}),
        ('select r from Guide.Restaurant r, r.%@L x where L = "Name" and x = "Thai City"', {"&2"}),
        ("select r from Guide.Restaurant r, Guide.Restaurant s where r.Entree == s.Entree and not r == s", {"&3", "&4"}),
        ("select x from &3(.Entree)?.Name x", {"&7", "&14", "&16"}),
    ],
)
def test_queries(text: str, expected: set[str]) -> None:
    assert {t.oid for _, t in Meaning(figure_1()).rows(parse_query(text), Scope())} == expected
