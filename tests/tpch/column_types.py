"""The types that Spark gives to the columns of each query. `test_spark.py` asks Spark; in-process tests hold views to them."""

from __future__ import annotations

_MONEY, _REVENUE = "decimal(15,2)", "decimal(38,4)"

TYPES: dict[str, tuple[str, ...]] = {
    "q01": ("string", "string", "decimal(25,2)", "decimal(25,2)", _REVENUE, "decimal(38,6)", *["decimal(19,6)"] * 3, "bigint"),
    "q02": (_MONEY, "string", "string", "bigint", "string", "string", "string", "string"),
    "q03": ("bigint", _REVENUE, "date", "int"),
    "q04": ("string", "bigint"),
    "q05": ("string", _REVENUE),
    "q06": (_REVENUE,),
    "q07": ("string", "string", "int", _REVENUE),
    "q08": ("int", "decimal(38,6)"),
    "q09": ("string", "int", _REVENUE),
    "q10": ("bigint", "string", _REVENUE, _MONEY, "string", "string", "string", "string"),
    "q11": ("bigint", "decimal(36,2)"),
    "q12": ("string", "bigint", "bigint"),
    "q13": ("bigint", "bigint"),
    "q14": ("decimal(38,6)",),
    "q15": ("bigint", "string", "string", "string", _REVENUE),
    "q16": ("string", "string", "int", "bigint"),
    "q17": ("decimal(30,6)",),
    "q18": ("string", "bigint", "bigint", "date", _MONEY, "decimal(25,2)"),
    "q19": (_REVENUE,),
    "q20": ("string", "string"),
    "q21": ("string", "bigint"),
    "q22": ("string", "bigint", "decimal(25,2)"),
}
