"""The ten queries of the language's definition, as trees, over the four universities."""

from __future__ import annotations

from dataclasses import replace

from tests.schemafuzz.tree import (
    Agg,
    Attributes,
    Cell,
    Const,
    Expr,
    Field,
    Header,
    Item,
    Lit,
    Op,
    Query,
    Ref,
    Relations,
    Tuples,
    Var,
)
from tests.schemafuzz.world import World

A, B, C = Const("univ-A"), Const("univ-B"), Const("univ-C")
SAL, D, R = Const("salInfo"), Ref("D"), Ref("R")
CATEGORY, FLOOR = Const("category"), Const("salFloor")


def items(*pairs: tuple[object, str]) -> tuple[Item, ...]:
    return tuple(Item(r, v) for r, v in pairs)  # type: ignore[arg-type]


def shown(*exprs: Expr) -> tuple[tuple[Expr, None], ...]:
    return tuple((e, None) for e in exprs)


NOT_CATEGORY = Op("<>", (Var("D"), Lit("category")))
FOLDED_B = items((Attributes(B, SAL), "D"), (Tuples(B, SAL), "T"))
DEPARTMENTS_A = items((Tuples(A, SAL), "T"), (Field("T", Const("dept")), "D"))
T_CATEGORY, T_FLOOR, T_D = Cell("T", CATEGORY), Cell("T", FLOOR), Cell("T", D)
MEAN_B: tuple[tuple[Expr, str | None], ...] = ((T_CATEGORY, None), (Agg("avg", T_D), "mean"))

QUERIES: dict[int, Query] = {
    1: Query(
        shown(Cell("A", Const("dept"))),
        items((Tuples(A, SAL), "A"), (Tuples(B, SAL), "B"), (Attributes(B, SAL), "D")),
        (
            NOT_CATEGORY,
            Op("=", (Cell("A", Const("dept")), Var("D"))),
            Op("=", (Cell("A", CATEGORY), Cell("B", CATEGORY))),
            Op(">", (Cell("A", FLOOR), Cell("B", D))),
        ),
    ),
    2: Query(shown(Var("R")), items((Relations(C), "R"), (Tuples(C, R), "T")), (Op(">", (T_FLOOR, Lit(50))),)),
    3: Query(MEAN_B, FOLDED_B, (NOT_CATEGORY,), group=(T_CATEGORY,)),
    4: Query(MEAN_B, FOLDED_B, (NOT_CATEGORY,)),
    5: Query(
        ((T_CATEGORY, None), (Agg("avg", T_FLOOR), "mean")), items((Relations(C), "D"), (Tuples(C, D), "T")), group=(T_CATEGORY,)
    ),
    6: Query(
        shown(T_CATEGORY, Var("D"), T_D), FOLDED_B, (NOT_CATEGORY,), header=Header("BtoA", SAL, (CATEGORY, Const("dept"), FLOOR))
    ),
    7: Query(shown(T_CATEGORY, T_FLOOR), DEPARTMENTS_A, header=Header("AtoB", SAL, (CATEGORY, D))),
    8: Query(shown(T_CATEGORY, T_FLOOR), DEPARTMENTS_A, header=Header("AtoC", D, (CATEGORY, FLOOR))),
    9: Query(
        shown(Var("D"), T_D),
        (*FOLDED_B, Item(Field("T", CATEGORY), "C")),
        (NOT_CATEGORY,),
        header=Header("BtoD", SAL, (Const("dept"), Ref("C"))),
    ),
    10: Query(
        shown(T_CATEGORY, Agg("avg", T_FLOOR)),
        items((Relations(C), "R"), (Tuples(C, R), "T")),
        group=(T_CATEGORY, Var("R")),
        header=Header("avgs", SAL, (CATEGORY, R)),
    ),
}

S, N = "string", "int"
SCHEMAS: dict[str, tuple[tuple[tuple[str, str], ...], tuple[str, ...]]] = {
    "univ-A.salInfo": ((("dept", S), ("category", S), ("salFloor", N)), ("dept", "category")),
    "univ-B.salInfo": ((("category", S), ("cs", N), ("math", N)), ("category",)),
    "univ-C.cs": ((("category", S), ("salFloor", N)), ("category",)),
    "univ-C.math": ((("category", S), ("salFloor", N)), ("category",)),
    "univ-D.salInfo": ((("dept", S), ("Prof", N), ("Tech", N)), ("dept",)),
}
ROWS: dict[str, tuple[tuple[object, ...], ...]] = {
    "univ-A.salInfo": (("cs", "Prof", 70), ("cs", "Tech", 45), ("math", "Prof", 60), ("math", "Tech", 30)),
    "univ-B.salInfo": (("Prof", 65, 62), ("Tech", 40, None)),
    "univ-C.cs": (("Prof", 72), ("Tech", 48)),
    "univ-C.math": (("Prof", 55), ("Assoc", None)),
    "univ-D.salInfo": (("cs", 75, 50), ("math", 58, 35)),
}


def universities() -> World:
    """The four databases, which say much the same in four schemas."""
    world = World()
    for name, (columns, key) in SCHEMAS.items():
        world = world.added(name, columns, key)
    return World(tuple(replace(t, rows=ROWS[t.full_name]) for t in world.tables), world.next)
