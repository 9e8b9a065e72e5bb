"""Names from data that are taken: a relation of a SchemaSQL view that is called like a table, a view, or another view's relation.

SQL reads relations by their full names, so each must mean one thing. A name that somebody gave (a table's, a view's, a constant
one in a header) stands; a name that came with data gives way, and its view is invalid until one of the two is gone. Two views
whose data brings the same name are both invalid. What is found follows from the catalog alone, so it goes away by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from belvedere.warehouse.schemas.outline import Outline

#: relation → what else has its full name
_Given = dict[str, list[tuple[str, str]]]


def with_clashes(outlines: Mapping[str, Outline], given: Mapping[str, str]) -> dict[str, Outline]:
    """Those of the outlines whose names are taken, as invalid. `given`: full name → what it is, "table" for one."""
    databases = {o.database(v) for v, o in outlines.items() if not o.headless}
    if not databases:
        return {}
    every = {**{o.database(v) + "." + n: f"relation of view {v!r}" for v, o in outlines.items() if o.single
                for n in o.relation_names()}, **given}  # fmt: skip
    below = _below(every, databases)
    found: dict[str, Outline] = {}
    for view, outline in outlines.items():
        if outline.invalid is None and not outline.headless:
            why = next(chain(_with_given(view, outline, below), _with_data(view, outline, outlines)), None)
            if why is not None:
                found[view] = _invalid(outline, why)
    return found


def _below(names: Mapping[str, str], databases: set[str]) -> _Given:
    """The names by database, as far as views have relations there. A name with several dots may be of several databases."""
    found: _Given = {d: [] for d in databases}
    for full, what in names.items():
        for at, sign in enumerate(full):
            if sign == "." and full[:at] in found:
                found[full[:at]].append((full[at + 1 :], what))
    return found


def _with_given(view: str, outline: Outline, below: _Given) -> Iterator[str]:
    database = outline.database(view)
    for relation, what in below[database]:
        own = outline.single and (what == f"relation of view {view!r}" or f"{database}.{relation}" == view)
        if not own and outline.has_relation(relation):
            yield _words(database, relation, what)


def _with_data(view: str, outline: Outline, outlines: Mapping[str, Outline]) -> Iterator[str]:
    """Relations that another view's data makes, too."""
    if outline.single:
        return
    mine = outline.database(view)
    for other, theirs in outlines.items():
        their = theirs.database(other)
        if other == view or theirs.single or not (their == mine or their.startswith(mine + ".") or mine.startswith(their + ".")):
            continue
        full_names = {f"{their}.{n}" for n in theirs.relation_names()}
        relation = next((n for n in outline.relation_names() if f"{mine}.{n}" in full_names), None)
        if relation is not None:
            yield _words(mine, relation, f"relation of view {other!r}")


def _words(database: str, relation: str, what: str) -> str:
    both = f"its relation {relation!r} and a {what} are both called {database + '.' + relation!r}"
    return f"{both}; rename or drop the {what}, or leave the relation out by a condition"


def _invalid(outline: Outline, why: str) -> Outline:
    return replace(outline, invalid=why, read=lambda: outline.relations)
