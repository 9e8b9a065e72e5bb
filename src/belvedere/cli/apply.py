"""`belvedere apply`: the statements of changes.jsonl → transactions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

import belvedere as bv
from belvedere.cli import changefile, output
from belvedere.cli.objects import Known, send
from belvedere.cli.options import HERE, CatalogOption, Engine, EngineOption, WarehouseOption
from belvedere.cli.session import warehouse
from belvedere.errors import BelvedereError, StoreError

_TOGETHER = ("insert", "merge")


def apply(
    file: Annotated[Path, typer.Argument(help="changes.jsonl, or - for stdin.")],
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
    refresh: Annotated[bool, typer.Option("--refresh", help="Refresh all stale views afterwards.")] = False,
) -> None:
    """Apply a file of changes: one transaction, or one up to each {"op": "commit"}."""
    source = "stdin" if str(file) == "-" else str(file)
    with _opened(file) as lines:
        work = changefile.transactions(changefile.parse(lines, source))
    with warehouse(path, catalog, engine) as wh:
        if not work:
            output.say("no changes")
        known: Known = {}
        for number, statements in enumerate(work):
            _transact(wh, statements, source, known, first=number == 0)
            output.say(f"epoch {wh.epoch}: {_summary(statements)}")
        if refresh:
            for done in wh.refresh():
                output.say(f"refreshed {done.view}: {done.strategy} on {done.engine}, {done.seconds:.3f} s")


def _transact(wh: bv.Warehouse, statements: list[changefile.Statement], source: str, known: Known, *, first: bool) -> None:
    """One transaction. An error names the lines that it is about and says what stays applied."""
    kept = "nothing was applied" if first else f"nothing was applied from line {statements[0].line} on"
    about = statements
    try:
        with wh.transaction() as tx:
            for group in _groups(statements):
                about = group
                if not send(tx, group[0], known):
                    _send(tx, group)
            about = statements
    except BelvedereError as error:
        raise BelvedereError(f"{source}, {_lines(_guilty(about, str(error)))} ({kept}): {error}") from error


def _guilty(group: list[changefile.Statement], message: str) -> list[changefile.Statement]:
    """A message about rows that went together counts them: `row 3`. The line that this row came from, if it says so."""
    counted = re.search(r", row (\d+)\b", message)
    together = group[0].op in _TOGETHER and all(s.op == group[0].op and s.table == group[0].table for s in group)
    if counted and together:
        owners = [s for s in group for _ in s.fields["rows"]]
        return owners[int(counted.group(1)) - 1 : int(counted.group(1))] or group
    return group


def _groups(statements: list[changefile.Statement]) -> Iterator[list[changefile.Statement]]:
    """Neighbours that insert into the same table go together: a batch costs what one row costs."""
    group: list[changefile.Statement] = []
    for s in statements:
        if group and s.op in _TOGETHER and (s.op, s.table) == (group[0].op, group[0].table):
            group.append(s)
            continue
        if group:
            yield group
        group = [s]
    if group:
        yield group


def _send(tx: bv.Transaction, group: list[changefile.Statement]) -> None:
    op, table, fields = group[0].op, group[0].table, group[0].fields
    match op:
        case "insert":
            tx.insert(table, _rows(group))
        case "merge":
            tx.merge(table, _rows(group))
        case "update":
            tx.update(table, fields["set"], where=fields["where"])
        case "delete":
            tx.delete(table, **{k: v for k, v in fields.items() if k != "table"})
        case "truncate":
            tx.truncate(table)
        case "add_relation":
            tx.add_relation(table, fields["schema"], **({"key": fields["key"]} if "key" in fields else {}))
        case "drop_relation":
            tx.drop_relation(table)
        case "rename_relation":
            tx.rename_relation(table, fields["new"])
        case "add_attribute":
            tx.add_attribute(table, fields["name"], fields["type"])
        case "drop_attribute":
            tx.drop_attribute(table, fields["name"])
        case "rename_attribute":
            tx.rename_attribute(table, fields["name"], fields["new"])
        case _:
            raise AssertionError(f"changefile.SHAPES knows '{op}', apply does not")


def _rows(group: list[changefile.Statement]) -> list[dict[str, Any]]:
    return [row for s in group for row in s.fields["rows"]]


def _lines(statements: list[changefile.Statement]) -> str:
    first, last = statements[0].line, statements[-1].line
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _summary(statements: list[changefile.Statement]) -> str:
    counts: dict[str, int] = {}
    for s in statements:
        counts[s.op] = counts.get(s.op, 0) + (len(s.fields["rows"]) if "rows" in s.fields else 1)
    return ", ".join(f"{count:,} × {op}" for op, count in counts.items())


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    try:
        handle = file.open("rb")
    except OSError as e:
        raise StoreError(f"cannot read {file}: {e.strerror or e}") from e
    with handle:
        yield handle
