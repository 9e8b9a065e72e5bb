"""Closure has no SQL of its own: engines put a leaf in its place before they make a statement (`engines/fixpoint.py`)."""

from __future__ import annotations

from typing import NoReturn

from belvedere.algebra.ops import Closure
from belvedere.engines.sql.lowering import Lowering


def lower(node: Closure, to: Lowering) -> NoReturn:
    raise AssertionError("a closure is evaluated before the statement that reads it: see engines/fixpoint.py")
