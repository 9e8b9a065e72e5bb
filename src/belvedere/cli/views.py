"""`belvedere view …`: create, drop, list and publish views."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from belvedere.cli import output
from belvedere.cli.options import HERE, CatalogOption, Engine, EngineOption, JsonOption, LimitOption, Mode, WarehouseOption
from belvedere.cli.session import warehouse
from belvedere.cli.sources import text_of

app = typer.Typer(help="Create, drop, list and publish views.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="The view's name.")]


@app.command()
def create(
    name: NameArgument,
    query: Annotated[str | None, typer.Argument(help="The definition; - reads it from stdin.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="A file with the definition.")] = None,
    language: Annotated[str, typer.Option("--language", "-l", help="The definition's language.")] = "sql",
    mode: Annotated[Mode, typer.Option("--mode", help="When the view follows its inputs.")] = Mode.deferred,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Define a view and compute its first extent."""
    text = text_of(query, file, "definition")
    with warehouse(path, catalog, engine) as wh:
        wh.create_view(name, text, language=language, mode=mode.value)
        output.say(f"created the view {name} in epoch {wh.epoch}")


@app.command()
def drop(name: NameArgument, path: WarehouseOption = HERE, catalog: CatalogOption = None) -> None:
    """Drop a view; its inputs stay as they are."""
    with warehouse(path, catalog) as wh:
        wh.drop_view(name)
        output.say(f"dropped the view {name}")


@app.command("list")
def list_(path: WarehouseOption = HERE, catalog: CatalogOption = None, as_json: JsonOption = False) -> None:
    """List the views with their status."""
    with warehouse(path, catalog) as wh:
        rows = [{"view": v.name, "status": v.status, "mode": v.mode, "definition": v.text.strip()} for v in wh.views()]
    output.listing(rows, as_json=as_json, empty="no views; make one with 'belvedere view create'")


@app.command()
def relations(
    name: NameArgument,
    limit: LimitOption = 100,
    epoch: Annotated[int | None, typer.Option("--epoch", help="As of an earlier epoch within the retention.")] = None,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
) -> None:
    """List the relations of a SchemaSQL view, with the names that SQL and 'belvedere show' read them by."""
    with warehouse(path, catalog) as wh:
        found = wh.view(name).full_names(epoch)
        rows = [{"relation": r, "name": full} for r, full in list(found.items())[: limit or None]]
    output.listing(rows, as_json=as_json, empty=f"{name} has no relations now")
    if len(rows) < len(found):
        output.note(f"{len(rows):,} of {len(found):,} relations; --limit 0 shows all")


@app.command()
def publish(
    name: NameArgument, path: WarehouseOption = HERE, catalog: CatalogOption = None, engine: EngineOption = Engine.auto
) -> None:
    """Keep a plain Iceberg table of the view, for readers that know nothing of Belvedere."""
    with warehouse(path, catalog, engine) as wh:
        table = wh.view(name).publish()
        output.say(f"published {name}; every refresh now keeps the Iceberg table {table} up to date")
