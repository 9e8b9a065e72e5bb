"""Scalar expressions and what they give: tests/golden/engines/scalars has one file for each family.

A line is `expression  →  type: value | value | …`, with one value for each row of the table. An expression that begins with
`!` must raise for some row. A new expression is added with nothing behind the arrow, and `--regold` on Spark fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engines.scalars import table
from tests.engines.support import check_types, shown

from belvedere.algebra.ops import Project
from belvedere.algebra.scalar import Scalar, col
from belvedere.algebra.typing import scalar
from belvedere.errors import EngineError

GOLDEN = Path(__file__).parent.parent / "golden" / "engines" / "scalars"
RAISES = "an error"
FAMILIES = tuple(sorted(p.stem for p in GOLDEN.glob("*.txt")))


@dataclass(frozen=True)
class Expression:
    """One line of the table: text, its scalar, whether it must raise."""

    text: str
    scalar: Scalar
    raises: bool


def expressions(family: str) -> list[Expression]:
    _, get = table()
    out = []
    for line in golden(family):
        raises = line.startswith("!")
        text = line[1:] if raises else line
        out.append(Expression(line, scalar(text, get.schema), raises))
    return out


def values(engine: Any, chosen: list[Expression]) -> dict[str, str]:
    """text → the column of values, one for each row of the table, as written in a golden file."""
    tables, get = table()
    place = ("row", col(get.schema["b"]))
    node = Project(get, (place, ("tag", col(get.schema["s"])), *((f"e{n}", e.scalar) for n, e in enumerate(chosen))))
    result, _ = engine.run(node, tables)
    check_types(result, node)
    rows = sorted(result.to_pylist(), key=lambda r: (r["row"] is None, r["row"] or 0))
    return {e.text: f"{e.scalar.type}: " + " | ".join(shown(r[f"e{n}"]) for r in rows) for n, e in enumerate(chosen)}


def raises(engine: Any, e: Expression) -> str:
    tables, get = table()
    node = Project(get, (("e", e.scalar),))
    try:
        engine.run(node, tables)
    except EngineError:
        return RAISES
    return "no error"


def golden(family: str) -> dict[str, str]:
    lines = (GOLDEN / f"{family}.txt").read_text(encoding="utf-8").splitlines()
    return {text: result.strip() for text, result in (line.split("  →", 1) for line in lines if line)}


def write_golden(family: str, found: dict[str, str]) -> None:
    text = "".join(f"{k}  →  {v}\n" for k, v in found.items())
    (GOLDEN / f"{family}.txt").write_text(text, encoding="utf-8")
