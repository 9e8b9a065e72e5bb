"""Operators that look at an order: top-k and windows."""

from __future__ import annotations

from tests.engines.cases.base import NESTED, TIES, Case, R, call, key, window
from tests.engines.support import expected

from belvedere.algebra.ops import Project, SortKey, TopK, Window

CASES: list[Case] = [
    Case("top_k", lambda: TopK(R, (SortKey("j", True),), 3), expected((None, "null", 1), (5, "five", 1), (3, "", 1))),
    Case("top_k_cuts_a_weight", lambda: TopK(R, (SortKey("j"),), 2, 2), expected((3, "", 2))),
    Case(
        "top_k_nulls_last", lambda: TopK(R, (SortKey("j", False, False),), None, 4), expected((5, "five", 1), (None, "null", 1))
    ),
    Case("top_k_of_maps", lambda: Project(TopK(NESTED, (), 3), (key("id", NESTED),)), expected((1, 2), (2, 1))),
    Case(
        "row_number",
        lambda: window("row_number()", "int"),
        expected((1, None, 5, 1, 1), (1, 1, 10, 2, 1), (1, 1, 20, 3, 1), (1, 2, 30, 4, 1), (1, 2, 30, 5, 1), (2, 3, 8, 1, 1)),
    ),
    Case(
        "rank",
        lambda: window("rank()", "int"),
        expected((1, None, 5, 1, 1), (1, 1, 10, 2, 1), (1, 1, 20, 2, 1), (1, 2, 30, 4, 2), (2, 3, 8, 1, 1)),
    ),
    Case(
        "dense_rank_desc",
        lambda: window("dense_rank()", "int", order=(SortKey("o", True, False),)),
        expected((1, 2, 30, 1, 2), (1, 1, 10, 2, 1), (1, 1, 20, 2, 1), (1, None, 5, 3, 1), (2, 3, 8, 1, 1)),
    ),
    Case(
        "lag_lead",
        lambda: Window(
            TIES, ("p",), (SortKey("o"),), (("before", call("lag(x, 1)", "int")), ("after", call("lead(x, 1, -1)", "int")))
        ),
        expected(
            (1, None, 5, None, 10, 1),
            (1, 1, 10, 5, 20, 1),
            (1, 1, 20, 10, 30, 1),
            (1, 2, 30, 20, 30, 1),
            (1, 2, 30, 30, -1, 1),
            (2, 3, 8, None, -1, 1),
        ),
    ),
    Case(
        "running_sum_of_peers",
        lambda: window("sum(x)", "bigint"),
        expected((1, None, 5, 5, 1), (1, 1, 10, 35, 1), (1, 1, 20, 35, 1), (1, 2, 30, 95, 2), (2, 3, 8, 8, 1)),
    ),
    Case(
        "running_sum_of_rows",
        lambda: window("sum(x)", "bigint", "rows between 1 preceding and current row"),
        expected((1, None, 5, 5, 1), (1, 1, 10, 15, 1), (1, 1, 20, 30, 1), (1, 2, 30, 50, 1), (1, 2, 30, 60, 1), (2, 3, 8, 8, 1)),
    ),
    Case(
        "window_whole_partition",
        lambda: window("max(x)", "int", order=()),
        expected((1, None, 5, 30, 1), (1, 1, 10, 30, 1), (1, 1, 20, 30, 1), (1, 2, 30, 30, 2), (2, 3, 8, 8, 1)),
    ),
    Case(
        "window_average_of_doubles",
        lambda: Window(TIES, ("p",), (), (("m", call("avg(cast(x as double))", "double")),)),
        expected((1, None, 5, 19.0, 1), (1, 1, 10, 19.0, 1), (1, 1, 20, 19.0, 1), (1, 2, 30, 19.0, 2), (2, 3, 8, 8.0, 1)),
    ),
    Case(
        "first_last_of_peers",
        lambda: Window(
            TIES, ("p",), (SortKey("o"),), (("f", call("first_value(x)", "int")), ("l", call("last_value(x)", "int")))
        ),
        expected((1, None, 5, 5, 5, 1), (1, 1, 10, 5, 20, 1), (1, 1, 20, 5, 20, 1), (1, 2, 30, 5, 30, 2), (2, 3, 8, 8, 8, 1)),
    ),
]
