"""The command `belvedere demo`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from belvedere.cli import output
from belvedere.cli.demo import report
from belvedere.cli.demo.shop import TELLS, VIEWS, Sizes
from belvedere.cli.demo.tour import Guide, Tour
from belvedere.cli.failures import FAILED
from belvedere.cli.options import Engine
from belvedere.engines.spark.java import java_problem
from belvedere.errors import EngineError


def demo(
    engine: Annotated[Engine, typer.Option("--engine", "-e", help="spark keeps all of it on Spark.")] = Engine.auto,
    scale: Annotated[float, typer.Option("--scale", min=0.0, help="1 is three million items.")] = 1.0,
    keep: Annotated[Path | None, typer.Option("--keep", help="Make the warehouse in this directory, and leave it there.")] = None,
) -> None:
    """The two-minute tour: millions of rows, four views, batches of changes, each result verified."""
    problem = None if engine is Engine.duckdb else java_problem()
    if problem and engine is Engine.spark:
        raise EngineError(f"{problem} Or run the tour in-process: belvedere demo --engine duckdb")
    if problem:
        output.say(f"{problem} Without it, the tour runs in-process.")
        engine = Engine.duckdb
    if keep is not None:
        tour = _walk(keep, engine, scale)
    else:
        with tempfile.TemporaryDirectory(prefix="belvedere-demo-") as directory:
            tour = _walk(Path(directory, "shop"), engine, scale)
    report.show(output.console(), tour, recomputed_on=_recomputed_on(engine))
    if keep is not None:
        output.say(f"The warehouse is in {keep}: belvedere status -w {keep}")
    if not tour.ok:
        raise typer.Exit(FAILED)


def _recomputed_on(engine: Engine) -> str:
    return "DuckDB" if engine is Engine.duckdb else "Spark"


def _walk(path: Path, engine: Engine, scale: float) -> Tour:
    console = output.console()
    for view, text in VIEWS.items():
        console.print(Text(f"{view:12}", style="bold") + Text(f" {TELLS[view]}\n{'':12} {text}", style="dim"), soft_wrap=True)
    console.print()

    def tell(step: str, seconds: float) -> None:
        console.print(Text(f"{report.duration(seconds):>8}  {step}"))

    with console.status("on tour …"):
        return Guide(path, engine.value, Sizes.at(scale), tell).walk()
