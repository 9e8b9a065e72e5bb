"""A text argument of a command: given in place, in a file, or on stdin."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from belvedere.errors import StoreError


def text_of(argument: str | None, file: Path | None, what: str) -> str:
    """Exactly one of the argument (`-` for stdin) and --file."""
    if (argument is None) == (file is None):
        raise typer.BadParameter(f"give the {what} either as an argument (- reads it from stdin) or with --file")
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise StoreError(f"cannot read {file}: {e}") from e
    assert argument is not None
    return sys.stdin.read() if argument == "-" else argument
