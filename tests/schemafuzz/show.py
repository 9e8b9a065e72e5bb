"""A case as a program that a person can run."""

from __future__ import annotations

from tests.schemafuzz import above
from tests.schemafuzz.case import Case
from tests.schemafuzz.changes import Change
from tests.schemafuzz.check import reader_text, setup


def program(case: Case, engine: str = "duckdb") -> str:
    """Python that does what the case does."""
    lines = ["import belvedere as bv", "", f"wh = bv.open('schemafuzz', engine={engine!r})"]

    def steps(changes: tuple[Change, ...]) -> list[str]:
        return ["with wh.transaction() as tx:", *(f"    {c.call()}" for c in changes)] if changes else []

    lines += steps(tuple(setup(case.world)))
    for v in case.views:
        lines.append(f'{v.name} = wh.create_view({v.name!r}, """{v.text}""", language="schemasql", mode={v.mode!r})')
        if v.reader:
            lines.append(f'{v.name}r = wh.create_view("{v.name}r", "{reader_text(v)}")')
        if v.above is not None:
            made = f'"""{above.text_of(v)}""", language={above.language_of(v)!r}, mode={v.mode!r}'
            lines.append(f'{v.name}a = wh.create_view("{v.name}a", {made})')
    for t in case.transactions:
        lines += steps(t.changes)
        if t.refresh:
            lines.append("print(wh.refresh())")
    for v in case.views:
        lines.append(f"print({v.name}.status, {v.name}.reason)")
        if v.above is not None:
            lines.append(f"print({v.name}a.status, {v.name}a.reason, {v.name}a.rows())")
        lines.append(f"print({{n: {v.name}.relation(n).rows() for n in {v.name}.relations()}})")
    return "\n".join(lines)
