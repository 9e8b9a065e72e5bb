"""RESULTS.md: the machine, a line for each program, then what each program said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.book.machine import machine, versions
from benchmarks.book.run import Ran


def page(ran: Sequence[Ran], pictures: Mapping[str, Sequence[Path]], beside: Path, left_out: Sequence[str], large: bool) -> str:
    lines = [
        "# Benchmark results",
        "",
        f"Written by `make {'bench-large' if large else 'bench'}`. Compare ratios and counts, not milliseconds: both sides of a",
        "ratio were measured in the same run on the same machine. A bar is what the project asks of itself; NOT MET means what",
        "it says.",
        "",
        *(f"- {name}: {value}" for name, value in machine().items()),
        f"- {', '.join(f'{name} {value}' for name, value in versions().items())}",
        "",
        "| program | bars | minutes |",
        "| --- | --- | ---: |",
        *(_line(r) for r in ran),
        *(f"| {name} | not run | |" for name in left_out),
        "",
    ]
    for r in ran:
        lines += [f'<a id="{r.chapter.name}"></a>', "", f"## {r.chapter.title}", "", f"    {r.command}", ""]
        lines += ["```text", r.output, "```", ""]
        lines += [f"![{p.stem}]({p.relative_to(beside)})" for p in pictures.get(r.chapter.name, ())]
        lines += [""] if r.chapter.name in pictures else []
    return "\n".join(lines)


def _line(r: Ran) -> str:
    met = "all met" if r.good else "**not all met**"
    return f"| [{r.chapter.title}](#{r.chapter.name}) | {met} | {r.seconds / 60:.1f} |"
