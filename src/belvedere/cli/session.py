"""Opening the warehouse that a command works on."""

from __future__ import annotations

from pathlib import Path

import belvedere as bv
from belvedere.cli.options import Engine


def warehouse(path: Path, catalog: str | None, engine: Engine = Engine.auto) -> bv.Warehouse:
    """The warehouse at `path`. Only `init` makes one: a mistyped directory must not become a warehouse."""
    return bv.open(path, engine=engine.value, catalog=catalog, create=False)
