"""Running a chapter: a process of its own, so that one that fails, or takes too much memory, leaves the others alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.book.chapters import Chapter

ROOT = Path(__file__).resolve().parents[2]
#: characters in a line of what programs print
WIDTH = 130


@dataclass(frozen=True)
class Ran:
    """What a program said, whether all of its bars were met, and how long it took."""

    chapter: Chapter
    command: str
    output: str
    good: bool
    seconds: float
    day: str = ""


def run(chapter: Chapter, results: Path, large: bool) -> Ran:
    command = [f"benchmarks/{chapter.program}", *chapter.arguments(large)]
    saved = results / f"{chapter.name}.json"
    files = ["--json", str(saved)] if chapter.json else []
    saved.unlink(missing_ok=True)  # what a run does not write must not look as if it had
    surroundings = {**os.environ, "COLUMNS": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command, *files], cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    said = done.stdout if not done.returncode or done.stdout.strip() else done.stdout + done.stderr
    failed = f"\nended with code {done.returncode}:\n{done.stderr[-2000:]}" if done.returncode > 1 or done.returncode < 0 else ""
    return Ran(chapter, " ".join(["python", *command]), _trimmed(said + failed), done.returncode == 0, seconds,
               time.strftime("%Y-%m-%d"))  # fmt: skip


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
