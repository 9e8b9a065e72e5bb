"""The program at the end of the design page."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import belvedere as bv

PROGRAM = '''
import belvedere as bv

wh = bv.open("shop")                                   # a directory; embedded catalog; nothing to start
wh.create_table("orders", "id bigint, customer bigint, amount decimal(12,2)", key="id")
wh.create_view("by_customer", "select customer, sum(amount) total from orders group by customer")

with wh.transaction() as tx:                            # one epoch
    tx.insert("orders", [{"id": 1, "customer": 7, "amount": "9.50"}])
    tx.update("orders", {"amount": "amount * 2"}, where="id = 1")

wh.view("by_customer").df().show()                      # a Spark DataFrame
print(wh.view("by_customer").explain())
assert wh.view("by_customer").verify().ok               # equals recomputation
'''


@pytest.mark.spark
def test_the_program_runs_as_printed(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], session: object
) -> None:
    """The session is there already: a Java that starts in a directory of this test would outlive the directory."""
    monkeypatch.chdir(place)
    scope: dict[str, object] = {}
    exec(PROGRAM, scope)
    wh = scope["wh"]
    assert isinstance(wh, bv.Warehouse)
    printed = capsys.readouterr().out
    assert "customer" in printed
    assert "total" in printed
    assert "view by_customer: stale" in printed
    wh.view("by_customer").refresh()
    assert [tuple(r) for r in wh.view("by_customer").df().collect()] == [(7, Decimal("19.00"))]
    wh.close()


def test_the_program_without_spark(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but the DataFrame needs no Spark, and starts none."""
    monkeypatch.chdir(place)
    scope: dict[str, object] = {}
    exec(PROGRAM.replace("wh.view(\"by_customer\").df().show()", "print(wh.view(\"by_customer\").rows())"), scope)
    wh = scope["wh"]
    assert isinstance(wh, bv.Warehouse)
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == "[]"
    assert wh.epoch == 3
    assert wh.view("by_customer").status == "stale"
    [report] = wh.refresh()
    assert (report.view, report.epoch, report.rows_in, report.rows_out) == ("by_customer", 4, 1, 1)
    assert wh.view("by_customer").rows() == [{"customer": 7, "total": Decimal("19.00")}]
    assert not wh.core.spark_started
    wh.close()
