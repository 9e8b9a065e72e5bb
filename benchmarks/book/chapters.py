"""The programs of the book, with what each is called with: by default all of them take less than half an hour on two cores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Chapter:
    """A program under benchmarks/, and its arguments for an ordinary machine and for a large one."""

    name: str
    title: str
    program: str
    ordinary: tuple[str, ...] = ()
    large: tuple[str, ...] = ()
    #: whether it writes its numbers to a file
    json: bool = True
    #: whether it does nothing without Java
    spark: bool = False

    def arguments(self, large: bool) -> tuple[str, ...]:
        return self.large if large else self.ordinary


CHAPTERS = (
    Chapter("overhead", "A refresh of ten rows against the delta query by hand", "overhead.py"),
    Chapter(
        "breakeven", "Where maintaining stops paying, and whether the planner knows", "breakeven.py",
        ("--rows", "100000"), ("--rows", "2000000"),
    ),
    Chapter(
        "growth", "The same delta over a growing base", "growth.py",
        ("--repeat", "5"), ("--rows", "100000,1000000,10000000"),
    ),
    Chapter("together", "Twenty views refreshed together", "together.py", (), ("--rows", "2000000")),
    Chapter("throughput", "A million changed rows through the demo's views", "throughput.py", (), ("--scale", "1")),
    Chapter("epochs", "The cost of an epoch after a thousand others", "epochs.py", ("--epochs", "400"), json=False),
    Chapter("lookup", "Rows of a large table read by a small delta", "lookup.py", ("--rows", "2000000"), json=False, spark=True),
    Chapter(
        "tpch", "TPC-H at scale 1: 22 views, new and deleted orders, random updates", "tpch.py",
        ("--scale", "1", "--engine", "auto", "--spark", "--on-spark", "5"),
        ("--scale", "10", "--engine", "auto", "--spark", "--on-spark", "6"), spark=True,
    ),
    Chapter(
        "objects", "Object views: Fig 12 and Table 2 of the papers", "objects.py",
        ("--employees", "10000,100000", "--transactions", "800", "--batches", "10,100", "--spark-most", "0"),
    ),
    Chapter("schemasql", "SchemaSQL views: Figs 17 to 21", "schemasql.py", ("--scale", "1,100", "--repeat", "3")),
    Chapter("lorel", "Views over graphs: Figs 13 to 18", "lorel.py", (), ("--restaurants", "1000,5000")),
    Chapter("sources", "Joins across databases: Figs 11 to 17", "sources.py", ("--rows", "20000"), json=False),
)  # fmt: skip
