"""Trees → objects, edges and values, column by column.

The place of an object in the tree gives its depth: whatever else leads to it, the edge from the object it is written in is a
certificate of its life. References become edges at the end, when all that was written is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from belvedere.errors import BelvedereError, TypeMismatch
from belvedere.languages.lorel.oem_text import OemTree
from belvedere.warehouse.graphs.oids import is_oid, is_ours
from belvedere.warehouse.graphs.places import Place, Unfit, path_to
from belvedere.warehouse.graphs.sources import Element
from belvedere.warehouse.graphs.values import Atom, moment_in, number_in, row_of, writable

ID, REF, VALUE, DATE = "&id", "$ref", "$value", "$date"
"""Keys with a meaning: an object's oid, a reference, and atomic values that JSON cannot write: one with an oid, or a moment."""

#: deeper than any text; a Python object that holds itself gets there soon
DEEPEST = 100_000

Todo = list[tuple[str, Any, int]]
"""(oid, its children, its depth) of complex objects that are to be looked into."""


class Columns:
    """What was found and is not written yet."""

    def __init__(self) -> None:
        self.sources: list[str] = []
        self.labels: list[str] = []
        self.targets: list[str] = []
        self.objects: list[str] = []
        self.depths: list[int] = []
        self.atomic: list[str] = []
        self.atoms: list[Atom] = []


class Walk:
    """One load. `take` gives fresh oids; `full` is called when there is much to write."""

    def __init__(self, take: Callable[[], str], full: Callable[[], None], limit: int = 200_000) -> None:
        self._take = take
        self._full = full
        self._limit = limit
        self.columns = Columns()
        #: oids as written → those of the objects
        self.given: dict[str, str] = {}
        self.places: dict[str, Place] = {}
        #: (source, label, oid as written) of references, and where each oid is referred to first
        self.references: list[tuple[str, str, str]] = []
        self.referred: dict[str, tuple[str, Place]] = {}
        #: edges that a reference may repeat: those to objects with a written oid
        self.held: set[tuple[str, str, str]] = set()
        self._labels: set[str] = set()
        self._element = Element(None)

    def root(self, element: Element) -> str | None:
        """The object that an element is; None for a reference, which is then the only one in `referred`."""
        return self._within(element, lambda: self._top(element.tree))

    def part(self, parent: str, label: str, element: Element) -> None:
        """An element as a part of a living object of depth 0."""
        self._within(element, lambda: self._run([(parent, _hung(label, element.tree), 0)]))

    def _within(self, element: Element, work: Callable[[], str | None]) -> str | None:
        self._element = element
        try:
            return work()
        except Unfit as e:
            if isinstance(e.culprit, OemTree):
                raise TypeMismatch(f"{self._here(e.culprit).head()}{e}") from None
            path = path_to(element.tree, e.culprit)
            raise TypeMismatch(f"{self._here().head(f'at {path}' if path else '')}{e}") from None

    def _here(self, tree: OemTree | None = None) -> Place:
        return Place(self._element.place, self._element.text, None if tree is None else tree.at)

    # objects

    def _top(self, tree: Any) -> str | None:
        """Hang it under an object that does not exist, and take the edge away."""
        todo = self._children("", _hung("", tree), -1)
        if self.references:
            self.references.clear()
            return None
        if not self.columns.targets:
            raise Unfit("null stands for no object, so there is nothing to name", tree)
        oid = self.columns.targets.pop()
        self.columns.sources.pop()
        self.columns.labels.pop()
        self.held.clear()
        self._run(todo)
        return oid

    def _run(self, todo: Todo) -> None:
        while todo:
            oid, children, depth = todo.pop()
            if depth > DEEPEST:
                raise BelvedereError(f"{self._here().head()}nested deeper than {DEEPEST:,}; the data holds itself")
            todo.extend(reversed(self._children(oid, children, depth)))
            if len(self.columns.targets) >= self._limit:
                self._full()

    def _children(self, oid: str, children: Any, depth: int) -> Todo:
        """Note the edges from an object, and what is atomic."""
        todo: Todo = []
        if isinstance(children, tuple):
            for label, tree in children:
                self._know_label(label, tree)
                self._oem_child(oid, label, tree, depth, todo)
            return todo
        for label, value in children.items():
            if label not in self._labels:
                self._know_label(label, children)
            if isinstance(value, (list, tuple, set, frozenset)):
                for x in value:
                    self._child(oid, label, x, depth, todo)
            else:
                self._child(oid, label, value, depth, todo)
        return todo

    def _child(self, oid: str, label: str, value: Any, depth: int, todo: Todo) -> None:
        if value is None:
            return
        if isinstance(value, Mapping):
            if REF in value or ID in value or VALUE in value or DATE in value:
                self._special(oid, label, value, depth, todo)
                return
            child = self._take()
            todo.append((child, value, depth + 1))
        elif isinstance(value, (list, tuple, set, frozenset)):
            child = self._take()
            todo.append((child, {label: value}, depth + 1))
        else:
            child = self._take()
            self.columns.atomic.append(child)
            self.columns.atoms.append(self._atom(value))
        self._hang(oid, label, child, depth)

    def _atom(self, value: Any) -> Atom:
        kind = type(value)
        if kind is str and value.isascii():
            return ("string", None, number_in(value), value)
        if kind is float and math.isfinite(value):
            return ("real", None, value + 0.0, repr(value + 0.0))
        try:
            return row_of(value)
        except TypeMismatch as e:
            raise Unfit(str(e), value) from None

    def _special(self, oid: str, label: str, value: Mapping[str, Any], depth: int, todo: Todo) -> None:
        """An object with an oid of its own, a reference, or an atomic value that JSON cannot write."""
        if REF in value:
            if len(value) > 1 or not is_oid(value[REF]):
                raise Unfit(f'a reference is {{"{REF}": "&oid"}} and nothing else; this is {dict(value)!r:.80}', value)
            self._refer(oid, label, value[REF], self._here())
            return
        child = self._named(value[ID], value, self._here()) if ID in value else self._take()
        rest = {k: v for k, v in value.items() if k != ID}
        if list(rest) == [VALUE] and not isinstance(rest[VALUE], (Mapping, list, tuple, type(None))):
            self._value(child, self._atom(rest[VALUE]))
        elif list(rest) == [DATE]:
            moment = moment_in(rest[DATE]) if isinstance(rest[DATE], str) else None
            if moment is None:
                raise Unfit(f'{{"{DATE}": …}} holds a date or a time, such as "2024-02-29", not {rest[DATE]!r:.40}', value)
            self._value(child, row_of(moment))
        else:
            todo.append((child, rest, depth + 1))
        self._hang(oid, label, child, depth, may_repeat=ID in value)

    def _oem_child(self, oid: str, label: str, tree: OemTree, depth: int, todo: Todo) -> None:
        if tree.value is None:
            self._refer(oid, label, str(tree.oid), self._here(tree))
            return
        child = self._take() if tree.oid is None else self._named(tree.oid, tree, self._here(tree))
        if isinstance(tree.value, tuple):
            todo.append((child, tree.value, depth + 1))
        else:
            try:
                self._value(child, row_of(tree.value.value))
            except TypeMismatch as e:
                raise Unfit(str(e), tree) from None
        self._hang(oid, label, child, depth, may_repeat=tree.oid is not None)

    def _value(self, oid: str, atom: Atom) -> None:
        self.columns.atomic.append(oid)
        self.columns.atoms.append(atom)

    def _hang(self, oid: str, label: str, child: str, depth: int, *, may_repeat: bool = False) -> None:
        columns = self.columns
        columns.sources.append(oid)
        columns.labels.append(label)
        columns.targets.append(child)
        columns.objects.append(child)
        columns.depths.append(depth + 1)
        if may_repeat:
            self.held.add((oid, label, child))

    # what is written in the data

    def _named(self, written: Any, culprit: Any, here: Place) -> str:
        if not is_oid(written):
            raise Unfit(f'"{ID}" is {written!r:.60}, which is no oid; they are written & and letters, digits, _', culprit)
        if written in self.given:
            raise Unfit(f"{written} is written out twice, first {self.places[written].head().rstrip(': ') or 'before'}", culprit)
        self.places[written] = here
        self.given[written] = self._take() if is_ours(written) else str(written)
        return self.given[written]

    def _refer(self, oid: str, label: str, written: str, here: Place) -> None:
        self.references.append((oid, label, written))
        self.referred.setdefault(written, (label, here))

    def _know_label(self, label: Any, within: Any) -> None:
        if not isinstance(label, str):
            raise Unfit(f"{label!r:.60} is the key of an object, and labels are text", within)
        try:
            self._labels.add(writable(label))
        except TypeMismatch as e:
            raise Unfit(str(e), within) from None


def _hung(label: str, tree: Any) -> Any:
    """The children of an object that has one part."""
    return ((label, tree),) if isinstance(tree, OemTree) else {label: [tree]}
