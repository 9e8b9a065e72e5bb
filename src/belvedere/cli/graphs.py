"""`belvedere oem …`: load graphs, write them back, list their names; and the lines of changes.jsonl that are about graphs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

import belvedere as bv
from belvedere.cli import output
from belvedere.cli.options import HERE, CatalogOption, Engine, EngineOption, JsonOption, WarehouseOption
from belvedere.cli.session import warehouse
from belvedere.warehouse.graphs.sources import Progress as Report

app = typer.Typer(help="Load and export schemaless data (JSON, OEM).", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="The name of the entry point.")]


@app.command()
def load(
    name: NameArgument,
    source: Annotated[str, typer.Argument(help="A .json, .jsonl or .oem file, a directory of them, or - for stdin.")],
    label: Annotated[str | None, typer.Option("--label", help="The label of the edges to the elements of a list.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of what has the name.")] = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Load a graph under a name, as one epoch."""
    with warehouse(path, catalog, engine) as wh, _bar() as report:
        data: Any = sys.stdin.read() if source == "-" else Path(source)
        done = wh.load_oem(name, data, label=label, replace=replace, progress=report)
        counted = f"{output.count(done.objects, 'object')}, {output.count(done.edges, 'edge')}"
        told = f"epoch {wh.epoch}: {counted} under {name}"
    output.say(told)


@app.command()
def export(
    name: NameArgument,
    file: Annotated[Path | None, typer.Argument(help="A .json or .jsonl file; stdout if absent.")] = None,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
) -> None:
    """Write the graph below a name as JSON that 'oem load' reads back."""
    with warehouse(path, catalog) as wh:
        if file is None:
            output.show_json(wh.export_oem(name))
        else:
            wh.export_oem(name, file)
            output.say(f"{name} in {file}")


@app.command()
def names(path: WarehouseOption = HERE, catalog: CatalogOption = None, as_json: JsonOption = False) -> None:
    """List the entry points of graphs with the objects that they denote."""
    with warehouse(path, catalog) as wh:
        rows = [{"name": n, "oid": o} for n, o in wh.oem_names().items()]
    output.listing(rows, as_json=as_json, empty="no graphs; load one with 'belvedere oem load'")


@contextmanager
def _bar() -> Iterator[Report | None]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (SpinnerColumn(), TextColumn("{task.fields[edges]:,} edges"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("load", total=None, edges=0)

        def report(edges: int, done: float | None) -> None:
            progress.update(task, edges=edges, total=None if done is None else 1.0, completed=done)

        yield report


def send(tx: bv.Transaction, op: str, fields: dict[str, Any], known: dict[str, Any]) -> bool:
    """Do what a line says if it is about the graph; False if it is not."""
    match op:
        case "add_object":
            made = tx.add_object(fields.get("value"))
            if "as" in fields:
                known[fields["as"]] = made
        case "add_edge":
            tx.add_edge(fields["source"], fields["label"], fields["target"])
        case "remove_edge":
            tx.remove_edge(fields["source"], fields["label"], fields["target"])
        case "set_value":
            tx.set_value(fields["oid"], fields["value"])
        case "set_name":
            tx.set_name(fields["name"], fields["oid"])
        case "remove_name":
            tx.remove_name(fields["name"])
        case _:
            return False
    return True
