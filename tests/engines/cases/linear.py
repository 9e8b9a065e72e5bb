"""Operators that work row by row."""

from __future__ import annotations

from tests.engines.cases.base import EMPTY, HOSTILE, NAN, NESTED, Case, D, L, R, agg, by_k, constants, key, on
from tests.engines.support import expected

from belvedere.algebra.ops import Consolidate, Explode, Filter, Join, Negate, Positive, Project, Scale, Share, UnionAll, Values
from belvedere.algebra.scalar import col
from belvedere.algebra.types import Schema, parse_schema
from belvedere.algebra.typing import scalar

CASES: list[Case] = [
    Case(
        "get", lambda: L, expected((1, D("1.50"), 0.5, 2), (2, D("0.25"), NAN, 2), (None, D("4.00"), None, 1), (3, None, 1.0, 1))
    ),
    Case("get_empty", lambda: EMPTY, expected()),
    Case(
        "get_hostile_names",
        lambda: Project(HOSTILE, (("A b", col(HOSTILE.schema["A b"])), ("a b", on("`a B` + `select`", HOSTILE)))),
        expected((1, 5, 1), (1, 2, 2)),
    ),
    Case("filter", lambda: Filter(L, on("v > 1", L)), expected((1, D("1.50"), 0.5, 2), (None, D("4.00"), None, 1))),
    Case("filter_null_is_not_true", lambda: Filter(L, on("not (k = 1)", L)), expected((2, D("0.25"), NAN, 2), (3, None, 1.0, 1))),
    Case(
        "project",
        lambda: Project(L, (("twice", on("v * 2", L)), ("k", col(L.schema["k"])))),
        expected((D("3.00"), 1, 2), (D("0.50"), 2, 2), (D("8.00"), None, 1), (None, 3, 1)),
    ),
    Case(
        "project_swaps_names",
        lambda: Project(R, (("s", on("cast(j as string)", R)), ("j", on("length(s)", R)))),
        expected(("1", 3, 1), ("3", 5, 1), ("3", 0, 2), (None, 4, 1), ("5", 4, 1)),
    ),
    Case(
        "filter_over_computed",
        lambda: Filter(Project(L, (("twice", on("v * 2", L)),)), scalar("twice > 3", parse_schema("twice decimal(8,2)"))),
        expected((D("8.00"), 1)),
    ),
    Case(
        "union_all",
        lambda: UnionAll((R, Project(L, (key("k"), ("z", on("'z'", L)))))),
        expected(
            (1, "one", 1),
            (3, "three", 1),
            (3, "", 2),
            (None, "null", 1),
            (5, "five", 1),
            (1, "z", 2),
            (2, "z", 2),
            (None, "z", 1),
            (3, "z", 1),
        ),
    ),
    Case("negate", lambda: Negate(Filter(R, on("j = 3", R))), expected((3, "three", -1), (3, "", -2))),
    Case(
        "negate_aggregate",
        lambda: Negate(by_k(n=agg("count", "bigint"))),
        expected((1, 2, -1), (2, 2, -1), (None, 1, -1), (3, 1, -1)),
    ),
    Case("scale", lambda: Scale(R, on("j - 3", R)), expected((1, "one", -2), (5, "five", 2))),
    Case(
        "consolidate",
        lambda: Consolidate(UnionAll((L, Negate(Filter(L, on("k = 1", L)))))),
        expected((2, D("0.25"), NAN, 2), (None, D("4.00"), None, 1), (3, None, 1.0, 1)),
    ),
    Case(
        "positive",
        lambda: Positive(UnionAll((Filter(L, on("k = 2", L)), Negate(Filter(L, on("k = 1 or k = 3", L)))))),
        expected((2, D("0.25"), NAN, 2)),
    ),
    Case(
        "consolidate_maps",
        lambda: Project(Consolidate(NESTED), (key("id", NESTED), key("m", NESTED))),
        expected((1, [("a", 2), ("b", 1)], 2), (2, [], 2), (3, None, 1), (4, [("z", None)], 1)),
    ),
    Case("share", lambda: UnionAll((Share(by_k(), "s"), Share(by_k(), "s"))), expected((1, 2), (2, 2), (None, 2), (3, 2))),
    Case(
        "share_joined_with_itself",
        lambda: Join(
            Share(by_k(), "s"),
            Project(Share(by_k(), "s"), (("again", col(L.schema["k"])),)),
            scalar("k = again", parse_schema("k int, again int")),
        ),
        expected((1, 1, 1), (2, 2, 1), (3, 3, 1)),
    ),
    Case("values", lambda: constants(("1", "'x'"), ("null", "''"), ("1", "'x'")), expected((1, "x", 2), (None, "", 1))),
    Case("values_none", lambda: constants(), expected()),
    Case("values_no_columns", lambda: Project(Values(Schema(()), ((),)), (("one", scalar("1", Schema(()))),)), expected((1, 1))),
    Case(
        "explode",
        lambda: Project(
            Explode(NESTED, col(NESTED.schema["a"]), ("e",)), (key("id", NESTED), ("e", scalar("e", parse_schema("e int"))))
        ),
        expected((1, 2, 4), (1, None, 2), (4, None, 1)),
    ),
    Case(
        "posexplode_outer",
        lambda: Project(
            Explode(NESTED, col(NESTED.schema["a"]), ("e",), "i", True),
            (key("id", NESTED), ("i", scalar("i", parse_schema("i int"))), ("e", scalar("e", parse_schema("e int")))),
        ),
        expected((1, 0, 2, 2), (1, 1, None, 2), (1, 2, 2, 2), (2, None, None, 2), (3, None, None, 1), (4, 0, None, 1)),
    ),
    Case(
        "explode_map",
        lambda: Project(
            Explode(NESTED, col(NESTED.schema["m"]), ("mk", "mv")),
            (key("id", NESTED), ("mk", scalar("mk", parse_schema("mk string"))), ("mv", scalar("mv", parse_schema("mv int")))),
        ),
        expected((1, "a", 2, 2), (1, "b", 1, 2), (4, "z", None, 1)),
    ),
]
