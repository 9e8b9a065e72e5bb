"""The commands about the warehouse and its tables: init, load, tables, execute, compact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import belvedere as bv
from belvedere.algebra.types import quote_name
from belvedere.cli import output
from belvedere.cli.options import HERE, CatalogOption, Engine, EngineOption, JsonOption, WarehouseOption
from belvedere.cli.session import warehouse
from belvedere.cli.sources import text_of
from belvedere.errors import BelvedereError


def init(
    directory: Annotated[Path, typer.Argument(help="Where the warehouse is made; an empty or new directory.")] = HERE,
    catalog: CatalogOption = None,
) -> None:
    """Make a warehouse."""
    with bv.open(directory, catalog=catalog) as wh:
        output.say(f"a warehouse in {directory}, at epoch {wh.epoch}")


def load(
    table: Annotated[str, typer.Argument(help="The table; it is made if it is absent.")],
    file: Annotated[Path, typer.Argument(help="A csv, json, jsonl or parquet file.")],
    schema: Annotated[str | None, typer.Option("--schema", "-s", help="'id bigint, name string, …'; guessed if absent.")] = None,
    key: Annotated[str | None, typer.Option("--key", "-k", help="The key columns of a new table: 'id' or 'a, b'.")] = None,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Load a file into a table, as one epoch."""
    with warehouse(path, catalog, engine) as wh:
        made = schema is not None and table not in wh.tables()
        if schema is not None and made:
            wh.create_table(table, schema, key=_columns(key))
        try:
            rows = wh.load(table, file, key=None if made else _columns(key))
        except BelvedereError:
            if made:
                wh.drop_table(table)
            raise
        output.say(f"epoch {wh.epoch}: {output.count(rows, 'row')} into {table}")


def tables(path: WarehouseOption = HERE, catalog: CatalogOption = None, as_json: JsonOption = False) -> None:
    """List the tables."""
    with warehouse(path, catalog) as wh:
        rows = [_describe(wh, name) for name in wh.tables()]
    output.listing(rows, as_json=as_json, empty="no tables; make one with 'belvedere load' or 'belvedere execute'")


def execute(
    statement: Annotated[str | None, typer.Argument(help="The statement; - reads it from stdin.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="A file with the statement.")] = None,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Run one SQL statement (create, insert, update, delete, merge, alter, drop) or Lorel update as its own transaction."""
    text = text_of(statement, file, "statement")
    with warehouse(path, catalog, engine) as wh:
        before = wh.epoch
        wh.execute(text)
        output.say(f"epoch {wh.epoch}" if wh.epoch != before else f"nothing changed; the epoch is still {wh.epoch}")


def compact(path: WarehouseOption = HERE, catalog: CatalogOption = None, engine: EngineOption = Engine.auto) -> None:
    """Merge small files, drop what the retention no longer needs. Commits do this in small steps by themselves."""
    with warehouse(path, catalog, engine) as wh:
        done = wh.compact()
        output.listing(done, as_json=False, empty="nothing to do")


def _describe(wh: bv.Warehouse, name: str) -> dict[str, Any]:
    table = wh.registry.table(name)
    [counted] = wh.query(f"select count(*) n from {quote_name(name)}").rows()
    key = [c.name for c in table.schema if c.id in table.key]
    return {"table": name, "rows": counted["n"], "key": ", ".join(key), "columns": str(table.schema)}


def _columns(text: str | None) -> list[str] | None:
    return [c.strip() for c in text.split(",")] if text else None
