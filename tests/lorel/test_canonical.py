"""The canonical form of a view, and what it touches: the paper's one-step paths and RelevantOids."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lorel.paper import EXAMPLE_2, opened

import belvedere as bv
from belvedere.algebra.node import Node
from belvedere.languages.lorel import LorelBound, Spec
from belvedere.languages.lorel.binding import bind
from belvedere.languages.lorel.canonical import canonical
from belvedere.languages.lorel.parser import parse_view
from belvedere.languages.lorel.resolve import resolve_view
from belvedere.languages.lorel.scopes import Session
from belvedere.warehouse.names import CurrentNames
from belvedere.warehouse.resolve import Resolver
from belvedere.warehouse.result import Result


@pytest.fixture(scope="module")
def figure_1(tmp_path_factory: pytest.TempPathFactory) -> bv.Warehouse:
    return opened(tmp_path_factory.mktemp("figure"))


def spec_of(text: str) -> Spec:
    return canonical(resolve_view(parse_view(text), Session(text)))


def bound(wh: bv.Warehouse, text: str) -> LorelBound:
    return bind(text, CurrentNames(wh.registry), view=True)


def rows(wh: bv.Warehouse, node: Node) -> list[dict[str, object]]:
    return Result(wh.core, node, Resolver(wh.core.store, until=wh.epoch), node.schema.names, (), "duckdb", None).rows()


def touched(wh: bv.Warehouse, text: str) -> set[tuple[str, str]]:
    made = bound(wh, text)
    return {(made.variables[int(str(r["state"]))], str(r["node"])) for r in rows(wh, made.touched)}


def test_the_papers_example() -> None:
    spec = spec_of(EXAMPLE_2)
    assert spec.prim == (("Guide", "Restaurant", "r"), ("r", "Entree", "e"), ("r", "Name", "x"), ("e", "Ingredient", "y"))
    assert spec.adj == (("e", "Name", "n"), ("e", "Ingredient", "i"))
    assert spec.variables == ("Guide", "r", "e", "x", "y", "e", "n", "i")
    assert spec.starts == ((0, "Guide"),)
    assert spec.roots == ("Guide",)
    assert spec.selected == {2}
    assert spec.starts_adjunct == ((5, 0),)
    assert spec.shown == {5, 6, 7}
    assert spec.tests == {3: (("=", "Baghdad Cafe"),), 4: (("=", "Mushroom"),)}
    assert spec.simple


def test_relevant_oids_of_the_papers_example(figure_1: bv.Warehouse) -> None:
    prim = {("Guide", "&1")} | {("r", f"&{n}") for n in (2, 3, 4)} | {("e", f"&{n}") for n in (9, 10, 13)}
    names = {("x", f"&{n}") for n in (5, 7, 11)}
    ingredients = {("y", "&15"), ("y", "&17")}
    adjunct = {("n", "&14"), ("i", "&15")}
    assert touched(figure_1, EXAMPLE_2) == prim | names | ingredients | adjunct


def test_every_comparison_is_a_test_of_its_variable() -> None:
    spec = spec_of('select r from G.r r where 5 < r.a or not r.b like "x%" and r.c = r.d and count(r.e) > 1 and sum(r.f) > 1')
    tests = {spec.variables[s]: t for s, t in spec.tests.items()}
    assert tests == {"a": ((">", 5),), "b": (("like", "x%"),), "c": (None,), "d": (None,), "f": (None,)}
    assert not spec.simple


def test_the_end_of_a_repeated_path_has_the_states_of_its_automaton() -> None:
    spec = spec_of("select x from G.a y, y(.b.c)* x where x = 1")
    states = [s for s, t in spec.tests.items() if t == (("=", 1),)]
    assert {spec.variables[s] for s in states} == {"y", "x"}  # the path may be empty: then x is y
    inside = spec.variables.index("x~")
    end = spec.variables.index("x")
    y = spec.variables.index("y")
    assert set(spec.transitions) >= {(y, "b", None, inside), (inside, "c", None, end), (end, "b", None, inside)}


def test_any_label_and_patterns() -> None:
    spec = spec_of("select x from G.% y, y.a%b x")
    assert {t[1:3] for t in spec.transitions} == {(None, None), (None, "a%b")}


def test_oids_are_starts_but_no_names() -> None:
    spec = spec_of("select x from &5.a x where G.b = 1")
    assert {name for _, name in spec.starts} == {"&5", "G"}
    assert spec.roots == ("G",)


def test_what_is_touched_on_the_way_round_a_circle(tmp_path: Path) -> None:
    with bv.open(tmp_path, engine="duckdb") as wh:
        wh.load_oem("G", "&1 {a: &2 {b: &1, c: &3 5}, d: &4 {c: &5 5}}")
        text = "select x from G(.a|.b)* y, y.c x where x = 5 with x.z"
        assert touched(wh, text) == {("G", "&1"), ("y", "&1"), ("y", "&2"), ("x", "&3")}
        assert [r["oid"] for r in rows(wh, bound(wh, text).node) if r["kind"] == "primary"] == ["&3"]
