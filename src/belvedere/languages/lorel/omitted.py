"""A query without from: one selected path becomes the from; of several, the longest prefix that they share."""

from __future__ import annotations

from dataclasses import replace

from belvedere.languages.lorel.path_reader import without_variables
from belvedere.languages.lorel.scopes import Scope, Session
from belvedere.languages.lorel.syntax import Path, PathStep, Query, Range


def written_out(query: Query, session: Session, outer: Scope | None) -> Query:
    """The query with a from clause. Paths that begin with the new range's path then mean its binding; a variable inside of
    the range is bound there, so that the selected paths need not bind it again."""
    if query.ranges:
        return query
    paths = [i.value for i in query.items if isinstance(i.value, Path)]
    if len(paths) != len(query.items) or any(p.start != paths[0].start for p in paths):
        if all(_is_outer(p, outer) for p in paths):
            return query
        if len(paths) == len(query.items):
            message = "without from, the selected paths must begin alike; say what each begins with in a from clause"
            raise session.error(query.at, message)
        return query
    if not paths or (_is_outer(paths[0], outer) and all(not p.steps for p in paths)):
        return query
    shared = paths[0].steps
    for path in paths[1:]:
        shared = _shared(shared, path.steps)
    made = Path(paths[0].start, shared, at=paths[0].at)
    bound = [replace(p, steps=_unbound(p.steps, len(shared))) for p in paths]
    items = tuple(replace(i, value=p) for i, p in zip(query.items, bound, strict=True))
    return replace(query, ranges=(Range(made, None, at=query.at),), items=items)


def _is_outer(path: Path, outer: Scope | None) -> bool:
    return outer is not None and not path.start.oid and outer.find(path.start.text) is not None


def _shared(a: tuple[PathStep, ...], b: tuple[PathStep, ...]) -> tuple[PathStep, ...]:
    found: list[PathStep] = []
    for x, y in zip(a, b, strict=False):
        if without_variables(x) != without_variables(y):
            break
        found.append(x if x != without_variables(x) else y)
    return tuple(found)


def _unbound(steps: tuple[PathStep, ...], count: int) -> tuple[PathStep, ...]:
    return (*(without_variables(p) for p in steps[:count]), *steps[count:])
