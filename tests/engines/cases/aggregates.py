"""Groups and aggregate functions."""

from __future__ import annotations

from tests.engines.cases.base import CLEAN, EMPTY, NAN, NESTED, Case, D, L, R, V, agg, by_k, constants, key, on
from tests.engines.support import expected

from belvedere.algebra.ops import Agg, Aggregate, Filter, Keys, Tally
from belvedere.algebra.scalar import col
from belvedere.algebra.types import parse_type
from belvedere.algebra.typing import scalar

CASES: list[Case] = [
    Case("keys", lambda: Keys(L, (key("k"),)), expected((1, 1), (2, 1), (None, 1), (3, 1), (4, 1))),
    Case("keys_computed", lambda: Keys(L, (("odd", on("k % 2", L)),)), expected((1, 1), (0, 1), (None, 1))),
    Case(
        "tally",
        lambda: Tally(L, (key("k"),), (("n", on("1L", L)), ("v", on("cast(v as decimal(16,2))", L)))),
        expected((1, 2, D("3.00"), 1), (2, 2, D("0.50"), 1), (None, 1, D("4.00"), 1), (3, 1, D("0.00"), 1), (4, 0, D("0.00"), 1)),
    ),
    Case("tally_all", lambda: Tally(EMPTY, (), (("n", on("1L", EMPTY)),)), expected((0, 1))),
    Case(
        "tally_wide",
        lambda: Tally(CLEAN, (key("g", CLEAN),), (("s", col(CLEAN.schema["w"])),)),
        expected((1, D("8.5000000001"), 1), (2, D("-7"), 1)),
    ),
    Case("distinct", lambda: by_k(), expected((1, 1), (2, 1), (None, 1), (3, 1))),
    Case("distinct_nan", lambda: Aggregate(L, (key("d"),), ()), expected((0.5, 1), (NAN, 1), (None, 1), (1.0, 1))),
    Case(
        "distinct_maps",
        lambda: Aggregate(NESTED, (key("m", NESTED),), ()),
        expected(([("a", 2), ("b", 1)], 1), ([], 1), (None, 1), ([("z", None)], 1)),
    ),
    Case(
        "group_by_constant",
        lambda: Aggregate(EMPTY, (("one", on("1", EMPTY)),), (("n", agg("count", "bigint", over=EMPTY)),)),
        expected(),
    ),
    Case(
        "group_by_expression",
        lambda: Aggregate(L, (("odd", on("k % 2", L)),), (("n", agg("count", "bigint")),)),
        expected((1, 3, 1), (0, 2, 1), (None, 1, 1)),
    ),
    Case(
        "group_renamed_key",
        lambda: Aggregate(R, (("s", col(R.schema["j"])),), (("j", agg("max", "string", "s", over=R)),)),
        expected((1, "one", 1), (3, "three", 1), (None, "null", 1), (5, "five", 1)),
    ),
    Case(
        "count_sum_avg",
        lambda: by_k(
            n=agg("count", "bigint"),
            nv=agg("count", "bigint", "v"),
            s=agg("sum", "decimal(16,2)", "v"),
            s0=agg("sum0", "decimal(16,2)", "v"),
            a=agg("avg", "decimal(10,6)", "v"),
        ),
        expected(
            (1, 2, 2, D("3.00"), D("3.00"), D("1.500000"), 1),
            (2, 2, 2, D("0.50"), D("0.50"), D("0.250000"), 1),
            (None, 1, 1, D("4.00"), D("4.00"), D("4.000000"), 1),
            (3, 1, 0, None, D("0.00"), None, 1),
        ),
    ),
    Case(
        "avg_rounds_half_up",
        lambda: Aggregate(
            constants(("1", "'a'"), ("2", "'b'"), ("2", "'c'")),
            (),
            (
                ("a", Agg("avg", (scalar("cast(a as decimal(5,0))", V),), parse_type("decimal(9,4)"))),
                ("i", Agg("avg", (scalar("a", V),), parse_type("double"))),
            ),
        ),
        expected((D("1.6667"), 5 / 3, 1)),
    ),
    Case(
        "sum_of_integers",
        lambda: Aggregate(R, (), (("s", agg("sum", "bigint", "j", over=R)), ("a", agg("avg", "double", "j", over=R)))),
        expected((15, 3.0, 1)),
    ),
    Case(
        "sum_of_wide_decimals",
        lambda: Aggregate(
            CLEAN,
            (key("g", CLEAN),),
            (("s", agg("sum", "decimal(38,10)", "w", over=CLEAN)), ("a", agg("avg", "decimal(38,14)", "w", over=CLEAN))),
        ),
        expected((1, D("8.5000000001"), D("2.12500000002500"), 1), (2, D("-7.0000000000"), D("-7.00000000000000"), 1)),
    ),
    Case(
        "sum_of_doubles",
        lambda: by_k(s=agg("sum", "double", "d"), a=agg("avg", "double", "d"), n=agg("count", "bigint", "d")),
        expected((1, 1.0, 0.5, 2, 1), (2, NAN, NAN, 2, 1), (None, None, None, 0, 1), (3, 1.0, 1.0, 1, 1)),
    ),
    Case(
        "min_max",
        lambda: by_k(lo=agg("min", "decimal(6,2)", "v"), hi=agg("max", "double", "d")),
        expected((1, D("1.50"), 0.5, 1), (2, D("0.25"), NAN, 1), (None, D("4.00"), None, 1), (3, None, 1.0, 1)),
    ),
    Case(
        "min_max_structs",
        lambda: Aggregate(
            NESTED,
            (),
            (
                ("lo", agg("min", "struct<p:int,q:string>", "st", over=NESTED)),
                ("hi", agg("max", "struct<p:int,q:string>", "st", over=NESTED)),
            ),
        ),
        expected(({"p": None, "q": "x"}, {"p": 1, "q": "a"}, 1)),
    ),
    Case(
        "min_by_max_by",
        lambda: by_k(x=agg("max_by", "double", "d", "v"), y=agg("min_by", "double", "d", "v")),
        expected((1, 0.5, 0.5, 1), (2, NAN, NAN, 1), (None, None, None, 1), (3, None, None, 1)),
    ),
    Case(
        "bool_and_or",
        lambda: by_k(a=agg("bool_and", "boolean", "v > 1"), o=agg("bool_or", "boolean", "v > 1")),
        expected((1, True, True, 1), (2, False, False, 1), (None, True, True, 1), (3, None, None, 1)),
    ),
    Case(
        "bits",
        lambda: Aggregate(
            R,
            (),
            (
                ("a", agg("bit_and", "int", "j", over=R)),
                ("o", agg("bit_or", "int", "j", over=R)),
                ("x", agg("bit_xor", "int", "j", over=R)),
            ),
        ),
        expected((1, 7, 7, 1)),
    ),
    Case(
        "distinct_aggregates",
        lambda: Aggregate(
            R,
            (),
            (
                ("n", agg("count", "bigint", "j", over=R, distinct=True)),
                ("s", agg("sum", "bigint", "j", over=R, distinct=True)),
                ("two", agg("count", "bigint", "j", "s", over=R, distinct=True)),
                ("a", agg("avg", "double", "j", over=R, distinct=True)),
            ),
        ),
        expected((3, 9, 4, 3.0, 1)),
    ),
    Case(
        "variance",
        lambda: Aggregate(
            R,
            (),
            (
                ("vp", agg("var_pop", "double", "cast(j as double)", over=R)),
                ("sd", agg("stddev_samp", "double", "cast(j as double)", over=R)),
            ),
        ),
        expected((1.6, 2.0**0.5, 1)),
    ),
    Case(
        "variance_of_one",
        lambda: Aggregate(
            Filter(R, on("j = 1", R)),
            (),
            (
                ("vs", agg("var_samp", "double", "cast(j as double)", over=R)),
                ("vp", agg("var_pop", "double", "cast(j as double)", over=R)),
            ),
        ),
        expected((None, 0.0, 1)),
    ),
    Case(
        "collect",
        lambda: Aggregate(
            R,
            (),
            (
                ("l", agg("collect_list", "array<int>", "j", over=R)),
                ("s", agg("collect_set", "array<int>", "j", over=R)),
                ("t", agg("listagg", "string", "s", "','", over=R)),
            ),
        ),
        expected(([1, 3, 3, 3, 5], [1, 3, 5], ",,five,null,one,three", 1)),
    ),
    Case(
        "collect_structs",
        lambda: Aggregate(NESTED, (), (("l", agg("collect_list", "array<struct<p:int,q:string>>", "st", over=NESTED)),)),
        expected(([{"p": None, "q": "x"}, {"p": 1, "q": None}, {"p": 1, "q": None}, {"p": 1, "q": "a"}], 1)),
    ),
    Case(
        "percentile",
        lambda: Aggregate(
            R,
            (),
            (
                ("m", agg("median", "double", "cast(j as double)", over=R)),
                ("p", agg("percentile", "double", "cast(j as double)", "0.25D", over=R)),
            ),
        ),
        expected((3.0, 3.0, 1)),
    ),
    Case(
        "single_value",
        lambda: Aggregate(Filter(R, on("j = 5", R)), (), (("v", agg("single_value", "string", "s", over=R)),)),
        expected(("five", 1)),
    ),
    Case(
        "aggregate_of_nothing",
        lambda: Aggregate(
            EMPTY,
            (),
            (
                ("n", agg("count", "bigint", over=EMPTY)),
                ("s", agg("sum", "bigint", "x", over=EMPTY)),
                ("m", agg("max", "string", "y", over=EMPTY)),
                ("l", agg("collect_list", "array<int>", "x", over=EMPTY)),
                ("a", agg("avg", "double", "x", over=EMPTY)),
            ),
        ),
        expected((0, None, None, [], None, 1)),
    ),
]
