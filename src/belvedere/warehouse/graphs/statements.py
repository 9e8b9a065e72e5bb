"""Updates as text, carried out: `name X := …`, `drop name X`, `update path (:= | += | -=) … from … where …`.

The language says which objects and edges a statement is about; what then comes and goes is decided here, and asked of the
transaction's session like any other change. A bound statement is evaluated before anything of it is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from belvedere.algebra.node import Node
from belvedere.errors import BelvedereError, UnknownName
from belvedere.languages.lorel import syntax as s
from belvedere.languages.lorel.constants import satisfies
from belvedere.languages.lorel.oem_text import OemTree
from belvedere.languages.lorel.parser import is_update
from belvedere.languages.lorel.updates import UpdateBound, bind_update
from belvedere.warehouse.graphs.build import Builder
from belvedere.warehouse.graphs.values import row_of, value_of
from belvedere.warehouse.names import CurrentNames

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

_FIRST = re.compile(r"\s*(name|drop|update)\b", re.IGNORECASE)


def is_graph_update(text: str) -> bool:
    """Whether a statement is one of Lorel's."""
    return _FIRST.match(text) is not None and is_update(text)


def run_update(tx: Transaction, text: str) -> int:
    """Do what a statement says; returns how many edges, values or names it changes."""
    session = tx.graph_session()
    session.flush()
    return _Update(tx, bind_update(text, CurrentNames(tx.registry))).run()


class _Update:
    def __init__(self, tx: Transaction, bound: UpdateBound) -> None:
        self.tx = tx
        self.bound = bound
        self.session = tx.graph_session()

    def run(self) -> int:
        statement = self.bound.statement
        match statement:
            case s.DropName(name=name):
                self.tx.remove_name(name)
                return 1
            case s.SetName(name=name, source=source):
                self.tx.set_name(name, self._one(name, source))
                return 1
            case s.Update(op=":=", source=s.Literal() as literal):
                return self._assign(literal)
            case s.Update(op="-=", source=source):
                return self._remove(source)
            case s.Update(op=op, source=source):
                return self._add(source, instead=op == ":=")

    def _rows(self, node: Node | None) -> list[tuple[Any, ...]]:
        assert node is not None, "the language gives what this kind of update needs"
        found = self.tx.rows(node)
        return list(zip(*(found.column(n).to_pylist() for n in node.schema.names), strict=True))

    # names

    def _one(self, name: str, source: s.Source) -> str:
        """The one object that a name is to denote."""
        if isinstance(source, s.Literal):
            return self.session.make(row_of(source.constant.value))
        if isinstance(source, OemTree):
            return Builder(self.session, source).build()
        self._need_oid(source)
        found = [o for (o,) in self._rows(self.bound.objects)]
        if len(found) != 1:
            many = "no object" if not found else f"{len(found):,} objects"
            raise BelvedereError(f"name {name}: what is on the right gives {many}, and a name denotes exactly one")
        return str(found[0])

    def _need_oid(self, source: s.Source) -> None:
        """A bare oid on the right must be of an object that is there."""
        if isinstance(source, s.Path) and source.start.oid and not self.session.reader.depths([source.start.text]):
            raise UnknownName(f"there is no object {source.start.text}; it was never made, or no name reached it any more")

    # edges and values

    def _assign(self, literal: s.Literal) -> int:
        """Give the atomic objects that the path reaches another value."""
        oids = [str(o) for (o,) in self._rows(self.bound.objects)]
        atomic = self.session.reader.values(oids)
        rest = sorted(set(oids) - set(atomic))
        if rest:
            more = f" (and {len(rest) - 1:,} more)" if len(rest) > 1 else ""
            raise BelvedereError(
                f"the path reaches {rest[0]}{more}, a complex object, which has no value to set; "
                "use -= and += to put another object in its place"
            )
        atom = row_of(literal.constant.value)
        changed = [o for o in oids if atomic[o] != atom]
        for oid in changed:
            self.session.ask("set_value", oid, atom=atom)
        return len(changed)

    def _add(self, source: s.Source, *, instead: bool) -> int:
        """Edges from each parent to what is on the right; with `instead` those that were there under the label go."""
        label = self._label()
        self._need_oid(source)
        parents = [str(p) for (p,) in self._rows(self.bound.parents)]
        there = {(str(p), str(lb), str(t)) for p, lb, t in self._rows(self.bound.edges)}
        wanted = {(p, label, t) for p, t in self._targets(parents, source)}
        gone = there - wanted if instead else set()
        self._ask("remove_edge", gone)
        self._ask("add_edge", wanted - there)
        return len(gone) + len(wanted - there)

    def _targets(self, parents: list[str], source: s.Source) -> list[tuple[str, str]]:
        """(parent, what it gets): new objects, one for each parent, or those that a query or a path gives."""
        if isinstance(source, s.Literal):
            atom = row_of(source.constant.value)
            return [(p, self.session.make(atom)) for p in parents]
        if isinstance(source, OemTree):
            builder = Builder(self.session, source)
            return [(p, builder.build()) for p in parents]
        return [(str(p), str(o)) for p, o in self._rows(self.bound.pairs)]

    def _remove(self, source: s.Source) -> int:
        """The edges of the last step that lead to what is on the right."""
        if isinstance(source, OemTree):
            raise BelvedereError("-= takes away edges to objects that are there: give a query, a path, an oid or a constant")
        if self.bound.edges is None:
            self._label()
        self._need_oid(source)
        edges = [(str(p), str(lb), str(t)) for p, lb, t in self._rows(self.bound.edges)]
        if isinstance(source, s.Literal):
            wanted = source.constant.value
            atoms = self.session.reader.values({t for _, _, t in edges})
            equal = {o for o, (kind, i, n, text) in atoms.items() if satisfies(_python(kind, i, n, text), "=", wanted)}
            gone = {e for e in edges if e[2] in equal}
        else:
            gone = set(edges)
            if self.bound.within is not None:
                gone &= {(str(p), str(lb), str(t)) for p, lb, t in self._rows(self.bound.within)}
        self._ask("remove_edge", gone)
        return len(gone)

    def _label(self) -> str:
        statement = self.bound.statement
        assert isinstance(statement, s.Update)
        if self.bound.label is None:
            if not statement.path.steps:
                raise BelvedereError(
                    f"'{statement.path.start.text}' is a single object; to let a name denote another use `name X := …`, "
                    "to change its edges write their label after it"
                )
            raise BelvedereError(f"the path of {statement.op} must end in one label, which the new edges get")
        return self.bound.label

    def _ask(self, kind: str, edges: Iterable[tuple[str, str, str]]) -> None:
        for edge in sorted(edges):
            self.session.ask(kind, *edge)


def _python(kind: str, integer: int | None, number: float | None, text: str) -> Any:
    return value_of({"type": kind, "integer": integer, "number": number, "text": text})
