"""What explain says about a Lorel view beyond its stages: its paths, what can matter to it, and the paper's statements."""

from __future__ import annotations

from typing import Any

from belvedere.languages.lorel.spec import Spec
from belvedere.warehouse.graph_views.fetches import Fetches

Step = tuple[str, str, str]


def describe(spec: Spec, fetches: Fetches | None) -> dict[str, Any]:
    """The canonical form as data; with `fetches`, what evaluating it costs in the paper's measure."""
    return {
        "starts": [name for _, name in spec.starts],
        "from and where": [_path(s) for s in spec.prim],
        "with": [_path(s) for s in spec.adj],
        "values": [
            f"{spec.variables[state]} {op} {constant!r}" if test is not None else f"{spec.variables[state]}, whatever it is"
            for state, tests in sorted(spec.tests.items()) for test in tests for op, constant in [test or ("", None)]
        ],
        "statements": statements(spec),
        "fetches": None if fetches is None else fetches.describe(),
    }  # fmt: skip


def statements(spec: Spec) -> list[str]:
    """For each event that can matter, how the paper's algorithm answers it; ours runs as SQL, for all events at once."""
    found = []
    chosen = ", ".join(sorted({spec.variables[s] for s in spec.selected}))
    whole = ", ".join(_path(s) for s in spec.prim)
    for a, label, b in spec.prim:
        bound = f"select {chosen} from {whole} where … and {a} = o1 and {b} = o2"
        found.append(f"Ins <o1, {label}, o2>: ADDprim += {bound}")
        found.append(f"Del <o1, {label}, o2>: DELprim += {bound}, over the edges and this one, and not exists without it")
    for a, label, _ in spec.adj:
        found.append(f"Ins <o1, {label}, o2>: ADDadj += <o1, {label}, o2> and what follows it, if o1 is {a} of the view")
        found.append(f"Del <o1, {label}, o2>: DELadj += <o1, {label}, o2> and what follows it, unless another path leads there")
    for state, tests in sorted(spec.tests.items()):
        words = [f"{t[0]} {t[1]!r}" if t is not None else "a comparison" for t in tests]
        found.append(f"Chg <o1>: as if its edge to {spec.variables[state]} came or went, where {' or '.join(words)} changes")
    return list(dict.fromkeys(found))


def lines(facts: dict[str, Any]) -> list[str]:
    """For a person."""
    out = [f"  starts at {', '.join(facts['starts'])}"]
    out += [f"  looks at {', '.join(facts['from and where'])}"]
    if facts["with"]:
        out.append(f"  shows {', '.join(facts['with'])}")
    if facts["values"]:
        out.append(f"  compares {', '.join(facts['values'])}")
    if facts["fetches"]:
        out += [f"  {line}" for line in facts["fetches"]]
    return [*out, "  an update that matters, after the paper", *(f"    {s}" for s in facts["statements"])]


def _path(step: Step) -> str:
    a, label, b = step
    return f"{a}.{label} {b}"
