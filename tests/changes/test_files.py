from __future__ import annotations

import decimal
import gzip
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from tests.changes.strategies import canon, tables

from belvedere.algebra.types import Schema, parse_schema
from belvedere.changes.files import file_schema, read_batches, read_file
from belvedere.changes.rows import to_table
from belvedere.changes.zset import to_rows
from belvedere.errors import ParseError, TypeMismatch, UnknownName

D = decimal.Decimal
SCHEMA = parse_schema("id bigint, name string, amount decimal(12,2), day date")
ROWS = [
    {"id": 1, "name": "a,b", "amount": D("9.50"), "day": date(2020, 1, 2)},
    {"id": 2, "name": "", "amount": None, "day": None},
    {"id": None, "name": None, "amount": D("-1.00"), "day": date(1969, 12, 31)},
]
CSV = 'id,name,amount,day\n1,"a,b",9.50,2020-01-02\n2,"",,\n,,-1,1969-12-31\n'
LINES = "".join(json.dumps(r, default=str) + "\n" for r in ROWS)


def write(path: Path, text: str | bytes) -> Path:
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


TEXTS = {
    "t.csv": CSV,
    "t.csv.gz": CSV,
    "t.CSV": CSV,
    "bom.csv": "\ufeff" + CSV,
    "windows.csv": CSV.replace("\n", "\r\n"),
    "no_end.csv": CSV.rstrip("\n"),
    "t.tsv": 'ID\tname\tamount\tday\n1\ta,b\t9.50\t2020-01-02\n2\t""\t\t\n\t\t-1\t1969-12-31\n',
    "t.jsonl": LINES,
    "t.ndjson": "\n" + LINES.replace("\n", "\n\n"),
    "t.jsonl.gz": LINES,
    "t.json": json.dumps(ROWS, default=str, indent=2),
    "spark.json": LINES,
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_files(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, TEXTS[name])
    table = read_file(path, SCHEMA, what="table t")
    assert table.schema == to_table([], SCHEMA).schema
    assert to_rows(table) == ROWS
    assert [b.num_rows for b in read_batches(path, SCHEMA, batch_rows=2)] == [2, 1]


def test_columnar_files(tmp_path: Path) -> None:
    table = to_table(ROWS, SCHEMA)
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, str(tmp_path / "t.feather"))
    feather.write_feather(table, str(tmp_path / "t.arrow"), compression="uncompressed")
    for name in ("t.parquet", "t.feather", "t.arrow"):
        assert to_rows(read_file(tmp_path / name, SCHEMA)) == ROWS
        assert file_schema(tmp_path / name) == SCHEMA
        assert to_rows(read_file(str(tmp_path / name))) == ROWS


def test_a_folder_is_its_data_files(tmp_path: Path) -> None:
    for i, row in enumerate(ROWS):
        pq.write_table(to_table([row], SCHEMA), tmp_path / f"part-{i}.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert to_rows(read_file(tmp_path)) == ROWS
    assert sum(b.num_rows for b in read_batches(tmp_path, SCHEMA)) == 3


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="no data files"):
        read_file(tmp_path)


def test_nested_values_in_csv_are_json(tmp_path: Path) -> None:
    schema = parse_schema("a array<int>, s struct<x:int>, m map<string,int>")
    path = write(tmp_path / "t.csv", 'a,s,m\n"[1,null]","{""x"":1}","{""k"":2}"\n,,\n')
    assert to_rows(read_file(path, schema)) == [{"a": [1, None], "s": {"x": 1}, "m": {"k": 2}}, {"a": None, "s": None, "m": None}]
    with pytest.raises(TypeMismatch, match="line 2, column a: 'x' is not a array<int>; write it as JSON"):
        read_file(write(tmp_path / "u.csv", "a\nx\n"), parse_schema("a array<int>"))


INFERRED: list[tuple[str, str, str]] = [
    ("t.csv", "a,b,c\n1,x,true\n,,FALSE\n", "a bigint, b string, c boolean"),
    ("t.csv", "a,b\n1,2020-01-01\n1.5,\n", "a double, b date"),
    ("t.csv", "a,b\n007,2020-01-01 10:00:00\n1,2020-01-01T10:00:00Z\n", "a string, b timestamp"),
    ("t.csv", "a,b\n123456789012345678901,-1e5\n1,0.5\n", "a decimal(38,0), b double"),
    ("t.csv", 'a,b\n"",\n,\n', "a string, b string"),
    ("t.csv", "a,b\n", "a string, b string"),
    ("t.csv", "a\n2020-13-01\n", "a string"),
    ("t.jsonl", '{"a":1,"b":[1.5]}\n{"a":null,"c":{"x":true}}\n', "a bigint, b array<double>, c struct<x:boolean>"),
    ("t.json", '[{"a":1.0},{"a":2}]', "a double"),
    ("t.json", '{"a":"x",\n "b":2}', "a string, b bigint"),
]


@pytest.mark.parametrize(("name", "text", "schema"), INFERRED, ids=range(len(INFERRED)))
def test_inferred_types(name: str, text: str, schema: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, text)
    assert str(file_schema(path)) == schema
    assert str(parse_schema(schema)) == schema
    assert read_file(path).column_names == [c.name for c in parse_schema(schema)]


def test_values_after_inference(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "i,f,t,s\n1,.5,2020-01-01T10:00:00+02:00,007\n-2,1e2,2020-01-01 00:00,08\n")
    rows = to_rows(read_file(path))
    assert rows[0] == {"i": 1, "f": ".5", "t": datetime(2020, 1, 1, 8, tzinfo=UTC), "s": "007"}
    assert rows[1]["t"] == datetime(2020, 1, 1, tzinfo=UTC)


BROKEN: list[tuple[str, str | bytes, type[Exception], str]] = [
    ("t.csv", CSV + "1,2\n", ParseError, "t.csv, line 5: 2 values for 4 columns"),
    ("t.csv", CSV + "1,2,3,2020-01-01,5\n", ParseError, "t.csv, line 5: 5 values for 4 columns"),
    ("t.csv", 'id,name,amount,day\n1,"two\nlines",,\n\n2,b\n', ParseError, "t.csv, line 5: 2 values for 4 columns"),
    ("t.csv", 'id,name,amount,day\n1,"two\nlines",,\n2,"open,,\n3,c,,\n', ParseError, "t.csv, line 4: a quote opens"),
    ("t.csv", b"id,name,amount,day\n1,a,,\n2,\xff,,\n", ParseError, "t.csv, line 3: the text is not UTF-8"),
    ("t.csv", 'id,name,amount,day\n1,"two\nlines",,\nx,b,,\n', TypeMismatch, "table t, line 4, column id: 'x' is not a bigint"),
    ("t.csv", "id,nam,amount,day\n", UnknownName, "line 1: there is no column 'nam'; did you mean 'name'?"),
    ("t.csv", "id,id\n1,2\n", ParseError, "line 1: the header names the column id twice"),
    ("t.csv", "id,,name\n", ParseError, "line 1: the column 2 of the header has no name"),
    ("t.csv", "", ParseError, "line 1: the file has no header"),
    ("t.jsonl", LINES + '{"id": 1,\n', ParseError, "t.jsonl, line 4: not JSON"),
    ("t.jsonl", LINES + "[1]\n", ParseError, "t.jsonl, line 4: [1], where an object {…} was expected"),
    ("t.jsonl", '{"id": 1}\n\n{"id": "x"}\n', TypeMismatch, "table t, line 3, column id: 'x'"),
    ("t.jsonl", '{"id": 1, "id": 2}\n', ParseError, "line 1: the name 'id' is there twice"),
    ("t.jsonl", '{"id": 1}\n{"idd": 1}\n', UnknownName, "line 2: there is no column 'idd'"),
    ("t.json", '[{"id": 1},\n {"id" 2}]', ParseError, "t.json, line 2: not JSON"),
    ("t.json", '[{"id": 1}, 5]', ParseError, "element 2 is 5, where an object"),
    ("t.json", '[{"id": 1}, {"id": 1.5}]', TypeMismatch, "table t, row 2, column id"),
    ("t.json", "", ParseError, "t.json, line 1: not JSON"),
    ("t.parquet", b"nonsense", ParseError, "t.parquet: cannot be read as parquet"),
    ("t.arrow", b"nonsense", ParseError, "t.arrow: cannot be read as arrow"),
    ("t.xlsx", b"", ParseError, "the extension says no format; known are arrow, csv"),
    ("t.parquet.gz", b"", ParseError, "the extension says no format"),
]


@pytest.mark.parametrize(("name", "text", "error", "words"), BROKEN, ids=range(len(BROKEN)))
def test_broken_files(name: str, text: str | bytes, error: type[Exception], words: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(error) as caught:
        read_file(path, SCHEMA, what="table t")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz"])
def test_damaged_gzip(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEXTS[name].encode() * 100)[:-20])
    with pytest.raises(ParseError, match=r"t\.(csv|jsonl)\.gz: "):
        read_file(path, SCHEMA)
    path.write_bytes(b"not gzip at all")
    with pytest.raises(ParseError, match=r"t\.(csv|jsonl)\.gz: "):
        read_file(path, SCHEMA)


def test_mixed_types_name_the_line(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", '{"a":1}\n\n{"a":"x"}\n')
    with pytest.raises(TypeMismatch, match=r"line 3, column a: 'x' is string, the rows before hold bigint"):
        file_schema(path)


def test_a_missing_file_suggests_a_near_one(tmp_path: Path) -> None:
    write(tmp_path / "orders.csv", CSV)
    with pytest.raises(UnknownName, match=r"there is no file .*order\.csv; did you mean 'orders.csv'\?"):
        read_file(tmp_path / "order.csv", SCHEMA)
    with pytest.raises(UnknownName, match="there is no file"):
        read_file(tmp_path / "nowhere" / "order.csv", SCHEMA)


def test_rows_far_into_a_large_file_are_still_located(tmp_path: Path) -> None:
    good = "".join(f"{i},some text that makes the line longer {'x' * 60},1.5,2020-01-01\n" for i in range(120_000))
    path = write(tmp_path / "t.csv", "id,name,amount,day\n" + good + "oops,a,,\n")
    assert path.stat().st_size > 8 << 20  # more than one block
    with pytest.raises(TypeMismatch, match="line 120002, column id: 'oops'"):
        read_file(path, SCHEMA)
    assert str(file_schema(path)) == "id string, name string, amount double, day date"


def test_a_record_longer_than_a_block(tmp_path: Path) -> None:
    long = "x" * (9 << 20)
    path = write(tmp_path / "t.csv", f'id,name\n1,a\n2,"{long}"\n3,b\n')
    rows = to_rows(read_file(path, parse_schema("id bigint, name string")))
    assert [r["id"] for r in rows] == [1, 2, 3]
    assert len(rows[1]["name"]) == 9 << 20


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=tables())
def test_parquet_round_trip(case: tuple[Schema, list[dict[str, Any]]], tmp_path: Path) -> None:
    schema, rows = case
    pq.write_table(to_table(rows, schema), tmp_path / "r.parquet")
    assert [canon(r) for r in to_rows(read_file(tmp_path / "r.parquet", schema))] == [canon(r) for r in rows]
    assert file_schema(tmp_path / "r.parquet") == schema


def test_arrow_stream_files_are_read_too(tmp_path: Path) -> None:
    table = to_table(ROWS, SCHEMA)
    with pa.OSFile(str(tmp_path / "s.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert to_rows(read_file(tmp_path / "s.arrow", SCHEMA)) == ROWS
