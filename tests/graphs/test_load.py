"""Loading JSON, OEM text, files and directories, and writing graphs back."""

from __future__ import annotations

import datetime
import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.graphs.model import canonical, stored

import belvedere as bv


def shape(wh: bv.Warehouse, name: str) -> Any:
    g = stored(wh)
    return canonical(g, g.names[name])


def same(wh: bv.Warehouse, first: Any, second: Any, **options: Any) -> None:
    """Two ways to give one graph."""
    wh.load_oem("First", first, **{"label": "x", **options})
    wh.load_oem("Second", second, **{"label": "x", **options})
    assert shape(wh, "First") == shape(wh, "Second")


def test_json_becomes_a_graph(wh: bv.Warehouse) -> None:
    data = {
        "Name": "Baghdad Cafe", "Price": [10, 10.5, "cheap", True, None], "Rows": [[1, [2]], []],
        "Menu": {"Entree": [{"Name": "Kebab"}, {"Name": "Falafel"}]}, "Nothing": [], "Empty": {},
    }  # fmt: skip
    done = wh.load_oem("Guide", data)
    g = stored(wh)
    assert (done.name, done.oid) == ("Guide", g.names["Guide"])
    assert (done.objects, done.edges, done.values) == (len(g.objects), len(g.edges), len(g.values))
    out = {(label, t) for s, label, t in g.edges if s == done.oid}
    assert sorted(label for label, _ in out) == ["Empty", "Menu", "Name", *["Price"] * 4, "Rows", "Rows"]
    assert {repr(g.values[t]) for label, t in out if label == "Price"} == {"10", "10.5", "'cheap'", "True"}
    assert wh.export_oem("Guide") == {
        "Name": "Baghdad Cafe", "Price": [10, 10.5, "cheap", True], "Rows": [{"Rows": [1, {"Rows": 2}]}, {}],
        "Menu": {"Entree": [{"Name": "Kebab"}, {"Name": "Falafel"}]}, "Empty": {},
    }  # fmt: skip


def test_references_share_and_close_circles(wh: bv.Warehouse) -> None:
    data = [
        {"&id": "&ann", "name": "Ann", "boss": {"$ref": "&bob"}, "tags": {"&id": "&_1", "$value": 5}},
        {
            "&id": "&bob",
            "name": "Bob",
            "boss": [{"$ref": "&ann"}, {"$ref": "&ann"}],
            "tags": {"$ref": "&_1"},
            "self": {"$ref": "&bob"},
        },
    ]
    wh.load_oem("Staff", data, label="person")
    g = stored(wh)
    assert {"&ann", "&bob"} < g.objects
    [tag] = [t for s, label, t in g.edges if (s, label) == ("&ann", "tags")]
    assert {("&ann", "boss", "&bob"), ("&bob", "boss", "&ann"), ("&bob", "self", "&bob"), ("&bob", "tags", tag)} < g.edges
    assert g.values[tag] == 5
    assert tag != "&_1"
    wh.load_oem("More", {"knows": {"$ref": "&ann"}})
    wh.load_oem("Ann", {"$ref": "&ann"})
    assert stored(wh).names["Ann"] == "&ann"
    with wh.transaction() as tx:
        tx.remove_name("Staff")
        tx.remove_name("More")
    assert {"&ann", "&bob"} < stored(wh).objects


def test_oem_text(wh: bv.Warehouse) -> None:
    wh.load_oem("Guide", '&1 {Restaurant: &2 {Name: "Saigon", Price: 10, Open: true}, Restaurant: {Near: &2, Self: &1}}')
    g = stored(wh)
    assert g.names == {"Guide": "&1"}
    assert ("&1", "Restaurant", "&2") in g.edges
    same(wh, '{a: {b: 1, b: 2}, c: "x"}', {"a": {"b": [1, 2]}, "c": "x"})


def test_every_way_to_give_the_same(wh: bv.Warehouse, place: Path) -> None:
    rows = [{"n": 1, "t": ["a", "b"]}, {"n": 2}, {"n": "3"}]
    lines = "".join(json.dumps(r) + "\n" for r in rows)
    folder = place / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps(rows[:1]))
    (folder / "b.jsonl").write_text("\n" + json.dumps(rows[1]) + "\n\n")
    (folder / "deep" / "c.json").write_text(json.dumps(rows[2]))
    (folder / "notes.txt").write_text("not data")
    (place / "l.jsonl").write_text(lines)
    (place / "l.json").write_text(lines)
    (place / "a.json").write_text("\ufeff" + json.dumps(rows, indent=2))
    with gzip.open(place / "z.jsonl.gz", "wt") as f:
        f.write(lines)
    wh.load_oem("Base", rows, label="x")
    ways = [
        lines,
        json.dumps(rows),
        tuple(rows),
        iter(rows),
        folder,
        *(place / n for n in ("l.jsonl", "l.json", "a.json", "z.jsonl.gz")),
    ]
    for i, way in enumerate([*ways, str(folder)]):
        wh.load_oem(f"W{i}", way, label="x")
        assert shape(wh, f"W{i}") == shape(wh, "Base")


def test_a_key_that_stands_twice_is_two_edges(wh: bv.Warehouse) -> None:
    same(wh, '{"a": 1, "a": [2, 3]}', {"a": [1, 2, 3]})


def test_values_keep_their_types(wh: bv.Warehouse) -> None:
    moment = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    given = [1, -(2**63), 1.0, -0.0, "1", "", "ü\x00", True, datetime.date(2024, 2, 29), moment, 1e300]
    wh.load_oem("V", given, label="v")
    kept = list(stored(wh).values.values())
    expected = [*given[:9], datetime.datetime(2024, 2, 29, 10, 30), 1e300]
    assert sorted(map(repr, kept)) == sorted(map(repr, [0.0 if repr(x) == "-0.0" else x for x in expected]))
    rows = wh.query("select text, number from `oem.values` where type = 'string' order by text").rows()
    assert [(r["text"], r["number"]) for r in rows] == [("", None), ("1", 1.0), ("ü\x00", None)]
    wh.load_oem("V2", wh.export_oem("V"))
    assert shape(wh, "V") == shape(wh, "V2")


def test_a_single_value_has_a_name(wh: bv.Warehouse) -> None:
    wh.load_oem("N", 5)
    assert wh.export_oem("N") == 5
    wh.load_oem("D", datetime.date(2024, 1, 1))
    assert wh.export_oem("D") == {"$date": "2024-01-01"}


def test_replace(wh: bv.Warehouse) -> None:
    data = {"a": {"&id": "&1", "b": 1}, "c": 2}
    wh.load_oem("X", data)
    with pytest.raises(bv.BelvedereError, match="replace=True"):
        wh.load_oem("X", {})
    data["c"] = 3
    wh.load_oem("X", data, replace=True)
    g = stored(wh)
    assert (len(g.objects), sorted(g.values.values()), "&1" in g.objects) == (4, [1, 3], True)
    wh.load_oem("Y", {"keep": {"$ref": "&1"}})
    with pytest.raises(bv.BelvedereError, match="an object &1 already"):
        wh.load_oem("X", data, replace=True)
    assert stored(wh).names.keys() == {"X", "Y"}
    wh.load_oem("X", {"z": {"$ref": "&1"}}, replace=True)
    assert wh.export_oem("X") == {"z": {"&id": "&1", "b": 1}}


def test_large_loads_are_written_in_pieces(wh: bv.Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("belvedere.warehouse.graphs.walk.Walk.__init__.__defaults__", (7,))
    seen: list[tuple[int, float | None]] = []
    rows = [{"&id": f"&o{i}", "n": i, "next": {"$ref": f"&o{(i + 1) % 40}"}} for i in range(40)]
    done = wh.load_oem("Ring", rows, label="x", progress=lambda *now: seen.append(now))
    assert (done.objects, done.edges) == (81, 120)
    assert seen[-1][0] == 120
    assert [n for n, _ in seen] == sorted(n for n, _ in seen)
    assert len(stored(wh).edges) == 120


BAD: list[tuple[Any, str]] = [
    ('{"a":\n [1,}', r"(?s)not JSON.*line 2, column 5"),
    ('{"a": 1}\n{"a": ', r"(?s)not JSON.*line 2"),
    ("{a: 1,\n b: }", r"(?s)expected.*line 2"),
    ("nofile.json", "there is no file nofile.json"),
    ("x" * 5000, "neither the path of a file"),
    ('{"a": NaN}', "NaN is not JSON"),
    ("[" * 100_000, "nested too deeply"),
    ('{"a": ' + "9" * 5000 + "}", "not JSON"),
    ({"a": {"b": [1, 2**70]}}, r"at a\.b\[2\]: .*64 bits"),
    ({"a": float("inf")}, "at a: inf"),
    ('{"a": 1e999}', "at a: inf"),
    ({"a": {1: 2}}, "at a: 1 is the key"),
    ({"a": b"x"}, r"at a: b'x' \(bytes\)"),
    ({"a": "\ud800"}, "surrogate"),
    ({"\ud800": 1}, "surrogate"),
    ({"a": {"$ref": "&7"}}, "the edge 'a' refers to &7"),
    ([{}, {"a": {"$ref": "&7"}}], "element 2: the edge 'a' refers to &7"),
    ({"a": {"$ref": "&_7"}}, "known in the data it stands in only"),
    ("{x: 1,\n y: &9}", "line 2: the edge 'y' refers to &9"),
    ({"$ref": "&nope"}, "a reference to &nope"),
    ({"a": {"$ref": "7"}}, "a reference is"),
    ({"a": {"$ref": "&7", "b": 1}}, "a reference is"),
    ({"a": {"&id": "5"}}, "is no oid"),
    ('{"&id": "&1", "&id": "&2"}', "twice in one object"),
    ([{"&id": "&a"}, {"&id": "&a"}], "element 2: &a is written out twice, first element 1"),
    ({"a": {"$date": "soon"}}, "a date or a time"),
    (None, "nothing to load"),
    ("null", "there is no file null"),
]


@pytest.mark.parametrize(("data", "said"), BAD, ids=range(len(BAD)))
def test_bad_input(wh: bv.Warehouse, data: Any, said: str) -> None:
    epoch = wh.epoch
    with pytest.raises(bv.BelvedereError, match=said):
        wh.load_oem("X", data)
    assert wh.epoch == epoch


def test_bad_files_name_the_place(wh: bv.Warehouse, place: Path) -> None:
    for name, text, said in (
        ("a.jsonl", '{"a": 1}\n\n{"a": }\n', r"a\.jsonl, line 3: not JSON: Expecting value at column 7"),
        ("b.json", '{\n "a": tru\n}', r"b\.json, line 2: not JSON.*column 7"),
        ("c.jsonl", '{"a": 1}\n{"a": {"$ref": "&x"}}\n', r"c\.jsonl, line 2: the edge 'a' refers to &x"),
        ("d.oem", "{a: 1,\n b: &x}", r"d\.oem, line 2: the edge 'b' refers to &x"),
        ("e.oem", "{a: 1,\n b }", r"(?s)e\.oem: .*line 2"),
        ("f.jsonl", '{"a": 1}\n{"b": {"c": 99999999999999999999}}\n', r"f\.jsonl, line 2, at b\.c: .*64 bits"),
        ("g.json", "", r"g\.json"),
        ("h.jsonl", '{"a": 1}\n{"b": Infinity}\n', r"h\.jsonl, line 2: Infinity is not JSON"),
    ):
        (place / name).write_text(text)
        with pytest.raises(bv.BelvedereError, match=said):
            wh.load_oem("X", place / name)
    (place / "latin.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(bv.ParseError, match="not UTF-8"):
        wh.load_oem("X", place / "latin.json")
    (place / "empty").mkdir()
    with pytest.raises(bv.UnknownName, match=r"holds no \.json"):
        wh.load_oem("X", place / "empty")


def test_data_that_holds_itself(wh: bv.Warehouse) -> None:
    data: dict[str, Any] = {}
    data["me"] = data
    with pytest.raises(bv.BelvedereError, match="holds itself"):
        wh.load_oem("X", data)


def random_tree(rng: random.Random, depth: int, known: list[str]) -> Any:
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice((1, 2.5, "x", "7", False, {"$date": "2024-01-01"}))
    if kind < 0.45 and known:
        return {"$ref": rng.choice(known)}
    made: dict[str, Any] = {}
    if rng.random() < 0.4:
        known.append(f"&{rng.choice('ab')}{len(known)}")
        made["&id"] = known[-1]
    for label in rng.sample("abc", rng.randint(0, 3)):
        parts = [random_tree(rng, depth - 1, known) for _ in range(rng.randint(1, 2))]
        made[label] = parts if len(parts) > 1 else parts[0]
    return made


@pytest.mark.parametrize("seed", range(6))
def test_a_round_trip_gives_the_same_graph(wh: bv.Warehouse, place: Path, seed: int) -> None:
    rng = random.Random(seed)
    known: list[str] = []
    tree = {"&id": "&_0", "top": [random_tree(rng, 4, known) for _ in range(3)], "self": {"$ref": "&_0"}}
    wh.load_oem("X", tree)
    first = shape(wh, "X")
    wh.export_oem("X", place / "x.json")
    document = wh.export_oem("X")
    wh.load_oem("X", place / "x.json", replace=True)
    assert shape(wh, "X") == first
    with bv.open(place / "other", engine="duckdb") as other:
        other.load_oem("Y", document)
        assert shape(other, "Y") == first


def test_a_line_ends_at_a_line_feed_alone(wh: bv.Warehouse) -> None:
    wh.load_oem("L", '{"a": "x\u2028y\u0085z"}\n{"a": "\\r"}\r\n')
    assert sorted(r["text"] for r in wh.query("select text from oem.values").rows()) == ["\r", "x\u2028y\u0085z"]


def test_export_to_lines_and_what_cannot_be_exported(wh: bv.Warehouse, place: Path) -> None:
    rows = [{"n": i} for i in range(3)]
    wh.load_oem("Rows", rows, label="row")
    wh.export_oem("Rows", place / "out.jsonl")
    assert [json.loads(x) for x in (place / "out.jsonl").read_text().splitlines()] == rows
    wh.load_oem("Two", {"a": 1, "b": 2})
    with pytest.raises(bv.BelvedereError, match=r"a \.json file"):
        wh.export_oem("Two", place / "two.jsonl")
    with pytest.raises(bv.UnknownName, match="did you mean 'Rows'"):
        wh.export_oem("Row")
    with wh.transaction() as tx:
        tx.add_edge(stored(wh).names["Two"], "$ref", stored(wh).names["Rows"])
    with pytest.raises(bv.BelvedereError, match="means something else in JSON"):
        wh.export_oem("Two")


def test_a_long_chain(wh: bv.Warehouse, place: Path) -> None:
    tree: Any = 1
    for _ in range(3000):
        tree = {"next": tree}
    wh.load_oem("Chain", tree)
    out = wh.export_oem("Chain")
    for _ in range(3000):
        out = out["next"]
    assert out == 1
    with pytest.raises(bv.BelvedereError, match="too deeply"):
        wh.export_oem("Chain", place / "x.json")
    g = stored(wh)
    with wh.transaction() as tx:
        tx.set_name("Other", tx.add_object())
        [first] = [e for e in g.edges if e[0] == g.names["Chain"]]
        tx.remove_edge(*first)
    assert len(stored(wh).objects) == 2


def test_oids_of_many_objects_are_of_one_length(wh: bv.Warehouse) -> None:
    """They are sorted as text: what was made together then lies together, and is looked up together."""
    assert wh.load_oem("Few", [1, 2], label="x").oid == "&_1"
    done = wh.load_oem("Many", list(range(12_000)), label="x")
    found = [r["target"] for r in wh.query("select target from oem.edges").rows()]
    long = sorted(o for o in found if len(o) > 6)
    assert {len(o) for o in long} == {len(long[0])}
    assert len(long) > 2_000
    assert sorted(long, key=lambda o: int(o[2:])) == long
    assert len(set(found)) == 12_002
    with wh.transaction() as tx:
        tx.add_edge(done.oid, "x", tx.add_object(5))
    assert len({r["target"] for r in wh.query("select target from oem.edges").rows()}) == 12_003
