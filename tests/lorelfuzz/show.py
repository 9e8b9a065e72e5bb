"""A case as a program that a person can run."""

from __future__ import annotations

from tests.lorelfuzz import text
from tests.lorelfuzz.case import Case, setup
from tests.lorelfuzz.changes import Change, variable
from tests.lorelfuzz.check import reader_text


def program(case: Case, engine: str = "duckdb") -> str:
    """Python that does what the case does."""
    lines = ["import datetime", "import belvedere as bv", "", f"wh = bv.open('lorelfuzz', engine={engine!r})"]

    def steps(changes: tuple[Change, ...]) -> list[str]:
        return ["with wh.transaction() as tx:", *(f"    {call(c, case)}" for c in changes)] if changes else []

    loaded, changes = setup(case)
    if loaded:
        lines.append(f"wh.load_oem({loaded[0]!r}, {loaded[1]!r})")
    lines += steps(changes)
    for v in case.views:
        lines.append(f'{v.name} = wh.create_view({v.name!r}, """{v.text}""", language="lorel", mode={v.mode!r})')
        if v.reader:
            lines.append(f'{v.name}r = wh.create_view("{v.name}r", "{reader_text(v)}")')
    for t in case.transactions:
        lines += steps(t.changes)
        if t.refresh:
            lines.append("print(wh.refresh())")
    for v in case.views:
        lines.append(f"print({v.name}.graph())")
        if v.asked:
            lines.append(f'print(wh.query("""{text.query(v.view.query)}""", language="lorel").rows())')
    return "\n".join(lines)


def call(change: Change, case: Case) -> str:
    """A line of the program; where the graph came by calls, its first objects are variables as well."""
    line = change.call()
    if case.load == "calls":
        for oid in sorted(case.graph.objects, key=len, reverse=True):
            line = line.replace(repr(oid), variable(oid).strip("'&"))
    return line
