"""Views over graphs measured as the paper modelled its own (Figs 13 to 18): each update against recomputation in the same run, in
time and in objects fetched.

The paper's database is 1 guide, 1,000 restaurants, 100 entrees each, 10 ingredients and 2 names per entree: --restaurants 1000,
and for Fig 16 up to 5,000. Exit code 1 if a view is wrong, if an update that cannot matter runs a query, if following fetches
more objects than recomputation or takes 20% longer, or if at 1,000 restaurants an edge does not fetch 100 times fewer objects.

    python benchmarks/lorel.py [--restaurants 100,200] [--engine duckdb|spark] [--only fig13] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.graph_views.figures import FIGURES
from benchmarks.graph_views.measure import Figure, Setting
from benchmarks.graph_views.report import save, show


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part.replace("_", "")) for part in text.split(",") if part)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--restaurants", type=numbers, default=(100, 200), help="how many; all for Fig 16, else the first")
    parser.add_argument("--entrees", type=int, default=100, help="entrees of a restaurant")
    parser.add_argument("--fanout", type=int, default=3, help="of a level in Figs 14 and 15; three times that in Fig 18")
    parser.add_argument("--repeat", type=int, default=3, help="how often each thing is timed")
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb", help="where views are worked on")
    parser.add_argument("--only", choices=[*FIGURES], action="append", help="one figure; may be given again")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    return parser.parse_args()


def main() -> int:
    options, console = arguments(), Console(width=None if sys.stdout.isatty() else 150)
    figures: list[Figure] = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    for name, (title, program) in FIGURES.items():
        if options.only and name not in options.only:
            continue
        figure = Figure(name, title)
        with tempfile.TemporaryDirectory(prefix="belvedere-lorel-") as directory:
            o = options
            setting = Setting(Path(directory), o.engine, o.repeat, o.restaurants, o.entrees, o.fanout)
            with Progress(*columns, console=console, transient=True) as progress:
                task = progress.add_task(title, total=None)
                for doing in program(figure, setting):
                    progress.update(task, description=f"{title}: {doing}")
        figures.append(figure)
        show(console, figure, options.engine)
        if options.json:
            save(options.json, options.engine, figures)
    return 0 if all(f.good for f in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
