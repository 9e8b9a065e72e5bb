"""What a view contains, by name: the forms of paths, conditions and clauses that a run should have met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from belvedere.languages.lorel.syntax import (
    Aggregate,
    AnyPath,
    Comparison,
    Exists,
    ForAll,
    Group,
    Member,
    Not,
    Or,
    Path,
    Query,
    Start,
    Step,
    View,
)

EVERY = (
    "step", "pattern", "alternation", "#", "(…)?", "(…)*", "(…)+", "@L", "{x}", "oid", "omitted from", "several items", "join",
    "not", "or", "compare", "two paths", "like", "==", "exists", "bare path", "for all", "in", "aggregate", "subquery",
    "with", "with chain", "regular with",
)  # fmt: skip


def features(view: View) -> Iterator[str]:
    """Each name once or more."""
    q = view.query
    if not q.ranges:
        yield "omitted from"
    if len(q.items) > 1:
        yield "several items"
    if len(q.ranges) > 1:
        yield "join"
    if view.with_:
        yield "with"
    if any(len(r.path.steps) > 1 for r in view.with_):
        yield "with chain"
    if any(not isinstance(s, Step) for r in view.with_ for s in r.path.steps):
        yield "regular with"
    for part in parts(view):
        yield from of_part(part)
        if isinstance(part, Query) and part is not q:
            yield "subquery"


def of_part(part: Any) -> Iterator[str]:
    match part:
        case Step():
            yield "pattern" if part.label.pattern else "step"
            yield from ["@L"] * bool(part.label_variable) + ["{x}"] * bool(part.variable)
        case AnyPath():
            yield "#"
        case Group():
            yield f"(…){part.repeat}" if part.repeat else "alternation"
        case Start(oid=True):
            yield "oid"
        case Comparison():
            yield part.op if part.op in ("like", "==") else "compare"
            if isinstance(part.left, Path) and isinstance(part.right, Path):
                yield "two paths"
        case Exists():
            yield "exists" if part.variable else "bare path"
        case ForAll():
            yield "for all"
        case Member():
            yield "in"
        case Not():
            yield "not"
        case Or():
            yield "or"
        case Aggregate():
            yield "aggregate"


def parts(tree: Any) -> Iterator[Any]:
    """The tree and all that is in it."""
    if is_dataclass(tree):
        yield tree
        for f in fields(tree):
            yield from parts(getattr(tree, f.name))
    elif isinstance(tree, tuple):
        for t in tree:
            yield from parts(t)


def starts(tree: Any) -> set[str]:
    """Every word a path starts with."""
    return {p.text for p in parts(tree) if isinstance(p, Start)}


def bound(tree: Any) -> set[str]:
    """Every variable that is bound somewhere."""
    found: set[str] = set()
    for part in parts(tree):
        names = [getattr(part, n, None) for n in ("variable", "label_variable")] if not isinstance(part, Query) else []
        found.update(n for n in names if isinstance(n, str))
    return found
