"""What a name means where it stands: variables, paths of ranges without a variable, and the names of the database."""

from __future__ import annotations

from dataclasses import dataclass, field

from belvedere.errors import ParseError, UnknownName, suggest
from belvedere.languages.lorel.automaton import can_be_empty
from belvedere.languages.lorel.path_reader import without_variables
from belvedere.languages.lorel.resolved import Enter, Hop
from belvedere.languages.lorel.syntax import Path, PathStep, Start
from belvedere.languages.lorel.tokens import error
from belvedere.languages.sql.fresh import Fresh


@dataclass(frozen=True)
class Variable:
    """A variable's unique name; `label` where it is bound to labels rather than objects."""

    unique: str
    label: bool = False


@dataclass(frozen=True)
class Known:
    """A path that a range without a variable binds; it stands for that binding wherever it is written again."""

    start: str
    steps: tuple[PathStep, ...]
    variable: str


@dataclass
class Scope:
    """The variables of one query, and the scope around it. `roots`: the variables for names that its from clause enters."""

    outer: Scope | None = None
    variables: dict[str, Variable] = field(default_factory=dict)
    paths: list[Known] = field(default_factory=list)
    roots: dict[tuple[str, bool], str] = field(default_factory=dict)

    def find(self, name: str) -> Variable | None:
        found = self.variables.get(name)
        return found if found is not None or self.outer is None else self.outer.find(name)

    def root(self, key: tuple[str, bool]) -> str | None:
        found = self.roots.get(key)
        return found if found is not None or self.outer is None else self.outer.root(key)

    def known_paths(self) -> list[Known]:
        around = self.outer.known_paths() if self.outer is not None else []
        return [*self.paths, *(k for k in around if k.start not in self.variables)]

    def names(self) -> list[str]:
        return [*self.variables, *(self.outer.names() if self.outer is not None else [])]


@dataclass
class Session:
    """One statement: its text, the names of the database if they are known, and names for columns."""

    text: str
    entry_points: list[str] | None = None
    fresh: Fresh = field(default_factory=Fresh)

    def error(self, at: int, message: str, kind: type[ParseError] = ParseError) -> ParseError:
        return error(self.text, at, message, kind)

    def unique(self, stem: str) -> str:
        """A name for a variable that no other has."""
        return self.fresh(stem if stem.strip() else "object")

    def know(self, name: str, unique: str, scope: Scope, at: int, *, label: bool = False) -> None:
        """From here on, the text may use this variable."""
        if name in scope.variables:
            raise self.error(at, f"the variable '{name}' is bound twice; give one of them another name")
        scope.variables[name] = Variable(unique, label)

    def begin(self, path: Path, scope: Scope, hops: list[Hop]) -> tuple[str, tuple[PathStep, ...]]:
        """The variable that a path starts from, and the steps that are left; a root is entered by another hop, unless the
        scope has it already."""
        whole = self.again(path, scope)
        if whole is not None:
            return whole.variable, path.steps[len(whole.steps) :]
        start = path.start
        found = None if start.oid else scope.find(start.text)
        if found is not None:
            if found.label:
                message = f"'{start.text}' is bound to a label, which has no edges; a label can only be compared"
                raise self.error(start.at, message)
            return found.unique, path.steps
        known = scope.root((start.text, start.oid))
        if known is not None:
            return known, path.steps
        self._need(start, scope)
        target = self.unique(start.text)
        hops.append(Enter(start.text, start.oid, target, living=start.oid and can_be_empty(path.steps)))
        return target, path.steps

    def again(self, path: Path, scope: Scope) -> Known | None:
        """The longest path of a range without a variable that this path begins with."""
        steps = tuple(without_variables(s) for s in path.steps)
        fitting = [k for k in scope.known_paths() if k.start == path.start.text and steps[: len(k.steps)] == k.steps]
        plain = [k for k in fitting if all(s == t for s, t in zip(path.steps, k.steps, strict=False))]
        return max(plain, key=lambda k: len(k.steps), default=None)

    def _need(self, start: Start, scope: Scope) -> None:
        known = self.entry_points
        if known is None or start.oid or start.text in known:
            return
        near = suggest(start.text, [*known, *scope.names()]) if known else "; wh.load_oem(name, data) makes one"
        raise self.error(start.at, f"unknown name '{start.text}': no variable, and no name of the database{near}", UnknownName)
