"""The command `belvedere`: what it is made of. Each command lives in a file about its subject."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Annotated

import typer

from belvedere.cli import databases, graphs, objects, reading, tables, upkeep, views
from belvedere.cli.apply import apply
from belvedere.cli.demo.command import demo
from belvedere.cli.failures import Guarded

app = typer.Typer(
    cls=Guarded,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Materialized views that stay fresh. 'belvedere demo' is the two-minute tour.",
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"belvedere {version('belvedere')}")
        raise typer.Exit


@app.callback()
def settings(
    debug: Annotated[bool, typer.Option("--debug", help="Show the trace of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """What holds for every command."""
    if debug:
        os.environ["BELVEDERE_DEBUG"] = "1"


for command in (
    tables.init,
    tables.load,
    tables.tables,
    tables.execute,
    objects.odl,
    objects.classes,
    databases.attach,
    databases.sync,
    databases.sources,
    databases.detach,
    apply,
    upkeep.refresh,
    reading.show,
    reading.query,
    upkeep.status,
    upkeep.explain,
    upkeep.verify,
    upkeep.history,
    reading.changes,
    tables.compact,
    demo,
):
    app.command()(command)
app.add_typer(views.app, name="view")
app.add_typer(graphs.app, name="oem")
