"""Where something stands in what is loaded, for messages. Finding out costs time, so it is done when there is a complaint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an element and, in OEM text, an offset in it."""

    element: str
    text: str = ""
    at: int | None = None

    def __str__(self) -> str:
        """
        >>> str(Place("guide.oem", "{a: 1,\\n b: &2}", 11)), str(Place(""))
        ('guide.oem, line 2', '')
        """
        line = "" if self.at is None else f"line {self.text.count(chr(10), 0, self.at) + 1}"
        return ", ".join(p for p in (self.element, line) if p)

    def head(self, detail: str = "") -> str:
        """How a message begins that is about this place."""
        shown = ", ".join(p for p in (str(self), detail) if p)
        return f"{shown}: " if shown else ""


class Unfit(Exception):
    """Something that cannot be loaded, and the part of the data that it is."""

    def __init__(self, message: str, culprit: Any) -> None:
        super().__init__(message)
        self.culprit = culprit


def path_to(tree: Any, culprit: Any) -> str:
    """The way to a part of a tree.

    >>> price = {"usd": None}
    >>> path_to({"menu": [{"price": 1}, {"price": price}]}, price)
    'menu[2].price'
    """
    stack: list[tuple[Any, str]] = [(tree, "")]
    while stack:
        here, path = stack.pop()
        if here is culprit:
            return path.lstrip(".")
        if len(path) > 10_000:
            return ""
        if isinstance(here, Mapping):
            stack.extend((v, f"{path}.{k}") for k, v in here.items())
        elif isinstance(here, (list, tuple)):
            stack.extend((v, f"{path}[{i}]") for i, v in enumerate(here, 1))
    return ""
