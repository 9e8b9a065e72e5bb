"""The planted faults: each one place in the source, said otherwise.

They are listed in faults/*.txt, one file for each part of the work. A file of the source is named by `== path` (below
src/belvedere); then, for each fault, a line of what goes wrong, the text that stands there once, and what is put in its place:

    # old state for new: ΔA⋈ΔB is lost
    ? left join|right join
    - before = [change.at(y, "new")
    + before = [change.at(y, "old")

The line with `?` is a pattern for the views in which the fault is likely to show, so that those are tried first. After a path
it stands for all faults of that file that have none of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LISTS = Path(__file__).parent / "faults"
#: in the order in which a change meets them
PARTS = ("rules", "stages", "reading", "rewriting", "lowering", "refreshing", "alike", "changing")


class Misplaced(Exception):
    """The list does not fit the source: the source has moved on, and the list must follow."""


@dataclass(frozen=True)
class Fault:
    """`old` stands exactly once in the file, which is named relative to src/belvedere."""

    file: str
    old: str
    new: str
    about: str
    likely: str = ""

    def planted(self, source: Path) -> tuple[Path, str]:
        """The file of a copy of src, and its text with the fault in it."""
        path = source / "belvedere" / self.file
        text = path.read_text(encoding="utf-8")
        times = text.count(self.old)
        if times != 1:
            raise Misplaced(f"{self.file} holds {times} times what is to become a fault ({self.about}):\n{self.old}")
        return path, text.replace(self.old, self.new)


def read(path: Path) -> Iterator[Fault]:
    """The faults of one list."""
    file = about = of_file = own = ""
    old: list[str] = []
    new: list[str] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        mark, text = line[:2].rstrip(), line[2:].removeprefix(" ") if line.startswith("==") else line[2:]
        match mark:
            case "==":
                file, about, of_file = text, "", ""
            case "#":
                about, own = text, ""
            case "?" if about:
                own = text
            case "?":
                of_file = text
            case "-":
                old.append(text)
            case "+":
                new.append(text)
            case _ if old:
                yield Fault(file, "\n".join(old), "\n".join(new), about, own or of_file)
                old, new = [], []


def every() -> tuple[Fault, ...]:
    return tuple(f for part in PARTS for f in read(LISTS / f"{part}.txt"))


def check(faults: tuple[Fault, ...], source: Path) -> None:
    """Every fault fits the source, and no two are the same."""
    seen: dict[tuple[Path, str], str] = {}
    for fault in faults:
        other = seen.setdefault(fault.planted(source), fault.about)
        if other != fault.about:
            raise Misplaced(f"two faults in {fault.file} are the same: {other!r} and {fault.about!r}")
