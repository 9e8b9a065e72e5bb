"""A failing case → a smaller one that fails the same way: fewer transactions, steps and objects, and a simpler query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from tests.fuzzing.failure import Failure
from tests.fuzzing.shrinking import smallest
from tests.oqlfuzz.case import Case, ViewSpec
from tests.oqlfuzz.coding import Untyped
from tests.oqlfuzz.estimate import children, names_in
from tests.oqlfuzz.interpret import Reference

from belvedere.languages.oql import ast, text

Try = Callable[[Case], Failure | None]


def shrink(failure: Failure, run: Try, seconds: float = 60.0) -> Failure:
    """The smallest failure found in the time given."""
    return smallest(failure, candidates, run, seconds)


def candidates(case: Case, view: str) -> Iterator[Case]:
    """Smaller cases, the boldest first."""
    alone = case.keep(lambda v: v.name == view)
    if view and len(alone.views) < len(case.views):
        yield alone
    yield from (replace(case, transactions=case.transactions[:n]) for n in range(len(case.transactions)))
    for n in reversed(range(len(case.transactions))):
        yield replace(case, transactions=case.transactions[:n] + case.transactions[n + 1 :])
    for n, v in enumerate(case.views):
        for program in smaller(v.program):
            changed = (*case.views[:n], with_program(v, program), *case.views[n + 1 :])
            if typed(case, changed):
                yield replace(case, views=changed)
    for n, t in enumerate(case.transactions):
        for s in range(len(t.steps)):
            fewer = replace(t, steps=t.steps[:s] + t.steps[s + 1 :])
            yield replace(case, transactions=(*case.transactions[:n], fewer, *case.transactions[n + 1 :]))
    steps = case.population.steps
    for s in reversed(range(len(steps))):
        yield replace(case, population=replace(case.population, steps=steps[:s] + steps[s + 1 :]))
    yield from _lighter(case)
    if case.together:
        yield replace(case, together=False)


def _lighter(case: Case) -> Iterator[Case]:
    """Updates that set fewer attributes."""
    groups = [case.population, *case.transactions]
    for g, t in enumerate(groups):
        for s, step in enumerate(t.steps):
            attrs = getattr(step, "attrs", ())
            for a in range(len(attrs)):
                less: Any = replace(step, attrs=attrs[:a] + attrs[a + 1 :])  # type: ignore[call-arg]
                changed = replace(t, steps=(*t.steps[:s], less, *t.steps[s + 1 :]))
                every = [*groups[:g], changed, *groups[g + 1 :]]
                yield replace(case, population=every[0], transactions=tuple(every[1:]))


def with_program(v: ViewSpec, program: ast.Program) -> ViewSpec:
    found = names_in(program)
    return replace(v, program=program, text=text.program(program), reads=tuple(r for r in v.reads if r in found))


def typed(case: Case, views: tuple[ViewSpec, ...]) -> bool:
    try:
        Reference(case.schema, views)
    except (Untyped, AssertionError, KeyError, AttributeError):
        return False
    return True


def smaller(node: Any) -> Iterator[Any]:
    """The tree with one expression replaced by a part of it or by something plain, or one element of a list left out."""
    if isinstance(node, ast.Expr):
        yield from (c for c in _parts(node) if isinstance(c, ast.Expr))
        if not isinstance(node, (ast.Literal, ast.Name, ast.Path)):
            yield from (ast.Literal("boolean", True), ast.Literal("integer", 1), ast.Literal("string", "a"))
    if isinstance(node, ast.Node):
        for f in fields(node):
            value = getattr(node, f.name)
            if f.name == "pos" or isinstance(value, str):
                continue
            if isinstance(value, ast.Expr) and f.name in ("where", "having"):
                yield replace(node, **{f.name: None})  # type: ignore[arg-type]
            if f.name == "distinct" and value:
                yield replace(node, distinct=False)  # type: ignore[call-arg]
            for other in smaller(value):
                yield replace(node, **{f.name: other})
    elif isinstance(node, tuple):
        if all(isinstance(e, (ast.Node, tuple)) for e in node):
            yield from (node[:n] + node[n + 1 :] for n in range(len(node)))
        for n, e in enumerate(node):
            yield from ((*node[:n], other, *node[n + 1 :]) for other in smaller(e))


def _parts(node: Any) -> Iterator[ast.Node]:
    for c in children(node):
        yield c
        if not isinstance(c, ast.Expr):
            yield from _parts(c)
