"""A path of any form as an automaton: which states an edge leads from and to, by its label.

Every label of the path is a position; a position follows another if the path lets its edge come right after the other's.
States with the same future are then one state, so that `#` is one state with a loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.languages.lorel.syntax import AnyPath, Group, Label, PathStep, Step

ANY = Label("%", pattern=True)


@dataclass(frozen=True)
class Automaton:
    """State 0 is the start. `transitions`: (state, label, state)."""

    transitions: tuple[tuple[int, Label, int], ...]
    accepting: frozenset[int]

    @property
    def entered(self) -> tuple[int, ...]:
        """The states that some transition leads to."""
        return tuple(sorted({t for _, _, t in self.transitions}))


@dataclass(frozen=True)
class _Part:
    """A part of a path: whether it can be empty, and the positions it can begin and end with."""

    empty: bool
    first: frozenset[int]
    last: frozenset[int]


_NOTHING = _Part(True, frozenset(), frozenset())


def automaton(steps: tuple[PathStep, ...]) -> Automaton:
    """
    >>> automaton((AnyPath(),))
    Automaton(transitions=((0, Label(text='%', pattern=True), 0),), accepting=frozenset({0}))
    """
    builder = _Builder()
    whole = builder.sequence(steps)
    follows = {0: whole.first, **builder.follows}
    accepting = whole.last | ({0} if whole.empty else frozenset())
    transitions = frozenset((s, builder.labels[t], t) for s, targets in follows.items() for t in targets)
    return _merged(len(builder.labels) + 1, transitions, accepting)


def can_be_empty(steps: tuple[PathStep, ...]) -> bool:
    """Whether a path may lead to where it begins without any edge.

    >>> can_be_empty(()), can_be_empty((AnyPath(),)), can_be_empty((AnyPath(), Step(ANY)))
    (True, True, False)
    """
    return _Builder().sequence(steps).empty


class _Builder:
    def __init__(self) -> None:
        self.labels: dict[int, Label] = {}
        self.follows: dict[int, frozenset[int]] = {}

    def sequence(self, steps: tuple[PathStep, ...]) -> _Part:
        made = _NOTHING
        for step in steps:
            made = self._then(made, self._step(step))
        return made

    def _step(self, step: PathStep) -> _Part:
        match step:
            case Step(label=label):
                return self._position(label)
            case AnyPath():
                return self._repeated(self._position(ANY), "*")
            case Group(alternatives=alternatives, repeat=repeat):
                parts = [self.sequence(a) for a in alternatives]
                first = frozenset[int]().union(*(p.first for p in parts))
                last = frozenset[int]().union(*(p.last for p in parts))
                return self._repeated(_Part(any(p.empty for p in parts), first, last), repeat)

    def _position(self, label: Label) -> _Part:
        at = len(self.labels) + 1
        self.labels[at] = label
        self.follows[at] = frozenset()
        return _Part(False, frozenset({at}), frozenset({at}))

    def _then(self, a: _Part, b: _Part) -> _Part:
        for x in a.last:
            self.follows[x] |= b.first
        first = a.first | b.first if a.empty else a.first
        return _Part(a.empty and b.empty, first, a.last | b.last if b.empty else b.last)

    def _repeated(self, a: _Part, repeat: str) -> _Part:
        if repeat in ("*", "+"):
            for x in a.last:
                self.follows[x] |= a.first
        return _Part(a.empty or repeat in ("?", "*"), a.first, a.last)


def _merged(count: int, transitions: frozenset[tuple[int, Label, int]], accepting: frozenset[int]) -> Automaton:
    """States that accept alike and lead alike, by the classes that their transitions reach, are one."""
    classes = [int(s in accepting) for s in range(count)]
    while True:
        seen: dict[tuple[int, frozenset[tuple[Label, int]]], int] = {}
        refined = []
        for s in range(count):
            future = frozenset((label, classes[t]) for a, label, t in transitions if a == s)
            refined.append(seen.setdefault((classes[s], future), len(seen)))
        if len(seen) == len(set(classes)):
            break
        classes = refined
    order = {c: i for i, c in enumerate(dict.fromkeys(classes))}  # the start is state 0, and its class comes first
    number = [order[c] for c in classes]
    merged = {(number[a], label, number[t]) for a, label, t in transitions}
    ordered = sorted(merged, key=lambda x: (x[0], x[2], x[1].text, x[1].pattern))
    return Automaton(tuple(ordered), frozenset(number[s] for s in accepting))
