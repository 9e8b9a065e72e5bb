"""A first load by Spark's workers gives the mirror that one in this process gives, and takes as many rows of one state."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from tests.sources.conftest import MakeSite
from tests.sources.helpers import mirror, same
from tests.sources.logical.test_values import COLUMNS, MAKE

import belvedere as bv
from belvedere.engines.spark import SparkEngine

pytestmark = pytest.mark.spark
MANY = 120_000


@pytest.fixture
def by_spark(tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A warehouse that may use Spark, and the parts that Spark's workers were given."""
    given: list[int] = []
    original = SparkEngine.write_parts

    def write_parts(self: SparkEngine, parts: Any, *rest: Any) -> list[str]:
        given.append(len(parts))
        return original(self, parts, *rest)

    monkeypatch.setattr(SparkEngine, "write_parts", write_parts)
    with bv.open(tmp_path / "spark", engine="auto", spark=spark) as wh:
        yield wh, given


def test_many_rows(by_spark: Any, make_site: MakeSite) -> None:
    wh, given = by_spark
    site = make_site("postgres")
    site.execute("create table t (id integer primary key, x text)", "create table few (id integer primary key)")
    site.execute(f"insert into t select i, 'row ' || i from generate_series(1, {MANY}) i", "insert into few values (1)")
    seen: list[tuple[str, int, int]] = []

    def progress(table: str, rows: int, total: int) -> None:
        if not seen:
            site.execute("insert into t values (0, 'late')", "delete from t where id = 5", "insert into few values (2)")
        seen.append((table, rows, total))

    rows = wh.attach("s", site.with_option("spark_rows=50000&batch=2000"), mirror=True, progress=progress)
    assert rows["s.t"] == MANY
    assert len(given) == 1, "large tables only"
    assert 4 <= given[0] <= 8
    done = [r for table, r, _ in seen if table == "s.t"]
    assert done == sorted(done)
    assert done[-1] == MANY
    assert (wh.sync()[0].rows, rows["s.few"]) == ({"few": 1, "t": 2}, 1)
    same(wh, "s", site, "t", "few")


def test_all_types(by_spark: Any, wh: bv.Warehouse, make_site: MakeSite) -> None:
    spark, given = by_spark
    site = make_site("postgres")
    site.execute("create type mood as enum ('sad', 'so so')", MAKE)
    longest = max(len(v) for v in COLUMNS.values())
    for number in range(longest + 1):
        values = [v[number] if number < len(v) else "NULL" for v in COLUMNS.values()]
        site.execute(f"insert into t values ({number}, {', '.join(values)})")
    site.execute("create table empty (id integer primary key, x text)")
    spark.attach("s", site.with_option("spark_rows=1"), mirror=True)
    wh.attach("s", site.url, mirror=True)
    assert given == [1], "one block of rows, and a table without any"
    assert repr(mirror(spark, "s", "t")) == repr(mirror(wh, "s", "t"))
    assert (mirror(spark, "s", "empty"), spark.table_schema("s.t")) == ([], wh.table_schema("s.t"))
    site.execute("update t set i2 = 1", "insert into empty values (1, 'x')")
    assert spark.sync()[0].rows == wh.sync()[0].rows
    assert repr(mirror(spark, "s", "t")) == repr(mirror(wh, "s", "t"))


def test_a_warehouse_that_stays_in_process(wh: bv.Warehouse, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = make_site("postgres")
    site.execute("create table t (id integer primary key)", "insert into t values (1)")
    monkeypatch.setattr(SparkEngine, "write_parts", lambda *_: pytest.fail("Spark"))
    assert wh.attach("s", site.with_option("spark_rows=1"), mirror=True) == {"s.t": 1}


def test_a_failure_names_what_is_wrong(by_spark: Any, make_site: MakeSite) -> None:
    """A value that does not fit is met by a worker; nothing is left behind."""
    wh, _ = by_spark
    site = make_site("postgres")
    site.execute("create table t (id integer primary key, n numeric(5,2))", "insert into t values (1, 'NaN')")
    with pytest.raises(bv.BelvedereError, match=r"source s, t.*n"):
        wh.attach("s", site.with_option("spark_rows=1"), mirror=True)
    assert (wh.sources(), wh.tables(), site.objects()) == ([], [], [])


def test_a_load_that_is_interrupted(by_spark: Any, make_site: MakeSite) -> None:
    """Its jobs end with it: nothing is written afterwards, and nothing is left at the source."""
    wh, given = by_spark
    site = make_site("postgres")
    site.execute("create table t (id integer primary key, x text)")
    site.execute(f"insert into t select i, 'row ' || i from generate_series(1, {MANY}) i")

    def interrupted(table: str, rows: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wh.attach("s", site.with_option("spark_rows=50000&batch=2000"), mirror=True, progress=interrupted)
    assert given
    assert not [t for t in threading.enumerate() if t.name == "belvedere-load"]
    assert (wh.sources(), wh.tables(), site.objects()) == ([], [], [])
    assert wh.attach("s", site.with_option("spark_rows=50000&batch=2000"), mirror=True) == {"s.t": MANY}
    same(wh, "s", site, "t")
