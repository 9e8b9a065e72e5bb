"""The paper's database of section 5.1: one guide, restaurants with entrees, entrees with ingredients and two names.

A second name, Spare, keeps a restaurant of its own and some atoms alive, so that an edge to them can come and go without
anything becoming garbage: the paper's updates are of edges between objects that stay.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.graph_views.measure import Update

import belvedere as bv

SEED = 1998
NAME, INGREDIENT = "Baghdad Cafe", "Mushroom"
#: Example 2 of the paper
FAVORITES = f"""
define view FavoriteEntrees as
  Entrees = select e
  from   Guide.Restaurant r, r.Entree e
  where  exists x in r.Name: x = "{NAME}"
  and    exists y in e.Ingredient: y = "{INGREDIENT}"
  with   e.Name n, e.Ingredient i
"""


def entree(rng: random.Random, oid: str, ingredients: int, wanted: bool) -> dict[str, Any]:
    foods = [f"Ingredient {rng.randrange(500)}" for _ in range(ingredients)]
    if wanted:
        foods[rng.randrange(ingredients)] = INGREDIENT
    return {"&id": oid, "Name": [f"Entree {oid}", f"Dish {rng.randrange(1000)}"], "Ingredient": foods}


def restaurants(count: int, entrees: int, selectivity: float, ingredients: int = 10) -> Iterator[dict[str, Any]]:
    """Both conditions hold of as many, so that together they select the part wanted. The first restaurant is in, the second
    is not, and the first entree of both has the ingredient while the second has not."""
    rng, each = random.Random(SEED), selectivity**0.5
    for n in range(count):
        wanted = n == 0 or (n != 1 and rng.random() < each)
        dishes = [entree(rng, f"&r{n}e{m}", ingredients, m != 1 and (m == 0 or rng.random() < each)) for m in range(entrees)]
        yield {"&id": f"&r{n}", "Name": NAME if wanted else f"Restaurant {n}", "Entree": dishes}


def spare(entrees: int) -> dict[str, Any]:
    rng = random.Random(SEED + 1)
    dishes = [entree(rng, f"&se{m}", 10, m % 2 == 0) for m in range(entrees)]
    return {
        "&id": "&spare", "Kept": {"&id": "&sr", "Name": NAME, "Entree": dishes}, "Name": NAME, "Ingredient": INGREDIENT,
        "Other": "Nut", "Phone": "555",
    }  # fmt: skip


def loaded(wh: bv.Warehouse, directory: Path, count: int, entrees: int, selectivity: float = 0.5) -> int:
    """Load both names; how many edges there are."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"guide-{count}-{selectivity}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for r in restaurants(count, entrees, selectivity):
            file.write(json.dumps(r) + "\n")
    wh.load_oem("Guide", path, label="Restaurant")
    path.unlink()
    wh.load_oem("Spare", spare(entrees))
    [row] = wh.query("select count(*) n from oem.edges").rows()
    return int(row["n"])


def target(wh: bv.Warehouse, source: str, label: str, text: str | None = None) -> str:
    """The object at the end of an edge; of several the one with that value, or the first."""
    found = wh.query(
        f"select e.target, v.text from oem.edges e left join oem.values v on v.oid = e.target "
        f"where e.source = '{source}' and e.label = '{label}' order by 1"
    ).rows()
    return str(next(r["target"] for r in found if text is None or r["text"] == text))


def root(wh: bv.Warehouse, name: str) -> str:
    [row] = wh.query(f"select oid from oem.names where name = '{name}'").rows()
    return str(row["oid"])


def edge(what: str, source: str, label: str, target: str, relevant: bool = True) -> Update:
    return Update(
        f"Ins {what}", f"Del {what}",
        lambda tx: tx.add_edge(source, label, target), lambda tx: tx.remove_edge(source, label, target), relevant,
    )  # fmt: skip


def value(what: str, oid: str, old: str, new: str, relevant: bool = True) -> Update:
    return Update(
        f"Chg {what}", f"Chg {what}, back", lambda tx: tx.set_value(oid, new), lambda tx: tx.set_value(oid, old), relevant
    )


def edges(wh: bv.Warehouse) -> list[Update]:
    """An edge for each one-step path of the view: r0 is in it and r1 is not, for want of the name."""
    return [
        edge("Restaurant", root(wh, "Guide"), "Restaurant", "&sr"),
        edge("Entree", "&r0", "Entree", "&se0"),
        edge("Name", "&r1", "Name", target(wh, "&spare", "Name")),
        edge("Ingredient", "&r0e1", "Ingredient", target(wh, "&spare", "Ingredient")),
        edge("Ingredient, shown", "&r0e0", "Ingredient", target(wh, "&spare", "Other")),
    ]


def values(wh: bv.Warehouse) -> list[Update]:
    """Both conditions turned, and a value that is only shown."""
    return [
        value("Name", target(wh, "&r0", "Name"), NAME, "Wendy's"),
        value("Ingredient", target(wh, "&r0e0", "Ingredient", INGREDIENT), INGREDIENT, "Beef"),
        value("Name, shown", target(wh, "&r0e0", "Name"), "Entree &r0e0", "Stew"),
    ]


def irrelevant(wh: bv.Warehouse) -> list[Update]:
    """What cannot matter: a label the view does not know, an edge elsewhere, a value from one that fails to another."""
    return [
        edge("Phone, unknown", "&r0", "Phone", target(wh, "&spare", "Phone"), relevant=False),
        edge("Ingredient, elsewhere", "&sr", "Ingredient", target(wh, "&spare", "Ingredient"), relevant=False),
        value("Name, both fail", target(wh, "&r1", "Name"), "Restaurant 1", "Hunan Wok", relevant=False),
    ]
