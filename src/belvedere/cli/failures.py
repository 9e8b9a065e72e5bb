"""How the command fails: one short red message on stderr and an exit code, a traceback only when asked for."""

from __future__ import annotations

import errno
import os
from typing import Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup
from typer.exceptions import TyperException

from belvedere.errors import BelvedereError

FAILED = 1
INTERNAL = 70

# What typer itself turns into a message and an exit code.
_SHELL = (typer.Exit, typer.Abort, TyperException)


def debugging() -> bool:
    """--debug sets the variable, so that it also reaches what the command starts."""
    return os.environ.get("BELVEDERE_DEBUG", "") not in ("", "0")


def complain(message: str, *, hint: str = "") -> None:
    """Text, not markup: a message may quote a hostile name."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    first, _, rest = message.partition("\n")
    console.print(Text("error: ", style="bold red") + Text(first, style="red"))
    if rest:
        console.print(Text(rest))
    if hint:
        console.print(Text(hint, style="dim"))


class Guarded(TyperGroup):
    """The outermost group. Errors meant for the user end here; so do our own, which say where to look."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BelvedereError as error:
            if debugging():
                raise
            complain(str(error))
            raise typer.Exit(FAILED) from error
        except _SHELL:
            raise
        except Exception as error:
            if debugging() or (isinstance(error, OSError) and error.errno == errno.EPIPE):
                raise
            complain(f"unexpected {type(error).__name__}: {error}", hint="This is a fault of Belvedere. --debug shows the trace.")
            raise typer.Exit(INTERNAL) from error
