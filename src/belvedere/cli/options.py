"""The options that many commands share, each declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Engine(StrEnum):
    """Where the work runs; auto lets the planner choose, job by job."""

    auto = "auto"
    spark = "spark"
    duckdb = "duckdb"


class Strategy(StrEnum):
    auto = "auto"
    incremental = "incremental"
    recompute = "recompute"
    batch = "batch"
    grouping = "grouping"
    sequential = "sequential"


class Mode(StrEnum):
    """When a view follows its inputs."""

    immediate = "immediate"
    deferred = "deferred"
    lazy = "lazy"
    hybrid = "hybrid"


WarehouseOption = Annotated[
    Path,
    typer.Option("--warehouse", "-w", envvar="BELVEDERE_WAREHOUSE", help="The warehouse's directory.", show_default="here"),
]
CatalogOption = Annotated[
    str | None,
    typer.Option("--catalog", envvar="BELVEDERE_CATALOG", help="postgresql://… if the catalog is not in the directory."),
]
EngineOption = Annotated[Engine, typer.Option("--engine", "-e", envvar="BELVEDERE_ENGINE", help="Where the work runs.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON on stdout, one document.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows to show; 0 shows all.")]

HERE = Path(".")
