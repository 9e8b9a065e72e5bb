"""Two processes that write at once: nothing is lost, nothing is applied twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.warehouse.helpers import ROOT, files, known

import belvedere as bv

WRITER = """
import json, sys
import belvedere as bv
path, name, catalog, commits = sys.argv[1], sys.argv[2], sys.argv[3] or None, int(sys.argv[4])
wh = bv.open(path, engine="duckdb", catalog=catalog)
print("ready", flush=True)
sys.stdin.readline()
done = conflicts = 0
while done < commits:
    try:
        with wh.transaction() as tx:
            tx.insert("payments", [{"writer": name, "n": done, "amount": done + 1}])
            tx.update("account", {"balance": f"balance + {done + 1}"}, where="id = 1")
        done += 1
    except bv.Conflict:
        conflicts += 1
wh.close()
print(json.dumps({"done": done, "conflicts": conflicts}))
"""


def two_writers(wh: bv.Warehouse, catalog: str | None, commits: int) -> None:
    wh.create_table("payments", "writer string, n int, amount bigint")
    wh.create_table("account", "id int, balance bigint", key="id")
    with wh.transaction() as tx:
        tx.insert("account", {"id": 1, "balance": 0})
    text = "select writer, sum(amount) total, count(*) n from payments group by writer"
    view = wh.create_view("totals", text, mode="immediate")
    later = wh.create_view("later", "select max(total) top from totals")
    start = wh.epoch
    paths = os.pathsep.join([str(ROOT / "src"), *[p for p in sys.path if p]])
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, wh.path, name, catalog or "", str(commits)], cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for name in ("one", "two")
    ]  # fmt: skip
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [json.loads(process.communicate(timeout=300)[0]) for process in running]
    assert [r["done"] for r in results] == [commits, commits]
    assert wh.epoch == start + 2 * commits
    total = commits * (commits + 1) // 2
    assert wh.query("select balance from account").rows() == [{"balance": 2 * total}]
    assert {r["writer"]: (r["total"], r["n"]) for r in view.rows()} == {"one": (total, commits), "two": (total, commits)}
    later.refresh()
    assert later.rows() == [{"top": total}]
    assert view.verify().ok
    assert later.verify().ok
    assert files(wh.path) == known(wh.core.store)


def test_two_processes_with_25_commits_each(wh: bv.Warehouse) -> None:
    two_writers(wh, None, 25)


@pytest.mark.postgres
def test_two_processes_over_postgresql(place: object, postgres_url: str) -> None:
    with bv.open(f"{place}/wh", engine="duckdb", catalog=postgres_url) as wh:
        two_writers(wh, postgres_url, 8)
