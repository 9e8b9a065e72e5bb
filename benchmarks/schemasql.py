"""SchemaSQL views measured as the paper measured its own (sections 6.2 to 6.5), at its sizes and at 1,000 times its sizes.

Figs 17, 18: base relations deleted, under a view with two relations and under one with a relation for each city. Fig 19: tuples
deleted one by one, against one recomputation. Fig 20: updates that change the view's schema and updates that do not. Fig 21:
views of several selectivities. Names: renames and drops of relations and columns whose names the view shows, over few rows and
over many. Times are medians of one run, in turns, incremental to recomputation, both asked for by name. Bars are on processor
time in-process, and on elapsed time on Spark. Exit code 1 if a view is wrong or a bar is not met.

    python benchmarks/schemasql.py [--scale 1,1000] [--engine duckdb|spark] [--only fig17] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.schema_views.measure import Figure, Setting
from benchmarks.schema_views.names import names
from benchmarks.schema_views.relations import figure17, figure18
from benchmarks.schema_views.report import save, show
from benchmarks.schema_views.selectivity import figure21
from benchmarks.schema_views.tuples import figure19, figure20

Program = Callable[[Figure, Setting], Iterator[str]]
FIGURES: dict[str, tuple[str, Program]] = {
    "fig17": ("Fig 17: deleting base relations, a view with two relations", figure17),
    "fig18": ("Fig 18: deleting base relations, a view with a relation for each city", figure18),
    "fig19": ("Fig 19: deleting tuples, one transaction each", figure19),
    "fig20": ("Fig 20: updates of data and of the schema", figure20),
    "fig21": ("Fig 21: selectivity", figure21),
}
NAMES = "names"


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part.replace("_", "")) for part in text.split(",") if part)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=numbers, default=(1, 1000), help="how many times the paper's sizes")
    parser.add_argument("--rows", type=numbers, default=(10, 1_000_000), help="sizes for changes of names")
    parser.add_argument("--tuples", type=int, default=200, help="how many tuples Fig 19 deletes")
    parser.add_argument("--repeat", type=int, default=3, help="how often each thing is timed")
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb", help="where views are worked on")
    parser.add_argument("--only", choices=[*FIGURES, NAMES], action="append", help="one figure; may be given again")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    return parser.parse_args()


def programs(options: argparse.Namespace) -> Iterator[tuple[Figure, Program]]:
    """Figures in order, each at every scale; changes of names have sizes of their own."""
    wanted = options.only or [*FIGURES, NAMES]
    clock = "cpu" if options.engine == "duckdb" else "wall"
    for name, (title, program) in FIGURES.items():
        if name in wanted:
            for scale in options.scale:
                yield Figure(name, title, scale, clock), program
    if NAMES in wanted:
        yield Figure(NAMES, "Changes of names", 0, clock), names


def main() -> int:
    options, console = arguments(), Console(width=None if sys.stdout.isatty() else 140)
    figures: list[Figure] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    for figure, program in programs(options):
        with tempfile.TemporaryDirectory(prefix="belvedere-schemasql-") as directory:
            setting = Setting(Path(directory), options.engine, options.repeat, options.tuples, options.rows)
            with Progress(*columns, console=console, transient=True) as progress:
                task = progress.add_task(figure.title, total=None)
                for doing in program(figure, setting):
                    progress.update(task, description=f"{figure.title}: {doing}")
        figures.append(figure)
        show(console, figure, options.engine)
        if options.json:
            save(options.json, options.engine, figures)
    return 0 if all(f.good for f in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
