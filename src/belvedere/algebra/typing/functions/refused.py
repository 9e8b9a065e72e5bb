"""Functions that cannot be kept fresh, each with the reason and the way out."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import DataType
from belvedere.algebra.typing.context import Context, Rule, name_of

_RANDOM = (
    "gives another value each time, so a view of it has no right content; store the value in a column when the row is written"
)
_CLOCK = (
    "depends on when it is asked, so rows would change without a change of the data; "
    "store the time in a column, or bind a literal: write :today in its place, give parameters={'today': …} to create_view, "
    "and move it on with view.bind(today=…)"
)
_PLACE = "depends on how the data is stored, not on the data; store the value in a column"
_SESSION = "depends on the session that asks, not on the data; write the value as a literal"
_APPROXIMATE = "is approximate: its result cannot be updated exactly nor verified; use the exact function"
_FAILS = "exists only to fail; filter the rows instead"


def refuse(reason: str) -> Rule:
    def rule(ctx: Context, node: exp.Expr) -> DataType:
        raise ctx.unsupported(node, f"{name_of(node)}() {reason}")

    return rule


RULES: dict[type[exp.Expr], Rule] = {
    **dict.fromkeys((exp.Rand, exp.Randn, exp.Uuid, exp.Shuffle, exp.Uniform), refuse(_RANDOM)),
    **dict.fromkeys(
        (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.Localtimestamp, exp.UtcTimestamp), refuse(_CLOCK)
    ),
    **dict.fromkeys(
        (exp.CurrentUser, exp.SessionUser, exp.CurrentTimezone, exp.CurrentDatabase, exp.CurrentCatalog), refuse(_SESSION)
    ),
    **dict.fromkeys((exp.ApproxDistinct, exp.ApproxQuantile, exp.ApproxTopK), refuse(_APPROXIMATE)),
}
NAMED: dict[str, Rule] = {
    **dict.fromkeys(("rand", "randn", "random", "uuid", "shuffle", "randstr", "uniform"), refuse(_RANDOM)),
    **dict.fromkeys(("now", "curdate", "current_date", "current_timestamp", "current_time", "localtimestamp"), refuse(_CLOCK)),
    **dict.fromkeys(("monotonically_increasing_id", "spark_partition_id", "input_file_name", "input_file_block_start",
                     "input_file_block_length"), refuse(_PLACE)),
    **dict.fromkeys(("current_user", "user", "session_user", "current_database", "current_schema", "current_catalog", "version",
                     "current_timezone"), refuse(_SESSION)),
    **dict.fromkeys(("approx_count_distinct", "approx_percentile", "percentile_approx", "approx_top_k", "count_min_sketch",
                     "hll_sketch_agg", "histogram_numeric", "bitmap_construct_agg", "bitmap_or_agg"), refuse(_APPROXIMATE)),
    **dict.fromkeys(("assert_true", "raise_error"), refuse(_FAILS)),
}  # fmt: skip

#: constants that Spark also reads without parentheses
BARE = {
    "current_date",
    "current_timestamp",
    "current_time",
    "localtimestamp",
    "current_user",
    "session_user",
    "user",
    "current_catalog",
}
