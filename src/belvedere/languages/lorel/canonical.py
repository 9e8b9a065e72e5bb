"""The canonical form of a resolved view: its variables as states, its hops as transitions between them.

It says of every object under which variable an evaluation from the top meets it, with every condition left aside. A variable at
the end of a path with repetition has the automaton's accepting states; if that path can be empty, also those of its source.
"""

from __future__ import annotations

from belvedere.languages.lorel.automaton import automaton
from belvedere.languages.lorel.constants import FLIPPED, Constant
from belvedere.languages.lorel.resolved import (
    All,
    AnyOf,
    Compare,
    Condition,
    Enter,
    Follow,
    Hop,
    No,
    Object,
    Same,
    Some,
    Total,
    View,
    Walk,
)
from belvedere.languages.lorel.spec import Spec, Test, Transition
from belvedere.languages.lorel.syntax import Label


def canonical(view: View) -> Spec:
    return _Canonical().of(view)


class _Canonical:
    def __init__(self) -> None:
        self.variables: list[str] = []
        self.states: dict[str, tuple[int, ...]] = {}
        self.starts: list[tuple[int, str]] = []
        self.roots: dict[str, None] = {}
        self.transitions: dict[Transition, None] = {}
        self.tests: dict[int, dict[Test, None]] = {}
        self.steps: list[tuple[str, str, str]] = []
        self.simple = True

    def of(self, view: View) -> Spec:
        self.simple = not view.nested
        for hop in view.query.hops:
            self._hop(hop)
        self._condition(view.query.where)
        for item in view.query.items:
            for hop in item.hops:
                self._hop(hop)
        prim, self.steps = self.steps, []
        selected = frozenset(s for i in view.query.items for s in self.states[i.variable])
        begins = [(self._state(item.variable), at) for at, item in enumerate(view.query.items)]
        own: dict[str, tuple[int, ...]] = {}
        for state, at in begins:
            variable = view.query.items[at].variable
            own[variable] = (*own.get(variable, ()), state)
        self.states.update(own)
        for hop in view.adjunct:
            self._hop(hop)
        return Spec(
            variables=tuple(self.variables), starts=tuple(self.starts), roots=tuple(self.roots),
            transitions=tuple(self.transitions), selected=selected, starts_adjunct=tuple(begins),
            shown=frozenset(self._reached([s for s, _ in begins])),
            tests={s: tuple(t) for s, t in self.tests.items()},
            prim=tuple(prim), adj=tuple(self.steps), simple=self.simple,
        )  # fmt: skip

    def _reached(self, todo: list[int]) -> set[int]:
        """The states that transitions lead to from some; what is on the way of a with path is in the view too."""
        shown = set[int]()
        while todo:
            state = todo.pop()
            if state not in shown:
                shown.add(state)
                todo += [t for s, _, _, t in self.transitions if s == state]
        return shown

    def _state(self, variable: str) -> int:
        self.variables.append(variable)
        return len(self.variables) - 1

    # -- hops ------------------------------------------------------------------------------------------------------------

    def _hop(self, hop: Hop) -> None:
        if hop.target in self.states:
            return  # the two halves of `in` go along one path
        match hop:
            case Enter(root=root, oid=oid, target=target):
                state = self._state(target)
                self.states[target] = (state,)
                self.starts.append((state, root))
                if not oid:
                    self.roots[root] = None
            case Follow(source=source, labels=labels, target=target):
                state = self._state(target)
                self.states[target] = (state,)
                for label in labels:
                    self._transitions(self.states[source], label, state)
                    self.steps.append((source, label.text, target))
                self.simple = self.simple and len(labels) == 1 and not labels[0].pattern
            case Walk():
                self._walk(hop)

    def _walk(self, hop: Walk) -> None:
        self.simple = False
        machine = automaton(hop.steps)
        names = {q: hop.target if q in machine.accepting else f"{hop.target}~" for q in machine.entered}
        own = {q: self._state(name) for q, name in names.items()}
        sources = self.states[hop.source]
        for s, label, t in machine.transitions:
            begin = (*(sources if s == 0 else ()), *((own[s],) if s in own else ()))
            self._transitions(begin, label, own[t])
            self.steps.append((names.get(s, hop.source) if s else hop.source, label.text, names[t]))
        ends = tuple(own[q] for q in sorted(machine.accepting) if q in own)
        self.states[hop.target] = (*ends, *(sources if 0 in machine.accepting else ()))

    def _transitions(self, sources: tuple[int, ...], label: Label, target: int) -> None:
        exact = None if label.pattern else label.text
        pattern = label.text if label.pattern and not label.any else None
        for source in sources:
            self.transitions[source, exact, pattern, target] = None

    # -- conditions ------------------------------------------------------------------------------------------------------

    def _condition(self, c: Condition | None) -> None:
        match c:
            case All(parts=parts):
                for part in parts:
                    self._condition(part)
            case AnyOf(parts=parts):
                for part in parts:
                    self._condition(part)
            case No(condition=inner):
                self.simple = False
                self._condition(inner)
            case Some(hops=hops, where=where):
                for hop in hops:
                    self._hop(hop)
                self._condition(where)
            case Compare():
                self._compare(c)
            case Same() | None:
                return

    def _compare(self, c: Compare) -> None:
        for side, other, op in ((c.left, c.right, c.op), (c.right, c.left, FLIPPED.get(c.op, c.op))):
            match side:
                case Object(variable=v):
                    self._test(v, (op, other.value) if isinstance(other, Constant) else None)
                case Total(function=function, hops=hops, where=where, over=over):
                    self.simple = False
                    for hop in hops:
                        self._hop(hop)
                    self._condition(where)
                    if function != "count":
                        self._test(over, None)
                case _:
                    continue

    def _test(self, variable: str, test: Test) -> None:
        for state in self.states[variable]:
            self.tests.setdefault(state, {})[test] = None
