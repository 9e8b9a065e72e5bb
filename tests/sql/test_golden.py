"""Golden files: SQL and the algebra that it is bound to. `pytest tests/sql --regold` rewrites the algebra."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.sql.tables import TableNames

from belvedere.languages.sql import bind

HERE = Path(__file__).parent.parent / "golden" / "sql"
BREAK = "\n\n====\n"


def shown(text: str) -> str:
    bound = bind(text, TableNames())
    lines = [str(bound.node)]
    lines.append("-> " + ", ".join(f"{n} {c.type}" for n, c in zip(bound.columns, bound.node.schema, strict=True)))
    if bound.order:
        lines.append("shown by " + ", ".join(map(str, bound.order)))
    lines.append("reads " + ", ".join(bound.relations) + (" and follows their columns" if bound.star else ""))
    return "\n".join(lines)


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda p: p.stem)
def test_algebra_is_as_written_down(path: Path, regold: bool) -> None:
    blocks = path.read_text().rstrip("\n").split(BREAK)
    texts = [b.split("\n----\n")[0] for b in blocks]
    now = BREAK.join(f"{t}\n----\n{shown(t)}" for t in texts) + "\n"
    if regold:
        path.write_text(now)
    assert now == path.read_text()


def test_there_are_golden_files() -> None:
    assert len(list(HERE.glob("*.txt"))) >= 8
