"""Lines of JSON that are read at once: the same graph as one line after the other gives, to the depth and the text of a value."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.graphs.model import stored

import belvedere as bv
from belvedere.warehouse.graphs import bulk, load

ATOMS: list[Any] = [
    0, 1, -7, 2**53 + 1, -(2**63), 2**63 - 1, 0.0, 1.5, -2.25e-7, 1e16, 1e300, 12345678901234567.0, 0.1, True, False, None,
    "", "5", " 5", "-0", "1e3", "1e999", "x", "Zoë", "日本", "a\nb", 'q"', "tab\t", "\x00", "\\", "null", "2024-02-29",
]  # fmt: skip
KEYS = ["a", "b", "Zoë", "", "a.b", "0", "$", "key with blanks", "日本", 'q"']


def tree(r: random.Random, depth: int = 0) -> Any:
    kind = r.randrange(6)
    if depth > 3 or kind < 3:
        return r.choice(ATOMS)
    if kind == 3 and depth:
        return [x for x in (tree(r, depth + 1) for _ in range(r.randrange(4))) if not isinstance(x, list)]
    return {k: tree(r, depth + 1) for k in r.sample(KEYS, r.randrange(5))}


def text(r: random.Random, value: Any) -> str:
    return json.dumps(value, ensure_ascii=r.random() < 0.5)


def loaded(wh: bv.Warehouse, name: str, file: Path) -> Any:
    """The graph up to its oids, with the depth of each object and all columns of each value."""
    done = wh.load_oem(name, file, label="part")
    stored(wh)  # each row once, and every depth a true certificate
    edges, values, objects = (wh.query(f"select * from `oem.{t}`").rows() for t in ("edges", "values", "objects"))
    atoms = {r["oid"]: repr(sorted((k, v) for k, v in r.items() if k != "oid")) for r in values}
    depth = {r["oid"]: r["depth"] for r in objects}
    out: dict[str, list[tuple[str, str]]] = {}
    for r in edges:
        out.setdefault(r["source"], []).append((r["label"], r["target"]))

    def shape(oid: str) -> str:
        return f"{depth[oid]} {atoms.get(oid)} {sorted((label, shape(t)) for label, t in out.get(oid, ()))}"

    below = sum(len(out.get(oid, ())) for oid in out) if name == "Walked" else done.edges
    assert done.edges == below
    return shape(done.oid)


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each batch was read at once."""
    seen: list[bool] = []
    read = bulk.read

    def counted(*args: Any) -> Any:
        part = read(*args)
        seen.append(part is not None)
        return part

    monkeypatch.setattr(load, "read", counted)
    return seen


def both_ways(wh: bv.Warehouse, file: Path, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    monkeypatch.setattr(bulk, "FEW", 10**9)
    walked = loaded(wh, "Walked", file)
    monkeypatch.setattr(bulk, "FEW", 0)
    seen = count_reads(monkeypatch)
    assert loaded(wh, "Read", file) == walked
    return seen


@pytest.mark.parametrize("seed", range(40))
def test_the_same_graph(wh: bv.Warehouse, place: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    r = random.Random(f"bulk {seed}")
    lines = [value for value in (tree(r) for _ in range(12)) if not isinstance(value, list)]
    (place / "x.jsonl").write_text("".join(text(r, value) + "\n" for value in lines), encoding="utf-8")
    monkeypatch.setattr(bulk, "MANY", r.choice([40, 10**6]))
    assert all(both_ways(wh, place / "x.jsonl", monkeypatch))


@pytest.mark.parametrize(
    "line",
    [
        '{"a": {"&id": "&x", "n": 1}, "b": {"$ref": "&x"}}',
        '{"\\u0026id": "&y", "n": 1}',
        '{"d": {"$date": "2024-02-29"}, "v": {"&id": "&v", "$value": 3}}',
        '{"a": [[1, 2], [3]]}',
        "[1, 2]",
        '{"text": "a,}"}',
    ],
)
def test_what_is_not_plain_is_walked(wh: bv.Warehouse, place: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    (place / "x.jsonl").write_text(f'{{"a": 1}}\n{line}\n')
    monkeypatch.setattr(bulk, "FEW", 0)
    seen = count_reads(monkeypatch)
    wh.load_oem("Guide", place / "x.jsonl", label="part")
    assert seen == [False]
    assert len(wh.query("select g.part from Guide g", language="lorel").rows()) == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"a": 1,}', "line 2: not JSON"),
        ('{"a": [1,]}', "line 2: not JSON"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": -Infinity}', "-Infinity is not JSON"),
        ('{"a": 1e400}', "no number that can be compared"),
        ('{"a": 9223372036854775808}', "does not fit into 64 bits"),
        ('{"a": -123456789012345678901234567890}', "does not fit into 64 bits"),
        ('{"a": "\\ud800"}', "half a surrogate pair"),
        ('{"a": 1', "line 2: not JSON"),
    ],
)
def test_what_is_wrong_is_told_as_ever(
    wh: bv.Warehouse, place: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    """DuckDB puts up with some of it."""
    (place / "x.jsonl").write_text(f'{{"a": 1}}\n{line}\n')
    monkeypatch.setattr(bulk, "FEW", 0)
    with pytest.raises(bv.BelvedereError, match=said) as caught:
        wh.load_oem("Guide", place / "x.jsonl", label="part")
    assert "line 2" in str(caught.value)
    assert wh.load_oem("Guide", [1], label="part").objects == 2  # nothing of it has stayed


def test_a_key_that_stands_twice(wh: bv.Warehouse, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "x.jsonl").write_text('{"a": 1, "a": [2, 3], "a": {"b": 4}}\n')
    assert both_ways(wh, place / "x.jsonl", monkeypatch) == [True]


def test_lines_with_references_among_plain_ones(wh: bv.Warehouse, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches are read as each of them allows, and oids do not meet."""
    lines = [f'{{"n": {i}}}' for i in range(20)]
    lines[7], lines[15] = '{"&id": "&_1", "n": 7}', '{"n": 15, "to": {"$ref": "&_1"}}'
    (place / "x.jsonl").write_text("\n".join(lines))
    monkeypatch.setattr(bulk, "MANY", 20)
    seen = both_ways(wh, place / "x.jsonl", monkeypatch)
    assert seen.count(False) == 2
    assert seen.count(True) > 2


def test_a_deep_line_is_walked(wh: bv.Warehouse, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = '{"a":' * 600 + "1" + "}" * 600
    (place / "x.jsonl").write_text(deep + "\n")
    monkeypatch.setattr(bulk, "FEW", 0)
    seen = count_reads(monkeypatch)
    assert wh.load_oem("Guide", place / "x.jsonl", label="part").edges == 601
    assert seen == [False]


def test_a_large_file_tells_its_progress(wh: bv.Warehouse, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "x.jsonl").write_text("".join(f'{{"n": {i}, "tags": ["a", "b"]}}\n' for i in range(30_000)))
    monkeypatch.setattr(bulk, "MANY", 200_000)
    seen = count_reads(monkeypatch)
    told: list[tuple[int, float | None]] = []
    done = wh.load_oem("Guide", place / "x.jsonl", label="part", progress=lambda *x: told.append(x))
    assert done.edges == 120_000
    assert seen == [True] * len(seen)
    assert len(seen) > 3
    assert [n for n, _ in told] == sorted(n for n, _ in told)
    assert told[0][1] is not None
    assert 0 < told[0][1] < 0.5
    assert told[-1] == (120_000, 1.0)
