"""changes.jsonl as text: what is read, and where a broken line is broken."""

from __future__ import annotations

from decimal import Decimal

import pytest

from belvedere.cli.changefile import SHAPES, parse, transactions
from belvedere.errors import ParseError


def read(*lines: str) -> list[tuple[int, str, dict[str, object]]]:
    return [(s.line, s.op, s.fields) for s in parse([line.encode() for line in lines], "changes.jsonl")]


def broken(*lines: bytes) -> ParseError:
    with pytest.raises(ParseError) as caught:
        list(parse(lines, "changes.jsonl"))
    assert str(caught.value).startswith("changes.jsonl: ")
    assert "nothing was applied" in str(caught.value)
    return caught.value


def test_row_and_rows_become_rows() -> None:
    merge = '{"op": "merge", "table": "t", "rows": [{"a": 2}]}\r\n'
    assert read('{"op": "insert", "table": "t", "row": {"a": 1}}', "", merge) == [
        (1, "insert", {"table": "t", "rows": [{"a": 1}]}),
        (3, "merge", {"table": "t", "rows": [{"a": 2}]}),
    ]


def test_numbers_are_exact() -> None:
    [(_, _, fields)] = read('{"op": "insert", "table": "t", "row": {"a": 9.10, "b": 12345678901234567890123}}')
    assert fields["rows"] == [{"a": Decimal("9.10"), "b": 12345678901234567890123}]


def test_bytes() -> None:
    [(_, _, fields)] = read('{"op": "insert", "table": "t", "row": {"a": {"$base64": "AAEC"}, "b": {"$base64": "", "c": 1}}}')
    assert fields["rows"] == [{"a": b"\x00\x01\x02", "b": {"$base64": "", "c": 1}}]


def test_a_byte_order_mark_is_no_content() -> None:
    assert read('\ufeff{"op": "truncate", "table": "t"}') == [(1, "truncate", {"table": "t"})]


@pytest.mark.parametrize("field", ["where", "key", "row", "rows"])
def test_delete_takes_each_form(field: str) -> None:
    value = {"where": '"a = 1"', "key": "7", "row": '{"a": 1}', "rows": '[{"a": 1}]'}[field]
    [(_, op, fields)] = read(f'{{"op": "delete", "table": "t", "{field}": {value}}}')
    assert op == "delete"
    assert set(fields) == {"table", "rows" if field == "row" else field}


def test_commit_ends_a_transaction() -> None:
    truncate = b'{"op": "truncate", "table": "t"}'
    commit = b'{"op": "commit"}'
    lines = [commit, truncate, truncate, commit, commit, truncate]
    assert [[s.line for s in t] for t in transactions(parse(lines, "x"))] == [[2, 3], [6]]
    assert [len(t) for t in transactions(parse([truncate, truncate], "x"))] == [2]
    assert transactions(parse([commit], "x")) == []


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        ('{"op": "insert", "table": "t", "row": {"a": }}', 45, "not JSON: expecting value"),
        ('{"op": "insert" "table": "t"}', 17, "not JSON: expecting ',' delimiter"),
        ("[1]", 1, "every line must be an object"),
        ("{}", 1, 'every line needs an "op"'),
        ('{"op": 3}', 2, 'every line needs an "op"'),
        ('{"op": "inser", "table": "t"}', 8, "unknown op 'inser'; did you mean 'insert'?"),
        ('{"op": "insert", "tabel": "t", "row": {}}', 18, "'insert' has no field 'tabel'; did you mean 'table'?"),
        ('{"op": "insert", "row": {}}', 1, "'insert' needs the field 'table'"),
        ('{"op": "insert", "table": "t"}', 1, "'insert' needs exactly one of row, rows"),
        ('{"op": "insert", "table": "t", "row": {}, "rows": []}', 1, "'insert' needs exactly one of row, rows"),
        ('{"op": "insert", "table": "t", "row": 3}', 32, "'row' must be an object"),
        ('{"op": "insert", "table": "t", "rows": [{}, 3]}', 32, "'rows' must be a list of objects"),
        ('{"op": "insert", "table": 5, "row": {}}', 18, "'table' must be text"),
        ('{"op": "update", "table": "t", "set": {"a": 1}}', 1, "'update' needs the field 'where'"),
        ('{"op": "delete", "table": "t", "key": null}', 32, "'key' must be a value"),
        ('{"op": "insert", "table": "t", "row": {"a": 1, "a": 2}}', 40, "'a' stands twice"),
        ('{"op": "insert", "table": "t", "row": {"a": NaN}}', 45, "NaN is not JSON"),
        ('{"op": "insert", "table": "t", "row": {"a": ' + "9" * 5000 + "}}", 1, "too many digits"),
        ('{"op": "insert", "table": "t", "row": {"a": {"$base64": "=="}}}', 46, "not base64"),
        ("[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_a_broken_line_says_where(line: str, column: int, said: str) -> None:
    error = broken(b'{"op": "truncate", "table": "t"}', line.encode())
    assert said in str(error)
    assert (error.line, error.column) == (2, column)
    assert f"line 2, column {column}:" in str(error)


def test_bytes_that_are_not_text() -> None:
    error = broken(b'{"op": "truncate", "table": "caf\xe9"}')
    assert "not UTF-8" in str(error)
    assert (error.line, error.column) == (1, 33)


def test_every_op_of_the_page_is_known() -> None:
    """docs/changes.md and the parser list the same ops."""
    import re
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "changes.md").read_text(encoding="utf-8")
    assert set(re.findall(r'"op": "(\w+)"', page)) == set(SHAPES)
