"""RESULTS.md: the machine, a line for each program, then what each program said. A page of some programs keeps what it had of the
others, each with the day on which it ran."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.book.chapters import CHAPTERS
from benchmarks.book.machine import machine, versions
from benchmarks.book.run import Ran


def page(
    ran: Sequence[Ran], pictures: Mapping[str, Sequence[Path]], beside: Path, left_out: Sequence[str], large: bool,
    before: str = "",
) -> str:  # fmt: skip
    """`before`: the page as it was, of which the other programs stay."""
    lines, chapters = _kept(before)
    lines |= {r.chapter.name: _line(r) for r in ran}
    chapters |= {r.chapter.name: _chapter(r, pictures, beside) for r in ran}
    order = [c.name for c in CHAPTERS if c.name in chapters]
    head = [
        "# Benchmark results",
        "",
        f"Written by `make {'bench-large' if large else 'bench'}`. Compare ratios and counts, not milliseconds: both sides of a",
        "ratio were measured in the same run on the same machine. A bar is what the project asks of itself; NOT MET means what",
        "it says.",
        "",
        *(f"- {name}: {value}" for name, value in machine().items()),
        f"- {', '.join(f'{name} {value}' for name, value in versions().items())}",
        "",
        "| program | bars | minutes | run on |",
        "| --- | --- | ---: | --- |",
        *(lines[name] for name in order),
        *(f"| {name} | not run | | |" for name in left_out),
        "",
    ]
    return "\n".join(head) + "\n" + "\n\n".join(chapters[name] for name in order) + "\n"


def _kept(before: str) -> tuple[dict[str, str], dict[str, str]]:
    """The lines and the chapters of a page, by the names of the programs."""
    lines = {m[2]: m[1] for m in re.finditer(r"^(\| \[.*\]\(#([\w-]+)\) \|.*)$", before, re.MULTILINE)}
    parts = re.split(r'^<a id="([\w-]+)"></a>$', before, flags=re.MULTILINE)
    chapters = {name: f'<a id="{name}"></a>{text.rstrip()}' for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    return lines, chapters


def _chapter(r: Ran, pictures: Mapping[str, Sequence[Path]], beside: Path) -> str:
    lines = [f'<a id="{r.chapter.name}"></a>', "", f"## {r.chapter.title}", "", f"    {r.command}", ""]
    lines += ["```text", r.output, "```", ""]
    lines += [f"![{p.stem}]({p.relative_to(beside)})" for p in pictures.get(r.chapter.name, ())]
    lines += [""] if r.chapter.name in pictures else []
    return "\n".join(lines).rstrip()


def _line(r: Ran) -> str:
    met = "all met" if r.good else "**not all met**"
    return f"| [{r.chapter.title}](#{r.chapter.name}) | {met} | {r.seconds / 60:.1f} | {r.day} |"
