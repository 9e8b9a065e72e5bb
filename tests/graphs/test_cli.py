"""Graphs from the command line."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.conftest import Shell, shell

__all__ = ["shell"]

ROWS = [{"Name": "Saigon", "Price": 10}, {"&id": "&cafe", "Name": "Cafe", "Owner": {"Name": "Ann"}}]
LINES: list[dict[str, Any]] = [
    {"op": "add_object", "as": "new"},
    {"op": "add_object", "value": "Thai City", "as": "name"},
    {"op": "add_edge", "source": {"$object": "new"}, "label": "Name", "target": {"$object": "name"}},
    {"op": "add_edge", "source": "&cafe", "label": "Near", "target": {"$object": "new"}},
    {"op": "set_name", "name": "Thai", "oid": {"$object": "new"}},
    {"op": "commit"},
    {"op": "set_value", "oid": {"$object": "name"}, "value": 5.5},
    {"op": "remove_edge", "source": "&cafe", "label": "Near", "target": {"$object": "new"}},
    {"op": "remove_name", "name": "Guide"},
]


def test_load_change_export(shell: Shell) -> None:
    shell.run("init", "shop")
    source = shell.write("guide.jsonl", *map(json.dumps, ROWS))
    assert shell.run("oem", "load", "Guide", source, "--label", "Restaurant") == "epoch 1: 8 objects, 7 edges under Guide\n"
    assert json.loads(shell.run("oem", "export", "Guide")) == {"Restaurant": ROWS}
    shell.run("oem", "export", "Guide", "out.jsonl")
    shell.run("oem", "load", "Guide", "out.jsonl", "--label", "Restaurant", "--replace")
    assert json.loads(shell.run("oem", "export", "Guide")) == {"Restaurant": ROWS}
    shell.run("apply", shell.write("changes.jsonl", *map(json.dumps, LINES)))
    assert [r["name"] for r in shell.json("oem", "names")] == ["Thai"]
    assert json.loads(shell.run("oem", "export", "Thai")) == {"Name": 5.5}


def test_stdin_and_errors(shell: Shell) -> None:
    shell.run("init", "shop")
    assert "no graphs" in shell.run("oem", "names")
    assert "2 objects, 1 edge under X" in shell.run("oem", "load", "X", "-", input="{a: 1}")
    assert "bad.jsonl, line 2: not JSON" in shell.run("oem", "load", "Y", shell.write("bad.jsonl", "{}", "{"), code=1)
    assert "already" in shell.run("oem", "load", "X", "-", input="{a: 1}", code=1)
    lines = shell.write("changes.jsonl", json.dumps({"op": "add_edge", "source": "&1", "label": "x", "target": "&1"}))
    assert "there is no object &1" in shell.run("apply", lines, code=1)
    assert "tx.add_edge" in shell.run("execute", "delete from oem.edges", code=1)
