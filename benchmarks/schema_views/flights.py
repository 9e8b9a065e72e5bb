"""The paper's base data (section 6.1.2): a relation for each airline, a tuple for each city that it flies to, random prices.

A city is in a relation once at most, so every view over them is valid. Prices are uniform, so a bound on them is a selectivity.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import belvedere as bv

SEED = 20031107
SCHEMA = "Destination string, Business int, Economy int"
#: prices are drawn from here; the paper's view keeps those up to BOUND
LOWEST, HIGHEST, BOUND = 102, 2101, 1101
TYPES = ("Business", "Economy")

_FROM = """
  from   -> AIRLINE,
         AIRLINE FLIGHT,
         AIRLINE-> PRICETYPE,
         FLIGHT.Destination CITY
  where  PRICETYPE <> 'Destination'
  and    AIRLINE like 'AIRLINE%'
  and    FLIGHT.PRICETYPE <= {bound}
"""


def by_type(bound: int = BOUND) -> str:
    """Two relations, Business and Economy, with a column for each airline."""
    return "create view PRICETYPE(Destination, AIRLINE) as\n  select CITY, FLIGHT.PRICETYPE" + _FROM.format(bound=bound)


def by_city(bound: int = BOUND) -> str:
    """A relation for each city, with a column for each airline."""
    return "create view CITY(Type, AIRLINE) as\n  select PRICETYPE, FLIGHT.PRICETYPE" + _FROM.format(bound=bound)


def bound_for(selectivity: float) -> int:
    """Prices up to this are that part of all prices."""
    return LOWEST - 1 + round(selectivity * (HIGHEST - LOWEST + 1))


def city(number: int) -> str:
    return f"city {number:09}"


def flights(cities: Sequence[int], rng: random.Random, *, highest: int = HIGHEST) -> pa.Table:
    """One relation: a tuple for each of these cities."""
    prices = range(LOWEST, highest + 1)
    columns = {t: pa.array(rng.choices(prices, k=len(cities)), pa.int32()) for t in TYPES}
    return pa.table({"Destination": pa.array([city(c) for c in cities], pa.string()), **columns})


def cells(table: pa.Table, bound: int = BOUND) -> int:
    """How many values of a relation are in the view."""
    return sum(int(pc.sum(pc.less_equal(table.column(t), bound)).as_py() or 0) for t in TYPES)


class Airlines:
    """The relations in a warehouse, and what was in them at first, so that they can be restored."""

    def __init__(self, wh: bv.Warehouse, data: Mapping[str, pa.Table]) -> None:
        self.wh, self.data = wh, dict(data)
        for name, table in self.data.items():
            wh.create_table(name, SCHEMA)
            wh.load(name, table)

    @staticmethod
    def of_sizes(wh: bv.Warehouse, sizes: Sequence[int]) -> Airlines:
        """AIRLINE_1, AIRLINE_2, … of these sizes, over as many cities as the largest has."""
        rng = random.Random(SEED)
        most = max(sizes)
        return Airlines(wh, {f"AIRLINE_{n}": flights(rng.sample(range(most), size), rng) for n, size in enumerate(sizes, 1)})

    @property
    def cities(self) -> int:
        return max(int(t.num_rows) for t in self.data.values())

    def cells(self, bound: int = BOUND) -> int:
        return sum(cells(t, bound) for t in self.data.values())

    def drop(self, names: Sequence[str]) -> None:
        with self.wh.transaction() as tx:
            for name in names:
                tx.drop_relation(name)

    def delete_and_drop(self, names: Sequence[str]) -> None:
        """Tuple by tuple, then what is empty, in one transaction."""
        with self.wh.transaction() as tx:
            for name in names:
                tx.delete(name, rows=self.data[name])
                tx.drop_relation(name)

    def make_again(self, names: Sequence[str]) -> None:
        with self.wh.transaction() as tx:
            for name in names:
                tx.add_relation(name, SCHEMA)
                tx.insert(name, self.data[name])

    def below(self, fraction: float) -> dict[str, pa.Table]:
        """The tuples of the first cities, about this part of every relation."""
        limit = city(round(fraction * self.cities))
        return {n: t.filter(pc.less(t.column("Destination"), limit)) for n, t in self.data.items()}

    def delete(self, rows: Mapping[str, Any]) -> None:
        with self.wh.transaction() as tx:
            for name, table in rows.items():
                tx.delete(name, rows=table)

    def insert(self, rows: Mapping[str, Any]) -> None:
        with self.wh.transaction() as tx:
            for name, table in rows.items():
                tx.insert(name, table)
