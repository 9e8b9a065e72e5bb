"""The commands about other databases: attach, sync, sources, detach."""

from __future__ import annotations

from typing import Annotated

import typer

from belvedere.cli import output
from belvedere.cli.failures import FAILED, complain
from belvedere.cli.options import HERE, CatalogOption, Engine, EngineOption, JsonOption, WarehouseOption
from belvedere.cli.session import warehouse

NameArgument = Annotated[str, typer.Argument(help="The source; its tables are called name.table.")]

NONE = "no sources; attach one with 'belvedere attach'"


def attach(
    name: NameArgument,
    url: Annotated[str, typer.Argument(help="postgresql://user@host/db, mysql://…, sqlite:///file or duckdb:///file.")],
    tables: Annotated[list[str] | None, typer.Option("--table", "-t", help="A table to follow; again for more.")] = None,
    mirror: Annotated[bool, typer.Option("--mirror", help="Load the rows, and keep them here.")] = False,
    changes: Annotated[
        str | None, typer.Option("--changes", help="How changes come out: triggers, or logical (PostgreSQL decodes its own log).")
    ] = None,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Attach another database: installs change logs there. Passwords: user:env:NAME@ or user:file:/path@ in the URL."""

    def progress(table: str, done: int, total: int) -> None:
        output.note(f"{table}: {done:,} of about {total:,} rows")

    with warehouse(path, catalog, engine) as wh:
        loaded = wh.attach(name, url, tables=tables or None, mirror=mirror, changes=changes, progress=progress)
        [info] = [s for s in wh.sources() if s.name == name]
        rows = f", {output.count(sum(loaded.values()), 'row')}" if info.mirror else ""
        output.say(f"epoch {wh.epoch}: {name} with {output.count(len(info.tables), 'table')}{rows}")


def sync(
    names: Annotated[list[str] | None, typer.Argument(help="Sources; all if none is named.")] = None,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Read what changed in the sources, as one epoch. 'refresh' does it by itself."""
    with warehouse(path, catalog, engine) as wh:
        done = wh.sync(*(names or []))
    rows = [
        {
            "source": d.source, "epoch": d.epoch, "rows": d.total, "reshaped": ", ".join(d.reshaped),
            "compared": "; ".join(f"{t}: {why}" for t, why in d.compared.items()),
            "left_out": "; ".join(f"{t}: {why}" for t, why in d.left_out.items()),
        }
        for d in done
        if not d.error
    ]  # fmt: skip
    output.listing(rows, as_json=as_json, empty="nothing was read" if done else NONE)
    failed = [d for d in done if d.error]
    for d in failed:
        complain(d.error)
    if failed:
        raise typer.Exit(FAILED)


def sources(path: WarehouseOption = HERE, catalog: CatalogOption = None, as_json: JsonOption = False) -> None:
    """List the attached databases."""
    with warehouse(path, catalog) as wh:
        rows = [
            {"source": s.name, "url": s.url, "state": s.state, "mirror": s.mirror, "tables": ", ".join(s.tables)}
            for s in wh.sources()
        ]
    output.listing(rows, as_json=as_json, empty=NONE)


def detach(
    name: NameArgument,
    force: Annotated[bool, typer.Option("--force", help="Also if it does not answer; its change logs stay there.")] = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
) -> None:
    """Let go of a source: its change logs are removed there, its mirrors here."""
    with warehouse(path, catalog) as wh:
        wh.detach(name, force=force)
        output.say(f"epoch {wh.epoch}: {name} is detached")
