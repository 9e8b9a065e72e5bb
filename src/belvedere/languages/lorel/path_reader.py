"""Paths: a start, then steps. `Guide.Rest%@L{r}(.Entree|.Menu.Entree)?.#.Name`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from belvedere.languages.lorel.reader import Reader
from belvedere.languages.lorel.syntax import AnyPath, Group, Label, Path, PathStep, Start, Step


class PathReader(Reader):
    def path(self, what: str = "a path") -> Path:
        at = self.here.start
        start = Start(self.next().text, oid=True, at=at) if self.here.kind == "oid" else Start(self.name(what), at=at)
        return Path(start, tuple(self._steps(inside=False)), at=at)

    def at_group(self) -> bool:
        """Whether a group of steps begins here, rather than a condition or a query in parentheses."""
        return self.place in self._groups

    @cached_property
    def _groups(self) -> frozenset[int]:
        """The parentheses that are followed, perhaps after more of them, by a point."""
        found: set[int] = set()
        follows = False
        for at in range(len(self.tokens) - 1, -1, -1):
            token = self.tokens[at]
            if token.is_op("("):
                if follows:
                    found.add(at)
            else:
                follows = token.is_op(".")
        return frozenset(found)

    def _steps(self, *, inside: bool) -> list[PathStep]:
        found: list[PathStep] = []
        while True:
            if self.here.is_op("."):
                self.next()
                found.append(self._step(inside))
            elif self.at_group():
                found.append(self._group(inside))
            else:
                return found

    def _step(self, inside: bool) -> PathStep:
        token = self.here
        if self.takes_op("#"):
            return AnyPath(self._variable(inside), at=token.start)
        if token.is_op("("):
            raise self.error("no point stands before a group; the points are inside of it, as in Guide(.a|.b)")
        if token.kind not in ("word", "name"):
            raise self.expected("a label (others than words are written in backticks) or #", "after the point")
        self.next()
        label = Label(token.text, token.kind == "word" and "%" in token.text)
        if self.here.is_op("*", "+", "?"):
            raise self.error(f"only a group can be repeated; write (.{label}){self.here.text}")
        bound = None
        if self.here.is_op("@"):
            if inside:
                raise self.error("a label inside of a group cannot be bound to a variable; give the step a range of its own")
            self.next()
            bound = self.name("a variable for the label")
        return Step(label, bound, self._variable(inside), at=token.start)

    def _variable(self, inside: bool) -> str | None:
        if not self.here.is_op("{"):
            return None
        if inside:
            raise self.error("an object inside of a group cannot be bound to a variable; bind the group's end, (…){x}")
        self.next()
        name = self.name("a variable")
        self.need_op("}", "after the variable")
        return name

    def _group(self, inside: bool) -> PathStep:
        at = self.here.start
        self.next()
        alternatives = [self._alternative()]
        while self.takes_op("|"):
            alternatives.append(self._alternative())
        self.need_op(")", "after the group's steps")
        repeat = self.next().text if self.here.is_op("?", "*", "+") else ""
        return Group(tuple(alternatives), repeat, self._variable(inside), at=at)

    def _alternative(self) -> tuple[PathStep, ...]:
        steps = self._steps(inside=True)
        if not steps:
            raise self.expected("a step such as `.label`", "in a group")
        return tuple(steps)


def without_variables(step: PathStep) -> PathStep:
    """The step as it chooses edges, whatever it binds."""
    if isinstance(step, Step):
        return replace(step, label_variable=None, variable=None)
    return replace(step, variable=None)
