"""Views over the random views: SchemaSQL over all relations of one, their names, their cells; SQL over one of its relations.

What such a view holds follows from what the view below holds, so the reference needs to know nothing of views over views.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

from tests.schemafuzz import text
from tests.schemafuzz.case import Above, ViewSpec
from tests.schemafuzz.layout import Content
from tests.schemafuzz.tree import Const
from tests.schemafuzz.world import quoted

#: how many of the views have one above
PART = 0.35


def with_above(seed: str, v: ViewSpec, content: Content) -> ViewSpec:
    """The view, perhaps with one above it. It draws from a well of its own, so that seeds mean what they meant."""
    rng = random.Random(f"above:{seed}:{v.name}")
    h = v.query.header
    if h is None or rng.random() > PART:
        return v
    kinds = ["names", *(["rows", "rows"] if v.fixed else []), *(["cells", "cells"] if h.pivot is not None else [])]
    named = [n for n in content if n]
    if v.fixed and named:
        kinds += ["relation", "relation"]
    kind = rng.choice(kinds)
    return replace(v, above=Above(kind, rng.choice(named) if kind == "relation" else ""))


def language_of(v: ViewSpec) -> str:
    return "sql" if v.above is not None and v.above.kind == "relation" else "schemasql"


def text_of(v: ViewSpec) -> str:
    assert v.above is not None
    db = text.name(Const(v.database))
    fixed = [quoted(n) for n in v.fixed]
    match v.above.kind:
        case "relation":
            return f"select {', '.join(fixed)} from {quoted(v.database)}.{quoted(v.above.relation)}"
        case "names":
            return f"select R, A from {db}-> R, {db}::R-> A"
        case "rows":
            return f"select R, {', '.join(f'T.{n} as c{i}' for i, n in enumerate(fixed))} from {db}-> R, {db}::R T"
        case "cells":
            others = "".join(f" and A <> {text.literal(n)}" for n in v.fixed)
            return f"select R, A, T.A as c from {db}-> R, {db}::R T, {db}::R-> A where true{others}"
    raise AssertionError(v.above.kind)


def expected(v: ViewSpec, content: Content) -> Counter[tuple[Any, ...]] | None:
    """Its rows over what the view below holds; None if it has nothing to read."""
    assert v.above is not None
    found: Counter[tuple[Any, ...]] = Counter()
    if v.above.kind == "relation" and v.above.relation not in content:
        return None
    for name, relation in content.items():
        at = [relation.columns.index(n) for n in v.fixed]
        match v.above.kind:
            case "names":
                found.update((name, c) for c in relation.columns)
            case "relation" if name == v.above.relation:
                found.update({tuple(row[i] for i in at): n for row, n in relation.rows.items()})
            case "rows":
                for row, n in relation.rows.items():
                    found[name, *(row[i] for i in at)] += n
            case "cells":
                for row, n in relation.rows.items():
                    for i, c in enumerate(relation.columns):
                        if i not in at:
                            found[name, c, row[i]] += n
            case _:
                pass
    return found
