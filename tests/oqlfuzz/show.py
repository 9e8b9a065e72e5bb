"""A case as a program that a person can run."""

from __future__ import annotations

from tests.oqlfuzz.case import Case
from tests.oqlfuzz.check import ON_READ
from tests.oqlfuzz.updates import fitting
from tests.oqlfuzz.world import World


def program(case: Case, engine: str = "duckdb") -> str:
    """Python that does what the case does."""
    world = World(case.schema)
    lines = ["import datetime", "import belvedere as bv", "", f"wh = bv.open('oqlfuzz', engine={engine!r})"]
    lines += [f'wh.odl("""\n{case.schema.odl()}""")', "o = {}"]
    lines += [f"wh.create_table({t!r}, {case.schema.ddl(t)!r})" for t in case.schema.tables]

    def steps(t: object) -> list[str]:
        calls = [f"    {s.call()}" for s in fitting(world, t)]  # type: ignore[arg-type]
        return ["with wh.transaction() as tx:", *(calls or ["    pass"])]

    lines += steps(case.population)
    for v in case.views:
        more = f", parameters={v.parameters!r}" if v.parameters else ""
        lines.append(f'{v.name} = wh.create_view({v.name!r}, """{v.text}""", language="oql", mode={v.mode!r}{more})')
    for n, t in enumerate(case.transactions, 1):
        lines += steps(t)
        if (t.refresh or n == len(case.transactions)) and case.together:
            lines.append("wh.refresh()")
        elif t.refresh or n == len(case.transactions):
            lines += [f"{v.name}.refresh(strategy='incremental')" for v in case.views if v.mode not in ON_READ]
    lines += [f"print({v.name}.verify(), {v.name}.rows())" for v in case.views]
    return "\n".join(lines)
