"""Paths → hops. A step with one label, a pattern, or a choice of single labels is a Follow; a run of anything else a Walk."""

from __future__ import annotations

from belvedere.languages.lorel import resolved as r
from belvedere.languages.lorel.path_reader import without_variables
from belvedere.languages.lorel.scopes import Scope, Session
from belvedere.languages.lorel.syntax import AnyPath, Group, Label, Path, PathStep, Step


class PathResolver:
    def __init__(self, session: Session) -> None:
        self.session = session

    def follow(self, path: Path, scope: Scope, hops: list[r.Hop], variable: str | None = None) -> str:
        """Add the hops of a path; returns the variable at its end, which is also known as `variable`, if that is given."""
        source, steps = self.session.begin(path, scope, hops)
        runs = _runs(steps)
        for run in runs:
            source = self._hop(source, run, scope, hops, variable if run is runs[-1] else None)
        if variable is not None and not steps:
            self.session.know(variable, source, scope, path.at)
        return source

    def _hop(self, source: str, run: tuple[PathStep, ...], scope: Scope, hops: list[r.Hop], variable: str | None) -> str:
        last = run[-1]
        named = last.variable
        labels = labels_of(run)
        stem = variable or named or (labels[0].text if labels and not labels[0].pattern else "object")
        target = self.session.unique(stem)
        for name in dict.fromkeys(n for n in (named, variable) if n is not None):
            self.session.know(name, target, scope, last.at)
        if labels is None:
            hops.append(r.Walk(source, tuple(without_variables(p) for p in run), target))
            return target
        bound = None
        if isinstance(last, Step) and last.label_variable is not None:
            bound = self.session.unique(last.label_variable)
            self.session.know(last.label_variable, bound, scope, last.at, label=True)
        hops.append(r.Follow(source, labels, target, bound))
        return target


def _runs(steps: tuple[PathStep, ...]) -> list[tuple[PathStep, ...]]:
    """Single steps alone; neighbours that need an automaton together, unless a variable stands between them."""
    found: list[list[PathStep]] = []
    for step in steps:
        joins = found and labels_of((step,)) is None and labels_of((found[-1][-1],)) is None and found[-1][-1].variable is None
        if joins:
            found[-1].append(step)
        else:
            found.append([step])
    return [tuple(run) for run in found]


def labels_of(run: tuple[PathStep, ...]) -> tuple[Label, ...] | None:
    """The labels of which a single edge must have one; None where it takes an automaton."""
    if len(run) != 1:
        return None
    step = run[0]
    match step:
        case Step(label=label):
            return (label,)
        case AnyPath():
            return None
        case Group(alternatives=alternatives, repeat=""):
            inner = [labels_of(a) for a in alternatives]
            return None if any(i is None for i in inner) else tuple(dict.fromkeys(x for i in inner if i is not None for x in i))
        case _:
            return None
