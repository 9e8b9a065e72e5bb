"""Objects written out in an update, `{Name: "x", Near: &12}`, made in a transaction.

An object without an oid is made anew each time; one with an oid once, however many parents it gets. A bare oid is an object of
the text if it is written out there, otherwise one of the warehouse.
"""

from __future__ import annotations

from belvedere.errors import BelvedereError
from belvedere.languages.lorel.oem_text import OemTree
from belvedere.warehouse.graphs.oids import is_ours
from belvedere.warehouse.graphs.session import GraphSession
from belvedere.warehouse.graphs.values import row_of


class Builder:
    """What one statement writes out."""

    def __init__(self, session: GraphSession, tree: OemTree) -> None:
        self._session = session
        self._tree = tree
        self._made: set[str] = set()
        self._written = {t.oid for t in _parts(tree) if t.oid is not None and t.value is not None}
        session.depths.know(self._written)
        for oid in sorted(self._written):
            if is_ours(oid):
                raise BelvedereError(f"{oid}: oids of this form are given by the system; leave it out, or write another")
            if session.depths[oid] is not None:
                raise BelvedereError(f"there is an object {oid} already; refer to it without writing it out again")

    def build(self) -> str:
        """The oid of the object; made now unless it has an oid and was made before."""
        oid, fresh = self._begin(self._tree)
        todo = [(oid, self._tree)] if fresh else []
        while todo:
            source, tree = todo.pop()
            for label, part in tree.value if isinstance(tree.value, tuple) else ():
                target, fresh = self._begin(part)
                self._session.ask("add_edge", source, label, target)
                if fresh:
                    todo.append((target, part))
        return oid

    def _begin(self, tree: OemTree) -> tuple[str, bool]:
        """An object without its edges, and whether those are still to come."""
        if tree.oid is not None and (tree.value is None or tree.oid in self._made):
            return tree.oid, False
        atom = None if tree.value is None or isinstance(tree.value, tuple) else row_of(tree.value.value)
        oid = self._session.make(atom, tree.oid)
        if tree.oid is not None:
            self._made.add(oid)
        return oid, True


def _parts(tree: OemTree) -> list[OemTree]:
    """The tree and everything in it; an oid that is written out twice is refused."""
    found, todo, written = [], [tree], set()
    while todo:
        here = todo.pop()
        found.append(here)
        if here.oid is not None and here.value is not None:
            if here.oid in written:
                raise BelvedereError(f"{here.oid} is written out twice; refer to it the second time")
            written.add(here.oid)
        if isinstance(here.value, tuple):
            todo.extend(t for _, t in here.value)
    return found
