"""Lorel read aloud: every binding is tried, every condition asked, as the language's page says and in no other order.

A variable stands for an object, or for a label, which is a string. A range without a variable has a hidden one: paths that begin
with the same words go on from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.lorel.oracle.coercion import compare, number
from tests.lorel.oracle.graph import Graph, Value
from tests.lorel.oracle.paths import fits, label_fits, walk

from belvedere.languages.lorel.syntax import (
    Aggregate,
    And,
    Comparison,
    Condition,
    Exists,
    ForAll,
    Item,
    Literal,
    Member,
    Not,
    Or,
    Path,
    PathStep,
    Query,
    Range,
    Step,
)


@dataclass(frozen=True)
class Thing:
    """What a variable or a path gives: an object, or (without oid) a value that is no object."""

    oid: str | None = None
    value: Value | None = None


@dataclass(frozen=True)
class Scope:
    """What variables stand for, and the ranges that have no variable."""

    bound: tuple[tuple[str, Thing], ...] = ()
    hidden: tuple[tuple[Path, Thing], ...] = ()

    def get(self, name: str) -> Thing | None:
        return next((t for n, t in reversed(self.bound) if n == name), None)

    def bind(self, name: str | None, thing: Thing) -> Scope:
        return self if name is None else replace(self, bound=(*self.bound, (name, thing)))

    def hide(self, path: Path, thing: Thing) -> Scope:
        return replace(self, hidden=(*self.hidden, (path, thing)))


class Meaning:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.out = graph.by_source()

    # paths

    def start(self, path: Path, scope: Scope) -> tuple[list[Thing], tuple[PathStep, ...]]:
        """Where a path begins and what steps are left: at a hidden variable, a variable, an oid or a name."""
        known = [(p, t) for p, t in scope.hidden if begins(path, p)]
        if known:
            p, thing = max(known, key=lambda k: len(k[0].steps))
            return [thing], path.steps[len(p.steps) :]
        variable = None if path.start.oid else scope.get(path.start.text)
        if variable is not None:
            return [variable], path.steps
        oid: str | None = path.start.text if path.start.oid else self.graph.names.get(path.start.text)
        return ([Thing(oid)] if oid in self.graph.objects else []), path.steps

    def reach(self, path: Path, scope: Scope) -> Iterator[tuple[Thing, Scope]]:
        """Each thing at the end of the path, with what its variables were bound to on the way."""
        begin, steps = self.start(path, scope)
        for thing in begin:
            yield from self.follow(thing, steps, scope)

    def follow(self, thing: Thing, steps: tuple[PathStep, ...], scope: Scope) -> Iterator[tuple[Thing, Scope]]:
        if not steps:
            yield thing, scope
            return
        if thing.oid is None:
            return
        step, more = steps[0], steps[1:]
        if isinstance(step, Step):
            for label, target in self.out.get(thing.oid, ()):
                if label_fits(step.label, label):
                    there = Thing(target)
                    inner = scope.bind(step.label_variable, Thing(value=label)).bind(step.variable, there)
                    yield from self.follow(there, more, inner)
            return
        for target in walk(self.out, thing.oid, (replace(step, variable=None),))[0]:
            yield from self.follow(Thing(target), more, scope.bind(step.variable, Thing(target)))

    # queries

    def bindings(self, ranges: tuple[Range, ...], scope: Scope) -> Iterator[Scope]:
        if not ranges:
            yield scope
            return
        first, more = ranges[0], ranges[1:]
        for thing, inner in self.reach(first.path, scope):
            named = inner.bind(first.variable, thing) if first.variable else inner.hide(first.path, thing)
            yield from self.bindings(more, named)

    def rows(self, query: Query, scope: Scope) -> Iterator[tuple[Item, Thing]]:
        """What select gives, item by item, for every binding that where lets through."""
        for inner in self.bindings(query.ranges or implied(query), scope):
            if query.where is None or self.holds(query.where, inner):
                for item in query.items:
                    yield from ((item, t) for t in self.things(item.value, inner))

    # values

    def things(self, e: Path | Literal | Aggregate | Query, scope: Scope) -> set[Thing]:
        match e:
            case Literal():
                return {Thing(value=e.constant.value)}
            case Path():
                return {t for t, _ in self.reach(e, scope)}
            case Query():
                return {t for _, t in self.rows(e, scope)}
            case Aggregate():
                found = aggregate(e.function, self.values(self.things(e.over, scope)), len(self.things(e.over, scope)))
                return set() if found is None else {Thing(value=found)}

    def value(self, thing: Thing) -> Value | None:
        return self.graph.values.get(thing.oid) if thing.oid is not None else thing.value

    def values(self, things: set[Thing]) -> list[Value]:
        return [v for v in (self.value(t) for t in things) if v is not None]

    # conditions

    def holds(self, c: Condition, scope: Scope) -> bool:
        match c:
            case And():
                return all(self.holds(p, scope) for p in c.parts)
            case Or():
                return any(self.holds(p, scope) for p in c.parts)
            case Not():
                return not self.holds(c.condition, scope)
            case Comparison():
                return self.compares(c, scope)
            case Exists():
                return any(c.condition is None or self.holds(c.condition, s) for s in self.each(c.variable, c.domain, scope))
            case ForAll():
                return all(self.holds(c.condition, s) for s in self.each(c.variable, c.domain, scope))
            case Member():
                left, right = self.things(c.element, scope), self.things(c.domain, scope)
                same = {t.oid for t in left if t.oid} & {t.oid for t in right}
                return bool(same) or any(compare("=", a, b) for a in self.values(left) for b in self.values(right))

    def each(self, variable: str | None, domain: Path | Query, scope: Scope) -> Iterator[Scope]:
        if isinstance(domain, Path):
            yield from (s.bind(variable, t) for t, s in self.reach(domain, scope))
        else:
            yield from (scope.bind(variable, t) for t in self.things(domain, scope))

    def compares(self, c: Comparison, scope: Scope) -> bool:
        left, right = self.things(c.left, scope), self.things(c.right, scope)
        if c.op == "==":
            return bool({t.oid for t in left if t.oid} & {t.oid for t in right if t.oid})
        holds = like if c.op == "like" else lambda a, b: compare(c.op, a, b)
        return any(holds(a, b) for a in self.values(left) for b in self.values(right))


def like(text: Value, pattern: Value) -> bool:
    return isinstance(text, str) and isinstance(pattern, str) and fits(text, pattern)


def aggregate(function: str, values: list[Value], count: int) -> Value | None:
    """Of a set of objects: count counts them, the others take those that are or read as numbers."""
    if function == "count":
        return count
    found = sorted(n for n in map(number, values) if n is not None)
    if function == "sum":
        return float(sum(found))
    if not found:
        return None
    return {"avg": sum(found) / len(found), "min": found[0], "max": found[-1]}[function]


def begins(path: Path, prefix: Path) -> bool:
    return path.start == prefix.start and path.steps[: len(prefix.steps)] == prefix.steps


def implied(query: Query) -> tuple[Range, ...]:
    """The from that select implies: its one path, or what its paths begin with alike."""
    paths = [i.value for i in query.items if isinstance(i.value, Path)]
    if not paths or any(p.start != paths[0].start for p in paths):
        return ()
    length = min(len(p.steps) for p in paths)
    while any(p.steps[:length] != paths[0].steps[:length] for p in paths):
        length -= 1
    return (Range(Path(paths[0].start, paths[0].steps[:length])),)
