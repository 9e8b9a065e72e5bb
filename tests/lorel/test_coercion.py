"""Lorel's comparisons as the engine evaluates them, against the same in plain Python: every value with every other."""

from __future__ import annotations

import datetime as dt

import pytest

import belvedere as bv
from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.types import BigInt, Column, Double, String
from belvedere.languages.lorel.coercion import Atom, atom_of_text, compares, compares_constant, equalities, like
from belvedere.languages.lorel.constants import FLIPPED, Constant, fits, satisfies

VALUES: list[bool | int | float | str | dt.date] = [
    True, False, 0, 5, -5, 10, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0.0, 5.0, 5.5, -1e300, 9007199254740992.0, "", "5", "5.0",
    "05", "+5", "5e0", ".5e1", "10", "ten", "true", " 5", "5d", "0x10", "1_000", "nan", "inf", "1e999", "Thai City", "Thai_City",
    "thai", "2026-11-01", dt.date(2026, 11, 1), dt.date(999, 1, 2), dt.datetime(2026, 11, 1),
    dt.datetime(2026, 11, 1, 0, 0, 0, 1),
]  # fmt: skip
PATTERNS = ["%", "", "5%", "%5", "Thai%City", "Thai_City", "%a%", "T%_%y", "100!%", "ten", "%%"]


def atom(suffix: str = "") -> Atom:
    types = {"type": String(), "integer": BigInt(), "number": Double(), "text": String()}
    return Atom(*(col(Column(n + suffix, t)) for n, t in types.items()))


def sql(condition: Scalar) -> str:
    return f"case when {condition.expr.sql('spark')} then 1 else 0 end"


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> bv.Warehouse:
    wh = bv.open(tmp_path_factory.mktemp("coercion"), engine="duckdb")
    for table, suffix in (("a", ""), ("b", "2")):
        schema = f"n{suffix} bigint, type{suffix} string, integer{suffix} bigint, number{suffix} double, text{suffix} string"
        wh.create_table(table, schema)
        constants = [Constant.of(v) for v in VALUES]
        wh.load(table, [
            {f"n{suffix}": n, f"type{suffix}": c.type, f"integer{suffix}": c.value if c.type == "int" else None,
             f"number{suffix}": c.number, f"text{suffix}": c.text} for n, c in enumerate(constants)
        ])  # fmt: skip
    return wh


def test_constants(values: bv.Warehouse) -> None:
    tests = [(op, v) for op in FLIPPED for v in VALUES] + [("like", p) for p in PATTERNS]
    items = [f"{sql(compares_constant(op, atom(), Constant.of(v)))} c{n}" for n, (op, v) in enumerate(tests)]
    rows = values.query(f"select n, {', '.join(items)} from a").rows()
    assert len(rows) == len(VALUES)
    wrong = [
        (VALUES[row["n"]], op, v) for row in rows for n, (op, v) in enumerate(tests)
        if bool(row[f"c{n}"]) != satisfies(VALUES[row["n"]], op, v)
    ]  # fmt: skip
    assert wrong == []


def test_two_objects(values: bv.Warehouse) -> None:
    items = [f"{sql(compares(op, atom(), atom('2')))} c{n}" for n, op in enumerate(FLIPPED)]
    halves = [f"{sql(e)} e{n}" for n, e in enumerate(equalities(atom(), atom("2")))]
    rows = values.query(f"select n, n2, {', '.join([*items, *halves])} from a cross join b").rows()
    assert len(rows) == len(VALUES) ** 2
    for row in rows:
        a, b = VALUES[row["n"]], VALUES[row["n2"]]
        found = {op: bool(row[f"c{n}"]) for n, op in enumerate(FLIPPED)}
        assert found == {op: satisfies(a, op, b) for op in FLIPPED}, (a, b)
        assert row["e0"] + row["e1"] == int(satisfies(a, "=", b)), (a, b)


def test_labels_are_strings(values: bv.Warehouse) -> None:
    texts = [v for v in VALUES if isinstance(v, str)]
    label = atom_of_text(col(Column("text", String())))
    tests = [(op, v) for op in ("=", "<") for v in (True, 5, 5.5, "5", "ten", dt.date(2026, 11, 1))]
    items = [f"{sql(compares_constant(op, label, Constant.of(v)))} c{n}" for n, (op, v) in enumerate(tests)]
    rows = values.query(f"select text, {', '.join(items)} from a where type = 'string'").rows()
    assert sorted(r["text"] for r in rows) == sorted(texts)
    for row in rows:
        found = [bool(row[f"c{n}"]) for n in range(len(tests))]
        assert found == [satisfies(row["text"], op, v) for op, v in tests], row["text"]


def test_patterns(values: bv.Warehouse) -> None:
    text = col(Column("text", String()))
    rows = values.query(f"select text, {', '.join(f'{sql(like(text, p))} c{n}' for n, p in enumerate(PATTERNS))} from a").rows()
    for row in rows:
        assert [bool(row[f"c{n}"]) for n in range(len(PATTERNS))] == [fits(row["text"], p) for p in PATTERNS], row["text"]
