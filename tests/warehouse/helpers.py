"""Ways to look at a warehouse: its rows as bags, what it cost, and what is on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.store.helpers import owned

import belvedere as bv
from belvedere.store import Run, Store
from belvedere.store.inlined import is_inlined
from belvedere.store.small_runs import SmallRuns

ROOT = Path(__file__).parents[2]

ORDERS = "id bigint, customer bigint, amount decimal(12,2), note string"
CUSTOMERS = "id bigint, city string, vip boolean"
CITIES = "name string, country string"


def order(number: int, customer: int | None, amount: str | None, note: str | None = None) -> dict[str, Any]:
    return {"id": number, "customer": customer, "amount": None if amount is None else Decimal(amount), "note": note}


def bag(rows: Iterable[Mapping[str, Any]]) -> Counter[Any]:
    """Rows without an order, as often as they are there."""
    return Counter(tuple(sorted((k, _frozen(v)) for k, v in row.items())) for row in rows)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return ("dict", tuple(sorted((str(k), _frozen(v)) for k, v in value.items())))
    if isinstance(value, (list, tuple)):
        return ("list", tuple(_frozen(v) for v in value))
    if isinstance(value, float) and value != value:
        return "NaN"
    return value


def weights(changes: Iterable[Mapping[str, Any]]) -> Counter[Any]:
    """Rows with `_w` as row → weight, rows that cancel left out."""
    total: Counter[Any] = Counter()
    for row in changes:
        total[tuple(sorted((k, _frozen(v)) for k, v in row.items() if k != "_w"))] += row["_w"]
    return Counter({k: w for k, w in total.items() if w})


def minus(new: Counter[Any], old: Counter[Any]) -> Counter[Any]:
    """The difference of two bags, with negative counts for what went."""
    return Counter({k: new[k] - old[k] for k in {*new, *old} if new[k] != old[k]})


@dataclass
class Cost:
    """What happened while it was watched."""

    statements: list[str] = field(default_factory=list)


@contextmanager
def watched(wh: bv.Warehouse) -> Iterator[Cost]:
    """Counts the statements that the in-process engine runs, by the collections that they read."""
    engine = wh.core.duckdb
    cost = Cost()
    originals = {name: getattr(engine, name) for name in ("run", "write")}

    def counting(name: str) -> Any:
        def call(node: Any, *args: Any, **kwargs: Any) -> Any:
            cost.statements.append(str(node))
            return originals[name](node, *args, **kwargs)

        return call

    for name in originals:
        setattr(engine, name, counting(name))
    try:
        yield cost
    finally:
        for name in originals:
            delattr(engine, name)


def files(path: str) -> set[str]:
    """Every file under data/ and staging/, relative to the warehouse, without the markers of those who live."""
    root = Path(path)
    found = {p for d in ("data", "staging") for p in (root / d).rglob("*") if p.is_file()}
    return {str(p.relative_to(root)) for p in found if p.parent.name != "staging" or not owned(p)}


def known(store: Store) -> set[str]:
    """Every file that the catalog knows; the rows that it holds itself are those of runs."""
    paths = {r[0] for t in ("bv_runs", "bv_files", "bv_garbage") for r in store.catalog.rows(f"SELECT path FROM {t}")}
    held = {p for p in paths if is_inlined(p)}
    assert {r[0] for r in store.catalog.rows("SELECT path FROM bv_rows")} == held
    return paths - held


def rows_of(store: Store, run: Run) -> pa.Table:
    """What is in a run, wherever it is."""
    return SmallRuns(store.inlined.read).read(run.path)


@dataclass(frozen=True)
class State:
    """All that a user could see of a warehouse, and what is on disk."""

    epoch: int
    files: frozenset[str]
    tables: dict[str, tuple[str, Counter[Any]]]
    views: dict[str, tuple[str, str]]


def state(wh: bv.Warehouse) -> State:
    return State(
        epoch=wh.epoch,
        files=frozenset(files(wh.path)),
        tables={t: (str(wh.table_schema(t)), bag(wh.query(f"select * from `{t}`").rows())) for t in wh.tables()},
        views={v.name: (v.status, v.text) for v in wh.views()},
    )


@contextmanager
def unchanged(wh: bv.Warehouse) -> Iterator[None]:
    """Whatever happens inside leaves the warehouse as it was: epoch, files, tables, views."""
    before = state(wh)
    yield
    assert state(wh) == before


def run_python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, with the same import path as this one."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), *[p for p in sys.path if p]])
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
