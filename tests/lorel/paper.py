"""The paper's Fig 1 and its view. The figure itself is lost; the text says this much of it, and the names of &11 and of what
hangs from &10 and &13 are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import belvedere as bv

FIGURE_1 = """
&1 {
  Restaurant: &2 {Name: &5 "Thai City", Address: &6 "Emerson Street"},
  Restaurant: &3 {
    Name: &7 "Baghdad Cafe", Rating: &8 "four stars",
    Entree: &9 {Name: &14 "Beef Stew", Ingredient: &15 "Mushroom"},
    Entree: &10 {Name: &16 "Lamb Kebab", Ingredient: &17 "Lamb"}
  },
  Restaurant: &4 {Entree: &10, Name: &11 "Wendy's", Rating: &12 3, Entree: &13 {Name: &18 "Burger"}}
}
"""
EXAMPLE_1 = """
select e
from Guide.Restaurant r, r.Entree e
where r.Name = "Baghdad Cafe" and e.Ingredient = "Mushroom";
"""
EXAMPLE_2 = """
define view FavoriteEntrees as
  Entrees = select e
  from Guide.Restaurant r, r.Entree e
  where exists x in r.Name: x = "Baghdad Cafe"
  and exists y in e.Ingredient: y = "Mushroom"
  with e.Name n, e.Ingredient i;
"""


def opened(path: Path, **more: Any) -> bv.Warehouse:
    """A warehouse with Fig 1 in it."""
    wh = bv.open(path, **{"engine": "duckdb", **more})
    wh.load_oem("Guide", FIGURE_1)
    return wh


def rows(changes: list[dict[str, Any]], kind: str, weight: int) -> set[tuple[str, ...]]:
    """What came (1) or went (-1) in a view: (oid,) of primary objects, (source, label, target) of edges."""
    found = [c for c in changes if c["kind"] == kind and c["_w"] == weight]
    return {(c["oid"],) if kind == "primary" else (c["oid"], c["label"], c["target"]) for c in found}
