"""What a kit that compares with an interpreter says when something is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Failure:
    """What went wrong: where (view, step), which check, and the words. `case` is the kit's own: a seed, and views with a text."""

    case: Any
    view: str
    step: int
    check: str
    message: str

    @property
    def kind(self) -> str:
        """What must stay the same while the case is made smaller."""
        return self.check if not self.check.startswith("error") else f"{self.check} {self.message.splitlines()[0][:25]}"

    def __str__(self) -> str:
        when = "when made" if self.step < 0 else f"after transaction {self.step + 1}"
        text = next((f"\n{v.text}" for v in self.case.views if v.name == self.view), "")
        return f"seed {self.case.seed}, view {self.view}, {when}: {self.check}\n{self.message}{text}"


class Wrong(Exception):
    """Raised by a check: which one, and the words."""

    def __init__(self, check: str, message: str) -> None:
        super().__init__(message)
        self.check = check
        self.message = message
