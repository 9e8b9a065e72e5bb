"""Syntax tree → resolved form: from written out, a variable for the end of every path, paths in conditions existential."""

from __future__ import annotations

from belvedere.errors import ParseError, Unsupported
from belvedere.languages.lorel import resolved as r
from belvedere.languages.lorel import syntax as s
from belvedere.languages.lorel.omitted import written_out
from belvedere.languages.lorel.path_reader import without_variables
from belvedere.languages.lorel.resolve_conditions import ConditionResolver
from belvedere.languages.lorel.scopes import Known, Scope, Session


def resolve_view(view: s.View, session: Session) -> r.View:
    resolver = Resolver(session)
    query, scope = resolver.query(view.query, None)
    adjunct = resolver.adjunct(view, query, scope) if view.with_ else ()
    return r.View(query, adjunct, view.title, resolver.nested)


class Resolver(ConditionResolver):
    def query(self, query: s.Query, outer: Scope | None) -> tuple[r.Query, Scope]:
        query = written_out(query, self.session, outer)
        scope = Scope(outer)
        hops = self.ranges(query.ranges, scope)
        where = None if query.where is None else self.condition(query.where, scope)
        return r.Query(hops, where, tuple(self._item(i, scope, hops) for i in query.items)), scope

    def ranges(self, ranges: tuple[s.Range, ...], scope: Scope) -> tuple[r.Hop, ...]:
        hops: list[r.Hop] = []
        for one in ranges:
            self._range(one, scope, hops)
        return tuple(hops)

    def _range(self, one: s.Range, scope: Scope, hops: list[r.Hop]) -> None:
        entered = len(hops)
        end = self.follow(one.path, scope, hops, one.variable)
        for hop in hops[entered:]:
            if isinstance(hop, r.Enter):
                scope.roots.setdefault((hop.root, hop.oid), hop.target)
        if one.variable is None:
            steps = tuple(without_variables(step) for step in one.path.steps)
            scope.paths.append(Known(one.path.start.text, steps, end))

    def _item(self, item: s.Item, scope: Scope, hops: tuple[r.Hop, ...]) -> r.Item:
        value = item.value
        if not isinstance(value, s.Path):
            message = "select gives objects: a variable or a path; a value that is made anew is no object of the database"
            raise self.session.error(item.at, message, Unsupported)
        found = scope.find(value.start.text) if not value.start.oid else None
        if found is not None and found.label:
            message = f"'{value.start.text}' is bound to a label, which is no object to select"
            raise self.session.error(item.at, message, Unsupported)
        own: list[r.Hop] = []
        end = self.follow(value, scope, own)
        return r.Item(tuple(own), end, item.label if item.label is not None else _label(end, value, (*hops, *own)))

    def adjunct(self, view: s.View, query: r.Query, scope: Scope) -> tuple[r.Hop, ...]:
        """The hops of the with clause. A path begins with a selected object, as variable or as path, or goes on from another."""
        inner = Scope()
        for written, item in zip(view.query.items, query.items, strict=True):
            assert isinstance(written.value, s.Path)
            path = written.value
            inner.paths.append(Known(path.start.text, tuple(without_variables(p) for p in path.steps), item.variable))
            for name, variable in scope.variables.items():
                if variable.unique == item.variable:
                    inner.variables[name] = variable
        for known in scope.paths:
            if any(known.variable == i.variable for i in query.items):
                inner.paths.append(known)
        hops: list[r.Hop] = []
        for one in view.with_:
            before, begin = len(hops), one.path.start.text
            if begin in scope.variables and begin not in inner.variables and not self.session.again(one.path, inner):
                raise self._not_selected(one.path, inner)
            end = self.follow(one.path, inner, hops, one.variable)
            if any(isinstance(h, r.Enter) for h in hops[before:]):
                raise self._not_selected(one.path, inner)
            if one.variable is None:
                inner.paths.append(Known(one.path.start.text, tuple(without_variables(p) for p in one.path.steps), end))
        return tuple(hops)

    def _not_selected(self, path: s.Path, inner: Scope) -> ParseError:
        selected = ", ".join(f"'{n}'" for n in inner.variables) or "the selected path"
        message = f"a path of with begins at an object that select gives, {selected}; '{path.start.text}' is none"
        return self.session.error(path.at, message)


def _label(end: str, path: s.Path, hops: tuple[r.Hop, ...]) -> str:
    """The label of an item without `as`: of the last step that leads to it, else its variable's name."""
    for hop in hops:
        if hop.target == end:
            if isinstance(hop, r.Enter):
                return path.start.text.lstrip("&")
            if isinstance(hop, r.Follow) and len(hop.labels) == 1 and not hop.labels[0].pattern:
                return hop.labels[0].text
            if isinstance(hop, r.Walk) and isinstance(last := hop.steps[-1], s.Step) and not last.label.pattern:
                return last.label.text
    return path.start.text.lstrip("&") if not path.steps else "object"
