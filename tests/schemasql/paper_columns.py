"""Figs 5, 6, 11 and 12: UNFOLD and FOLD, row by row in the corrected reading."""

from __future__ import annotations

from tests.schemafuzz.changes import AddAttribute, DropAttribute, DropRelation, RenameAttribute, RenameRelation, Update
from tests.schemafuzz.tree import Attributes, Cell, Const, Field, Header, Item, Lit, Op, Ref, Var
from tests.schemasql.against import database, delete
from tests.schemasql.paper import DB, R, Row, T, add, cell, consts, view

# Fig 5 and Fig 11: UNFOLD by p, of d. Row 4 has but one cell, and it is NULL.
UNFOLD = view(Header("q", Const("Q"), (Const("k"), Ref("P"))), [cell("k"), cell("d")], [T, Item(Field("T", Const("p")), "P")])
UNFOLD_OVER = database(
    {
        "r.R": (
            "k int, p string, d int, e int",
            [(1, "x", 10, 0), (1, "y", 20, 0), (2, "x", 30, 0), (4, "x", None, 0), (5, "v", 50, 0)],
        )
    }
)
KVXY = {"Q": ("k", "v", "x", "y")}
UNFOLD_ROWS: list[Row] = [
    ("add-tuple, key violation", (add("r.R", k=1, p="x", d=11, e=0),), "key violation"),
    ("add-tuple, the same again", (add("r.R", k=1, p="x", d=10, e=1),), KVXY),
    ("add-tuple, known pivot, known key", (add("r.R", k=2, p="y", d=40, e=0),), KVXY),
    ("add-tuple, known pivot, new key", (add("r.R", k=3, p="x", d=50, e=0),), KVXY),
    ("add-tuple, new pivot, known key", (add("r.R", k=1, p="z", d=60, e=0),), {"Q": ("k", "v", "x", "y", "z")}),
    ("add-tuple, new pivot, new key", (add("r.R", k=6, p="z", d=70, e=0),), {"Q": ("k", "v", "x", "y", "z")}),
    ("add-tuple, NULL pivot", (add("r.R", k=7, p=None, d=70, e=0),), KVXY),
    ("add-tuple, the pivot is a fixed attribute", (add("r.R", k=7, p="k", d=70, e=0),), "collision"),
    ("delete-tuple, last of its pivot, the row lives", (delete(UNFOLD_OVER, "r.R", (1, "y", 20, 0)),), {"Q": ("k", "v", "x")}),
    ("delete-tuple, last of its pivot, the row dies", (delete(UNFOLD_OVER, "r.R", (5, "v", 50, 0)),), {"Q": ("k", "x", "y")}),
    ("delete-tuple, not the last of its pivot, the row lives", (delete(UNFOLD_OVER, "r.R", (1, "x", 10, 0)),), KVXY),
    ("delete-tuple, not the last of its pivot, the row dies", (delete(UNFOLD_OVER, "r.R", (2, "x", 30, 0)),), KVXY),
    ("delete-tuple, a row of NULLs dies only now", (delete(UNFOLD_OVER, "r.R", (4, "x", None, 0)),), KVXY),
    ("update-tuple, same key and pivot", (Update("r.R", (("d", 99),), ("d", 20)),), KVXY),
    ("update-tuple, to NULL", (Update("r.R", (("d", None),), ("d", 20)),), KVXY),
    ("update-tuple, other key", (Update("r.R", (("k", 9),), ("d", 30)),), KVXY),
    ("update-tuple, other pivot", (Update("r.R", (("p", "w"),), ("d", 20)),), {"Q": ("k", "v", "w", "x")}),
    ("add-attribute", (AddAttribute("r.R", "f", "int"),), KVXY),
    ("delete-attribute, the pivot", (DropAttribute("r.R", "p"),), "missing attribute"),
    ("delete-attribute, the data", (DropAttribute("r.R", "d"),), "missing attribute"),
    ("delete-attribute, a fixed one", (DropAttribute("r.R", "k"),), "missing attribute"),
    ("delete-attribute, another", (DropAttribute("r.R", "e"),), KVXY),
    ("rename-attribute, the pivot", (RenameAttribute("r.R", "p", "pp"),), KVXY),
    ("rename-attribute, the data", (RenameAttribute("r.R", "d", "dd"),), KVXY),
    ("rename-attribute, another", (RenameAttribute("r.R", "k", "kk"),), KVXY),
    ("delete-relation", (DropRelation("r.R"),), "unknown relation"),
    ("rename-relation", (RenameRelation("r.R", "r.S"),), KVXY),
    (
        "batch: delete where p = c",
        (delete(UNFOLD_OVER, "r.R", (1, "x", 10, 0), (2, "x", 30, 0), (4, "x", None, 0)),),
        {"Q": ("k", "v", "y")},
    ),
    ("batch: delete where d = c", (delete(UNFOLD_OVER, "r.R", (1, "y", 20, 0)),), {"Q": ("k", "v", "x")}),
    ("batch: delete where k = c", (delete(UNFOLD_OVER, "r.R", (1, "x", 10, 0), (1, "y", 20, 0)),), {"Q": ("k", "v", "x")}),
    ("batch: delete where all = c", (delete(UNFOLD_OVER, "r.R", (2, "x", 30, 0)),), KVXY),
    ("batch: update p = new where p = c", (Update("r.R", (("p", "w"),), ("p", "x")),), {"Q": ("k", "v", "w", "y")}),
    ("batch: update p = one in use where p = c", (Update("r.R", (("p", "v"),), ("p", "x")),), {"Q": ("k", "v", "y")}),
    ("batch: update p = one in use, and two meet", (Update("r.R", (("p", "y"),), ("p", "x")),), "key violation"),
    ("batch: update d where p = c", (Update("r.R", (("d", 7),), ("p", "x")),), KVXY),
    ("batch: update d where k = c", (Update("r.R", (("d", 7),), ("k", 1)),), KVXY),
]

# Fig 6 and Fig 12: FOLD of all but k and note. Two tuples have the same k.
NOT_FOLDED = Op("not in", (Var("A"), Lit("k"), Lit("note")))
FOLD = view(
    Header("q", Const("Q"), consts("k", "p", "d")),
    [cell("k"), Var("A"), Cell("T", Ref("A"))],
    [Item(Attributes(DB, R), "A"), T],
    NOT_FOLDED,
)
FOLD_OVER = database({"r.R": ("k int, x int, y int, note int", [(1, 10, 20, 0), (1, 10, 21, 0), (2, None, 20, 0), (3, 7, 7, 0)])})
KPD = {"Q": ("k", "p", "d")}
FOLD_ROWS: list[Row] = [
    ("add-tuple", (add("r.R", k=4, x=1, y=2, note=0),), KPD),
    ("add-tuple, all NULL", (add("r.R", k=None, x=None, y=None, note=None),), KPD),
    ("delete-tuple, its key is there twice", (delete(FOLD_OVER, "r.R", (1, 10, 21, 0)),), KPD),
    ("update-tuple, folded", (Update("r.R", (("y", 99),), ("y", 21)),), KPD),
    ("update-tuple, folded, the value is elsewhere too", (Update("r.R", (("x", 8),), ("k", 3)),), KPD),
    ("update-tuple, not folded", (Update("r.R", (("k", 5),), ("y", 21)),), KPD),
    ("add-attribute, folded", (AddAttribute("r.R", "z", "int"),), KPD),
    ("add-attribute, folded, and filled", (AddAttribute("r.R", "z", "int"), Update("r.R", (("z", 1),), ("k", 1))), KPD),
    ("delete-attribute, folded", (DropAttribute("r.R", "x"),), KPD),
    ("delete-attribute, fixed", (DropAttribute("r.R", "k"),), "missing attribute"),
    ("delete-attribute, not folded", (DropAttribute("r.R", "note"),), KPD),
    ("rename-attribute, folded", (RenameAttribute("r.R", "x", "w"),), KPD),
    ("rename-attribute, folded, to a name kept out", (DropAttribute("r.R", "note"), RenameAttribute("r.R", "x", "note")), KPD),
    ("rename-attribute, not folded, to a folded name", (RenameAttribute("r.R", "note", "w"),), KPD),
    ("rename-attribute, fixed", (RenameAttribute("r.R", "k", "key"),), KPD),
    ("delete-relation", (DropRelation("r.R"),), "unknown relation"),
    ("rename-relation", (RenameRelation("r.R", "r.S"),), KPD),
    ("batch: delete where a folded one = c", (delete(FOLD_OVER, "r.R", (1, 10, 20, 0), (1, 10, 21, 0)),), KPD),
    ("batch: delete where k = c", (delete(FOLD_OVER, "r.R", (2, None, 20, 0)),), KPD),
    ("batch: update a folded one where another = c", (Update("r.R", (("x", 5),), ("y", 20)),), KPD),
    ("batch: update a folded one where k = c", (Update("r.R", (("x", 5),), ("k", 1)),), KPD),
    ("batch: update k where k = c", (Update("r.R", (("k", 3),), ("k", 1)),), KPD),
]
