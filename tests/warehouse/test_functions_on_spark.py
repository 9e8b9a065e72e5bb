"""Functions and parameters on Spark: the same values go in and come out as in-process."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.warehouse.conftest import fill
from tests.warehouse.helpers import bag, order
from tests.warehouse.test_functions import register

import belvedere as bv

pytestmark = pytest.mark.spark

TYPES = ("timestamp", "timestamp_ntz", "date", "decimal(5,2)", "struct<a: int, `b c`: string>", "map<string, array<int>>",
         "binary", "float", "boolean", "array<timestamp>")  # fmt: skip


@pytest.fixture
def on_spark(place: Path, session: Any) -> Iterator[bv.Warehouse]:
    with bv.open(place / "wh", engine="spark", spark=session) as wh:
        fill(wh)
        register(wh)
        yield wh


def test_values_of_all_types_are_the_same_on_both_engines(on_spark: bv.Warehouse) -> None:
    for i, t in enumerate(TYPES):
        on_spark.register_function(f"same {i}", lambda x: x, [t], t)
        on_spark.register_function(f"`seen` {i}", repr, [t], "string")
    on_spark.create_table("wide", ", ".join(f"c{i} {t}" for i, t in enumerate(TYPES)))
    noon = dt.datetime(2026, 1, 2, 12, tzinfo=dt.UTC)
    row = {
        "c0": noon, "c1": dt.datetime(2026, 1, 2, 3), "c2": dt.date(2026, 1, 2), "c3": Decimal("1.50"),
        "c4": {"a": 1, "b c": "x"}, "c5": {"k": [1, None]}, "c6": b"\x00\xff", "c7": 1.5, "c8": True, "c9": [noon, None],
    }  # fmt: skip
    with on_spark.transaction() as tx:
        tx.insert("wide", [row, {}])
    same = ", ".join(f"`same {i}`(c{i}) as c{i}" for i in range(len(TYPES)))
    assert bag(on_spark.query(f"select {same} from wide").rows()) == bag([row, dict.fromkeys(row)])
    seen = ", ".join(f"```seen`` {i}`(c{i}) as c{i}" for i in range(len(TYPES)))
    view = on_spark.create_view("v", f"select {seen} from wide where c0 is not null")
    assert view.verify(engine="duckdb").ok
    assert view.rows()[0]["c5"] == "{'k': [1, None]}"


def test_a_view_with_functions_and_parameters(on_spark: bv.Warehouse) -> None:
    view = on_spark.create_view(
        "v",
        "select shout(o.note) k, sum(with_tax(o.amount)) s, count(*) n from orders o left join customers c "
        "on o.customer = c.id and shout(c.city) <> :city where named(o.note) <> :who and o.amount < :most and three() = 3 "
        "group by shout(o.note)",
        parameters={"city": "it's \\ \"x\"", "who": "b", "most": Decimal("9.60")},
    )
    assert bag(view.rows()) == bag([{"k": "A!", "s": Decimal("14.250"), "n": 1}, {"k": None, "s": Decimal("4.875"), "n": 2}])
    with on_spark.transaction() as tx:
        tx.update("orders", {"note": "shout(note)"}, where="with_tax(amount) > 10")
        tx.insert("orders", order(9, 8, "2.00", "b"))
    assert view.refresh("incremental").engine == "spark"
    assert view.verify(engine="duckdb").ok
    assert {r["k"] for r in view.df().collect()} == {"A!!", None}
    on_spark.register_function("shout", lambda s: s.lower(), ["string"], "string")
    view.bind(most=Decimal("100"))
    assert view.refresh().strategy == "recompute"
    assert view.verify(engine="spark").ok
    assert {r["k"] for r in view.rows()} == {"a!", None}
    frame = on_spark.query("select shout(note) k, three() n from orders where id = 1").df()
    assert [tuple(r) for r in frame.collect()] == [("a!", 3)]


def test_a_failing_function_names_itself(on_spark: bv.Warehouse) -> None:
    on_spark.register_function("odd", lambda x: 1 // (x - 2), ["bigint"], "string")
    with pytest.raises(bv.EngineError, match=r"^function 'odd' failed for \(2,\): ZeroDivisionError: integer division"):
        on_spark.query("select odd(id) from orders where id = 2").rows()
    with pytest.raises(bv.EngineError, match=r"^function 'odd' returned -1, which is no string"):
        on_spark.query("select odd(id) from orders where id = 1").rows()
