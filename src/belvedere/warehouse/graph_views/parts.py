"""The parts of a Lorel view that SQL can read: `V.objects`, `V.edges` and `V.values`, cut out of its long form."""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Project
from belvedere.algebra.scalar import col, compare, string

#: part → (the kind of its rows, its columns as (name, column of the long form))
PARTS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "objects": ("primary", (("oid", "oid"), ("label", "label"))),
    "edges": ("edge", (("source", "oid"), ("label", "label"), ("target", "target"))),
    "values": (
        "value",
        (("oid", "oid"), ("type", "type"), ("integer", "integer"), ("number", "number"), ("text", "text")),
    ),
}


def part(long: Node, name: str) -> Node:
    """One part, over the view in long form."""
    kind, columns = PARTS[name]
    rows = Filter(long, compare("=", col(long.schema["kind"]), string(kind)))
    return Project(rows, tuple((shown, col(long.schema[stored])) for shown, stored in columns))


def full_names(view: str) -> dict[str, str]:
    """
    >>> full_names("Fav")
    {'Fav.objects': 'objects', 'Fav.edges': 'edges', 'Fav.values': 'values'}
    """
    return {f"{view}.{name}": name for name in PARTS}
