"""Names as data and data as names: a view in SchemaSQL whose relations and columns follow.

    python examples/airlines.py              # a warehouse in a temporary directory
    python examples/airlines.py --in travel  # one that stays
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import belvedere as bv

FLIGHTS = "Destination string, Business int, Economy int"
PRICES = {
    "BA": {"PARIS": (1200, 600), "LONDON": (1100, 475)},
    "LH": {"PARIS": (1220, 700), "LONDON": (1050, 500)},
}
CITIES = """
create view CITY(Type, AIRLINE) as
  select PRICETYPE, FLIGHT.PRICETYPE
  from   -> AIRLINE,
         AIRLINE FLIGHT,
         AIRLINE-> PRICETYPE,
         FLIGHT.Destination CITY
  where  PRICETYPE <> 'Destination'
  and    FLIGHT.PRICETYPE <= 1100
"""


def show(cities: bv.View) -> None:
    """A relation for each city, with a column for each airline."""
    for name in cities.relations():
        print(name, *sorted(cities.relation(name).rows(), key=str), sep="\n  ")


def run(path: Path) -> None:
    with bv.open(path, engine="duckdb") as wh:
        for airline, prices in PRICES.items():
            wh.create_table(airline, FLIGHTS)
            with wh.transaction() as tx:
                tx.insert(airline, [{"Destination": c, "Business": b, "Economy": e} for c, (b, e) in prices.items()])
        cities = wh.create_view("cities", CITIES, language="schemasql")
        show(cities)

        with wh.transaction() as tx:  # a row of the base, a relation of the view
            tx.insert("LH", {"Destination": "BERLIN", "Business": 1400, "Economy": 610})
        print(cities.refresh())
        show(cities)

        with wh.transaction() as tx:  # a name of the base, a column of the view
            tx.rename_relation("LH", "Lufthansa")
        print(cities.refresh().reason)
        with wh.transaction() as tx:
            tx.drop_relation("BA")
        print(cities.refresh().reason)
        show(cities)
        print(wh.query("select * from cities.BERLIN").rows())
        for change in cities.schema_history():
            print(change)
        assert cities.verify().ok  # equals recomputation


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Names as data and data as names: the view's schema follows.")
    parser.add_argument("--in", dest="path", type=Path, help="where the warehouse is made; a temporary directory if absent")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        run(chosen.path or Path(directory, "travel"))
