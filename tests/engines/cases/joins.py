"""Joins of all kinds."""

from __future__ import annotations

from tests.engines.cases.base import EMPTY, NAN, Case, D, L, R, key, on
from tests.engines.support import expected

from belvedere.algebra.ops import Filter, Join, OuterJoin, Project, SemiJoin

CASES: list[Case] = [
    Case(
        "join",
        lambda: Join(L, R, on("k = j", L, R)),
        expected((1, D("1.50"), 0.5, 1, "one", 2), (3, None, 1.0, 3, "three", 1), (3, None, 1.0, 3, "", 2)),
    ),
    Case(
        "join_theta",
        lambda: Filter(Join(L, R, on("k < j", L, R)), on("s = 'five'", R)),
        expected((1, D("1.50"), 0.5, 5, "five", 2), (2, D("0.25"), NAN, 5, "five", 2), (3, None, 1.0, 5, "five", 1)),
    ),
    Case(
        "join_null_safe",
        lambda: Project(Join(L, R, on("k <=> j", L, R)), (key("k"), key("s", R))),
        expected((1, "one", 2), (3, "three", 1), (3, "", 2), (None, "null", 1)),
    ),
    Case(
        "cross_join",
        lambda: Project(Join(Filter(L, on("k = 3", L)), R, on("true", L, R)), (key("s", R),)),
        expected(("one", 1), ("three", 1), ("", 2), ("null", 1), ("five", 1)),
    ),
    Case(
        "left_join",
        lambda: OuterJoin(L, R, on("k = j", L, R), "left"),
        expected(
            (1, D("1.50"), 0.5, 1, "one", 2),
            (2, D("0.25"), NAN, None, None, 2),
            (None, D("4.00"), None, None, None, 1),
            (3, None, 1.0, 3, "three", 1),
            (3, None, 1.0, 3, "", 2),
        ),
    ),
    Case(
        "right_join",
        lambda: Project(OuterJoin(L, R, on("k = j", L, R), "right"), (key("k"), key("s", R))),
        expected((1, "one", 2), (3, "three", 1), (3, "", 2), (None, "null", 1), (None, "five", 1)),
    ),
    Case(
        "full_join",
        lambda: Project(OuterJoin(L, R, on("k = j and s <> ''", L, R), "full"), (key("k"), key("s", R))),
        expected(
            (1, "one", 2), (2, None, 2), (None, None, 1), (3, "three", 1), (None, "", 2), (None, "null", 1), (None, "five", 1)
        ),
    ),
    Case(
        "full_join_theta",
        lambda: Project(OuterJoin(L, R, on("k > j", L, R), "full"), (key("k"), key("s", R))),
        expected(
            (1, None, 2),
            (2, "one", 2),
            (3, "one", 1),
            (None, None, 1),
            (None, "three", 1),
            (None, "", 2),
            (None, "null", 1),
            (None, "five", 1),
        ),
    ),
    Case("semi_join", lambda: SemiJoin(L, R, on("k = j", L, R)), expected((1, D("1.50"), 0.5, 2), (3, None, 1.0, 1))),
    Case(
        "semi_join_true",
        lambda: SemiJoin(R, L, on("true", L, R)),
        expected((1, "one", 1), (3, "three", 1), (3, "", 2), (None, "null", 1), (5, "five", 1)),
    ),
    Case("semi_join_empty", lambda: SemiJoin(R, EMPTY, on("j = x", R, EMPTY)), expected()),
    Case(
        "anti_join",
        lambda: SemiJoin(L, R, on("k = j", L, R), anti=True),
        expected((2, D("0.25"), NAN, 2), (None, D("4.00"), None, 1)),
    ),
    Case("anti_join_null_aware", lambda: SemiJoin(L, R, on("k = j or k is null or j is null", L, R), anti=True), expected()),
    Case(
        "anti_join_empty",
        lambda: SemiJoin(R, EMPTY, on("j = x", R, EMPTY), anti=True),
        expected((1, "one", 1), (3, "three", 1), (3, "", 2), (None, "null", 1), (5, "five", 1)),
    ),
]
