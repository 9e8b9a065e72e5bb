"""A pile of irregular JSON, three views over it in Lorel, and a thousand edits that they follow.

    python examples/restaurants.py                      # 25,000 restaurants in a temporary directory
    python examples/restaurants.py --restaurants 500 --edits 50 --in town
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import belvedere as bv

STREETS = ("Alma Street", "University Avenue", "El Camino Real", "Emerson Street")
DISHES = ("Beef Stew", "Pad Thai", "Falafel", "Mushroom Soup", "Lasagne", "Dal", "Ramen")
FOODS = ("Mushroom", "Beef", "Rice", "Noodles", "Tomato", "Chickpeas", "Egg", "Chili")

CHEAP = """
define view Cheap as
  Restaurants = select r
  from   Guide.Restaurant r
  where  exists e in r.Entree: e.Price < 6
  with   r.Name, r.Entree.Name
"""
MUSHROOMS = """
define view Mushrooms as
  Entrees = select e
  from   Guide.Restaurant r, r(.Menu)?.Entree e
  where  e.Ingredient = "Mushroom" and r.Rating >= 4
  with   e.Name, e.Ingredient
"""
NEAR = """
define view Near as
  Places = select n
  from   Guide.Restaurant r, r(.Nearby)+ n
  where  r.Name = "Restaurant 7" and not n.Closed = true
  with   n.Name, n.Address.#
"""


def restaurant(rng: random.Random, number: int) -> dict[str, Any]:
    """As found on the web: what is missing, repeated, nested or of another type differs from one to the next."""
    found: dict[str, Any] = {"&id": f"&r{number}", "Name": f"Restaurant {number}"}
    if rng.random() < 0.1:
        found["Name"] = [found["Name"], f"Chez {number}"]
    if rng.random() < 0.8:
        found["Rating"] = rng.choice((1, 2, 3, 4, 5, 4.5, "4", "5", "five", "4 stars"))
    if rng.random() < 0.9:
        street, code = f"{rng.randint(1, 99)} {rng.choice(STREETS)}", rng.choice((94301, "94301"))
        found["Address"] = street if rng.random() < 0.5 else {"Street": street, "City": "Palo Alto", "Zip": code}
    entrees = [entree(rng, f"&e{number}_{n}") for n in range(rng.choice((0, 1, 1, 2, 3)))]
    if entrees and rng.random() < 0.2:
        found["Menu"] = {"Entree": entrees, "Season": rng.choice(("spring", "winter", None))}
    elif entrees:
        found["Entree"] = entrees if len(entrees) > 1 else entrees[0]
    if number and rng.random() < 0.6:  # one that was written before; together they make paths, and later cycles
        found["Nearby"] = {"$ref": f"&r{max(0, number - rng.randint(1, 20))}"}
    if rng.random() < 0.05:
        found["Closed"] = rng.choice((True, False, "yes"))
    return found


def entree(rng: random.Random, oid: str) -> dict[str, Any]:
    found: dict[str, Any] = {"&id": oid, "Name": rng.choice(DISHES)}
    if rng.random() < 0.9:
        price = rng.randint(4, 30)
        found["Price"] = rng.choice((price, price + 0.5, str(price), f"${price}"))
    if rng.random() < 0.8:
        found["Ingredient"] = rng.sample(FOODS, rng.randint(1, 4))
    return found


def written(path: Path, count: int) -> Path:
    """A line for each restaurant."""
    rng = random.Random(1998)
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            file.write(json.dumps(restaurant(rng, n)) + "\n")
    return path


class Editor:
    """Makes edits at random: edges that come and go, values that change, whole objects that are new."""

    KINDS = ("rate", "rate", "rate again", "entree", "entree", "take away", "nearby", "nearby", "close")

    def __init__(self, restaurants: int) -> None:
        self.rng = random.Random(17)
        self.restaurants = restaurants
        self.ratings: list[str] = []
        self.edges: list[tuple[str, str, str]] = []

    def some(self) -> str:
        return f"&r{self.rng.randrange(self.restaurants)}"

    def edit(self, tx: Any) -> None:
        rng, r = self.rng, self.some()
        match rng.choice(self.KINDS):
            case "rate":
                self.ratings.append(tx.add_object(value=rng.choice((3, 4, 5, "5"))))
                tx.add_edge(r, "Rating", self.ratings[-1])
            case "rate again" if self.ratings:
                tx.set_value(rng.choice(self.ratings), rng.choice((1, 3, 4, "4.5", "bad")))
            case "take away" if self.edges:
                tx.remove_edge(*self.edges.pop(rng.randrange(len(self.edges))))
            case "close":
                tx.add_edge(r, "Closed", tx.add_object(value=True))
            case "entree":
                e = tx.add_object()
                tx.add_edge(e, "Name", tx.add_object(value=rng.choice(DISHES)))
                tx.add_edge(e, "Price", tx.add_object(value=rng.randint(3, 20)))
                tx.add_edge(e, "Ingredient", tx.add_object(value=rng.choice(FOODS)))
                self._edge(tx, r, "Entree", e)
            case _:
                self._edge(tx, r, "Nearby", f"&r{self.rng.randrange(self.restaurants)}")

    def _edge(self, tx: Any, source: str, label: str, target: str) -> None:
        tx.add_edge(source, label, target)
        if (source, label, target) not in self.edges:
            self.edges.append((source, label, target))


def run(path: Path, restaurants: int, count: int) -> None:
    editor = Editor(restaurants)
    with bv.open(path, engine="duckdb") as wh:
        began = time.perf_counter()
        print("loaded:", wh.load_oem("Guide", written(path.parent / "restaurants.jsonl", restaurants), label="Restaurant"))
        print(f"in {time.perf_counter() - began:.1f} s")
        views = [
            wh.create_view(name, text, language="lorel")
            for name, text in (("Cheap", CHEAP), ("Mushrooms", MUSHROOMS), ("Near", NEAR))
        ]
        for v in views:
            found = v.graph()
            print(f"{v.name}: {len(found.primary):,} primary objects, {len(found.edges):,} edges, {len(found.values):,} values")

        ways: dict[str, int] = {}
        began = time.perf_counter()
        for _ in range(count):
            with wh.transaction() as tx:
                editor.edit(tx)
            for report in wh.refresh():
                ways[report.strategy] = ways.get(report.strategy, 0) + 1
        each = (time.perf_counter() - began) / count * 1000
        print(f"{count:,} edits, each followed at once: {each:.1f} ms each; refreshes: {ways}")

        wh.execute("update r.Rating := 1 from Guide.Restaurant r where r.Closed = true")  # the same as text
        wh.execute('update Guide.Restaurant.Entree -= e from Guide.Restaurant.Entree e where e.Name = "Dal"')
        print(*wh.refresh(), sep="\n")
        print(wh.query("select count(*) n from Mushrooms.objects").rows())
        for v in views:
            assert v.verify().ok  # equals recomputation
        print("all three equal recomputation")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Irregular JSON, and views in Lorel that follow it.")
    parser.add_argument("--in", dest="path", type=Path, help="where the warehouse is made; a temporary directory if absent")
    parser.add_argument("--restaurants", type=int, default=25_000)
    parser.add_argument("--edits", type=int, default=1_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        place = chosen.path or Path(directory, "town")
        place.parent.mkdir(parents=True, exist_ok=True)
        run(place, chosen.restaurants, chosen.edits)
