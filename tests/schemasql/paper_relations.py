"""Figs 7, 8, 13 and 14: SPLIT and UNITE; and the paper's example, Figs 1 and 10."""

from __future__ import annotations

from typing import Any

from tests.schemafuzz.changes import (
    AddAttribute,
    AddRelation,
    Change,
    DropAttribute,
    DropRelation,
    RenameAttribute,
    RenameRelation,
    Update,
)
from tests.schemafuzz.tree import Attributes, Cell, Const, Field, Header, Item, Lit, Op, Query, Ref, Relations, Tuples, Var
from tests.schemasql.against import database, delete
from tests.schemasql.paper import DB, Row, T, add, cell, consts, view

# Fig 7 and Fig 13: SPLIT by p.
SPLIT = view(Header("q", Ref("P"), consts("a", "b")), [cell("a"), cell("b")], [T, Item(Field("T", Const("p")), "P")])
SPLIT_OVER = database({"r.R": ("a int, b int, p string", [(1, 1, "x"), (2, 2, "x"), (2, 2, "x"), (3, 1, "y")])})
XY = {"x": ("a", "b"), "y": ("a", "b")}
SPLIT_ROWS: list[Row] = [
    ("add-tuple, new relation", (add("r.R", a=4, b=4, p="z"),), XY | {"z": ("a", "b")}),
    ("add-tuple, known relation", (add("r.R", a=4, b=4, p="y"),), XY),
    ("add-tuple, NULL relation", (add("r.R", a=4, b=4, p=None),), "null relation"),
    ("add-tuple, the empty name", (add("r.R", a=4, b=4, p=""),), {"": ("a", "b")} | XY),
    ("delete-tuple, last of its relation", (delete(SPLIT_OVER, "r.R", (3, 1, "y")),), {"x": ("a", "b")}),
    ("delete-tuple, not the last", (delete(SPLIT_OVER, "r.R", (1, 1, "x")),), XY),
    ("delete-tuple, one of two equal ones", (delete(SPLIT_OVER, "r.R", (2, 2, "x")),), XY),
    ("update-tuple, same relation", (Update("r.R", (("b", 9),), ("a", 1)),), XY),
    ("update-tuple, other relation", (Update("r.R", (("p", "y"),), ("a", 1)),), XY),
    (
        "update-tuple, last of its relation to a new one",
        (Update("r.R", (("p", "w"),), ("a", 3)),),
        {"w": ("a", "b"), "x": ("a", "b")},
    ),
    ("add-attribute", (AddAttribute("r.R", "c", "int"),), XY),
    ("delete-attribute, the relation's", (DropAttribute("r.R", "p"),), "missing attribute"),
    ("delete-attribute, another", (DropAttribute("r.R", "b"),), "missing attribute"),
    ("rename-attribute, the relation's", (RenameAttribute("r.R", "p", "pp"),), XY),
    ("rename-attribute, another", (RenameAttribute("r.R", "a", "aa"),), XY),
    ("delete-relation", (DropRelation("r.R"),), "unknown relation"),
    ("rename-relation", (RenameRelation("r.R", "r.S"),), XY),
    ("batch: delete where p = c", (delete(SPLIT_OVER, "r.R", (1, 1, "x"), (2, 2, "x"), (2, 2, "x")),), {"y": ("a", "b")}),
    ("batch: delete where b = c", (delete(SPLIT_OVER, "r.R", (1, 1, "x"), (3, 1, "y")),), {"x": ("a", "b")}),
    ("batch: delete where all = c", (delete(SPLIT_OVER, "r.R", (2, 2, "x"), (2, 2, "x")),), XY),
    ("batch: update p = new where p = c", (Update("r.R", (("p", "w"),), ("p", "x")),), {"w": ("a", "b"), "y": ("a", "b")}),
    ("batch: update p = one in use where p = c", (Update("r.R", (("p", "y"),), ("p", "x")),), {"y": ("a", "b")}),
    ("batch: update a where b = c", (Update("r.R", (("a", 8),), ("b", 1)),), XY),
]

# Fig 8 and Fig 14: UNITE of all relations of a database.
UNITE = view(
    Header("q", Const("Q"), consts("a", "b", "name")),
    [cell("a"), cell("b"), Var("N")],
    [Item(Relations(DB), "N"), Item(Tuples(DB, Ref("N")), "T")],
)
AB = "a int, b int"
UNITE_OVER = database({"r.x": (AB, [(1, 1), (2, 2), (2, 2)]), "r.y": (AB, [(1, 1), (2, 3)])})
ABN = {"Q": ("a", "b", "name")}


def both(make: Any) -> tuple[Change, ...]:
    return make("r.x"), make("r.y")


UNITE_ROWS: list[Row] = [
    ("add-tuple", (add("r.x", a=3, b=3),), ABN),
    ("delete-tuple, it is in the other relation too", (delete(UNITE_OVER, "r.x", (1, 1)),), ABN),
    ("delete-tuple, one of two equal ones", (delete(UNITE_OVER, "r.x", (2, 2)),), ABN),
    ("update-tuple", (Update("r.x", (("a", 9),), ("b", 1)),), ABN),
    ("update-tuple, equal values elsewhere", (Update("r.y", (("a", 9),), ("b", 3)),), ABN),
    ("add-attribute, everywhere", both(lambda t: AddAttribute(t, "c", "int")), ABN),
    ("add-attribute, in one", (AddAttribute("r.x", "c", "int"),), ABN),
    ("delete-attribute, everywhere", both(lambda t: DropAttribute(t, "b")), "missing attribute"),
    ("delete-attribute, in one", (DropAttribute("r.x", "b"),), "missing attribute"),
    ("rename-attribute, everywhere", both(lambda t: RenameAttribute(t, "b", "bb")), ABN),
    ("rename-attribute, in one", (RenameAttribute("r.x", "b", "bb"),), ABN),
    ("add-relation", (AddRelation("r.z", (("a", "int"), ("b", "int"))),), ABN),
    ("add-relation, with a tuple", (AddRelation("r.z", (("a", "int"), ("b", "int"))), add("r.z", a=1, b=1)), ABN),
    ("add-relation, of another schema", (AddRelation("r.z", (("a", "int"),)),), "missing attribute"),
    ("delete-relation", (DropRelation("r.x"),), ABN),
    ("delete-relation, all of them", both(DropRelation), ABN),
    ("rename-relation", (RenameRelation("r.x", "r.w"),), ABN),
    ("rename-relation, out of the database", (RenameRelation("r.x", "s.x"),), ABN),
    ("batch: delete where a = c", (delete(UNITE_OVER, "r.x", (2, 2), (2, 2)),), ABN),
    ("batch: update b where a = c", (Update("r.x", (("b", 7),), ("a", 2)),), ABN),
]

# Figs 1 and 10, and the view of section 6.1.2 as printed and as described.
PRICE = Cell("FLIGHT", Ref("PRICETYPE"))
AIRLINES = (
    Item(Relations(None), "AIRLINE"),
    Item(Tuples(None, Ref("AIRLINE")), "FLIGHT"),
    Item(Attributes(None, Ref("AIRLINE")), "PRICETYPE"),
    Item(Field("FLIGHT", Const("Destination")), "CITY"),
)
CHEAP = (Op("<>", (Var("PRICETYPE"), Lit("Destination"))), Op("<", (PRICE, Lit(1100))))
PER_CITY = Query(
    ((Var("PRICETYPE"), None), (PRICE, None)), AIRLINES, CHEAP, header=Header(None, Ref("CITY"), (Const("Type"), Ref("AIRLINE")))
)
PER_TYPE = Query(
    ((Var("CITY"), None), (PRICE, None)),
    AIRLINES,
    CHEAP,
    header=Header(None, Ref("PRICETYPE"), (Const("Destination"), Ref("AIRLINE"))),
)
FARES = "Destination string, Business int, Economy int"
AIRLINES_OVER = database(
    {
        "BA": (FARES, [("PARIS", 1200, 600), ("LONDON", 1090, 475)]),
        "LH": (FARES, [("PARIS", 1220, 700), ("LONDON", 1180, 500)]),
    }
)
FARE_COLUMNS = (("Destination", "string"), ("Business", "int"), ("Economy", "int"))
BERLIN_DEAR = add("LH", Destination="BERLIN", Business=1400, Economy=1410)
BERLIN_CHEAP = add("LH", Destination="BERLIN", Business=1400, Economy=610)
AIR_FRANCE = (AddRelation("AF", FARE_COLUMNS), add("AF", Destination="PARIS", Business=900, Economy=1))


def cities(*airlines: str) -> dict[str, tuple[str, ...]]:
    return {"LONDON": ("Type", *airlines), "PARIS": ("Type", *airlines)}


AIRLINE_ROWS: list[Row] = [
    ("Fig 10: a flight to a new city", (BERLIN_CHEAP,), {"BERLIN": ("Type", "BA", "LH")} | cities("BA", "LH")),
    ("a flight that is too dear", (BERLIN_DEAR,), cities("BA", "LH")),
    (
        "the last cheap flight of a city",
        (Update("BA", (("Economy", 2000),), ("Destination", "PARIS")), DropRelation("LH")),
        {"LONDON": ("Type", "BA")},
    ),
    ("a new airline", AIR_FRANCE, cities("AF", "BA", "LH")),
    ("an airline less", (DropRelation("BA"),), cities("LH")),
    ("an airline gets another name", (RenameRelation("LH", "AZ"),), cities("AZ", "BA")),
    ("a new class", (AddAttribute("BA", "First", "int"), Update("BA", (("First", 3),), None)), cities("BA", "LH")),
    ("a class less", (DropAttribute("BA", "Economy"), DropAttribute("LH", "Economy")), {"LONDON": ("Type", "BA")}),
    ("a class gets another name", (RenameAttribute("BA", "Economy", "Eco"),), cities("BA", "LH")),
    ("a city is not known", (add("LH", Destination=None, Business=1, Economy=1),), "null relation"),
]
