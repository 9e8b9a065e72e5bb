"""Updates as text → what has to be looked up to carry them out. What then changes is for the graph room to decide.

`update path op source from … where …`: the path without its last step gives the *parents*, the last step their *edges*. Without
from, the parents are the range, so that a condition can speak of them by the same path; and so are the objects at the path's
end, where they or the edges to them are what changes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Aggregate
from belvedere.errors import ParseError
from belvedere.languages.lorel import syntax as s
from belvedere.languages.lorel.assembly import Assembly
from belvedere.languages.lorel.binding import session_of
from belvedere.languages.lorel.frames import Frame, extended
from belvedere.languages.lorel.graph import Graph
from belvedere.languages.lorel.parser import parse_update
from belvedere.languages.lorel.path_reader import without_variables
from belvedere.languages.lorel.resolve import Resolver
from belvedere.languages.lorel.resolve_paths import labels_of
from belvedere.languages.lorel.resolved import Follow, Hop, Same
from belvedere.languages.lorel.scopes import Scope, Session
from belvedere.languages.lorel.where import Where, parts_of
from belvedere.languages.sql.catalog import Names


@dataclass(frozen=True)
class UpdateBound:
    """All nodes give sets. What does not apply is None.

    objects: (oid) that the path of an update reaches; for `name X := …` the objects that a query or a path gives
    parents: (oid) from which the path's last step goes on, whether or not such an edge is there
    edges: (parent, label, target) along the last step; for `-=` those to what a query or a path on the right gives
    within: further edges, for `-=` where the path itself is ranged over: none but these go
    label: the label of the last step; None for a pattern or a choice, with which edges can be removed but not added
    pairs: (parent, oid): the objects that a query or a path on the right gives, for each parent
    """

    statement: s.Statement
    objects: Node | None = None
    parents: Node | None = None
    edges: Node | None = None
    label: str | None = None
    pairs: Node | None = None
    within: Node | None = None


def bind_update(text: str, names: Names) -> UpdateBound:
    """Read an update and look up its names; errors carry line, column and a caret."""
    statement = parse_update(text)
    try:
        return _Binder(session_of(text, names), names).bound(statement)
    except RecursionError:
        raise ParseError("the text is nested too deeply", text=text) from None


class _Binder:
    def __init__(self, session: Session, names: Names) -> None:
        self.session = session
        self.graph = Graph(names, session)
        self.where = Where(self.graph)
        self.resolver = Resolver(session)

    def bound(self, statement: s.Statement) -> UpdateBound:
        if isinstance(statement, s.Update):
            return self._update(statement)
        if isinstance(statement, s.SetName) and isinstance(statement.source, (s.Query, s.Path)):
            frame, end = self._source(statement.source, Scope(), None)
            return UpdateBound(statement, objects=_set(frame, oid=end))
        return UpdateBound(statement)

    def _update(self, statement: s.Update) -> UpdateBound:
        path, scope = self._plain(statement.path), Scope()
        statement = replace(statement, path=path)
        ranges = statement.ranges or self._own_ranges(statement)
        hops = self.resolver.ranges(ranges, scope)
        condition = None if statement.where is None else self.resolver.condition(statement.where, scope)
        frame = Assembly(self.where, None).build(hops, parts_of(condition))
        assert frame is not None, "a range begins at a root"
        whole, end = self._along(path, scope, frame)
        made = UpdateBound(statement, objects=_set(whole, oid=end))
        return self._last_step(made, statement, scope, frame, end) if path.steps else made

    def _own_ranges(self, statement: s.Update) -> tuple[s.Range, ...]:
        """What an update without from ranges over."""
        path = statement.path
        found = [s.Range(replace(path, steps=path.steps[:-1]), None, at=path.at)]
        changed = statement.op == "-=" or (statement.op == ":=" and isinstance(statement.source, s.Literal))
        if changed and path.steps:
            found.append(s.Range(path, None, at=path.at))
        return tuple(found)

    def _last_step(self, made: UpdateBound, statement: s.Update, scope: Scope, frame: Frame, end: str) -> UpdateBound:
        """Parents and edges, and what each parent is to get."""
        path = statement.path
        labels = labels_of(path.steps[-1:])
        parents, parent = self._along(replace(path, steps=path.steps[:-1]), scope, frame)
        if labels is None:
            return replace(made, parents=_set(parents, oid=parent))
        exact = labels[0].text if len(labels) == 1 and not labels[0].pattern else None
        made = replace(made, parents=_set(parents, oid=parent), label=exact)
        if not isinstance(statement.source, (s.Query, s.Path)):
            return replace(made, edges=self._edges(parents, parent, labels, end))
        with_source, given = self._source(statement.source, scope, parents)
        if statement.op != "-=":
            pairs = _set(with_source, parent=parent, oid=given)
            return replace(made, edges=self._edges(parents, parent, labels, end), pairs=pairs)
        # only pairs with an edge count, and there may be very many without
        gone = self._edges(with_source, parent, labels, given)
        narrower = self._edges(parents, parent, labels, end) if end in parents.columns else None
        return replace(made, edges=gone, within=narrower)

    def _edges(self, frame: Frame, parent: str, labels: tuple[s.Label, ...], end: str) -> Node:
        """The edges from a variable with one of the labels; if `end` is bound, those to what it stands for."""
        target, label = self.session.unique("target"), self.session.unique("label")
        edges = extended(frame, (Follow(parent, labels, target, label),), self.graph)
        assert edges is not None
        if end in edges.columns:
            edges = self.where.holds(edges, Same(target, end))
        return _set(edges, parent=parent, label=label, target=target)

    def _plain(self, path: s.Path) -> s.Path:
        """The path, which is gone along twice, so that it binds nothing."""
        bound = next((p for p in path.steps if without_variables(p) != p), None)
        if bound is not None:
            raise self.session.error(bound.at, "the path of an update binds no variables; bind them in from")
        return path

    def _along(self, path: s.Path, scope: Scope, frame: Frame) -> tuple[Frame, str]:
        own: list[Hop] = []
        end = self.resolver.follow(path, scope, own)
        wider = extended(frame, tuple(own), self.graph)
        assert wider is not None, "every path begins at a variable or a root"
        return wider, end

    def _source(self, source: s.Query | s.Path, scope: Scope, frame: Frame | None) -> tuple[Frame, str]:
        """The bindings with what the source gives for each of them."""
        own, condition, end = self.resolver.domain(source, Scope(scope), None)
        wider = Assembly(self.where, None, frame).build(own, parts_of(condition)) if own else frame
        assert wider is not None, "every path begins at a variable or a root"
        return wider, end


def _set(frame: Frame, **columns: str) -> Node:
    """The distinct bindings of some variables, under these names."""
    return Aggregate(frame.node, tuple((name, frame.scalar(variable)) for name, variable in columns.items()), ())
