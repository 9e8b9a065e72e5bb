"""Conditions, resolved. A path in a condition is existential; `for all` is `not exists … not`; `in` is `==` or `=`."""

from __future__ import annotations

from dataclasses import replace

from belvedere.errors import ParseError, TypeMismatch
from belvedere.languages.lorel import resolved as r
from belvedere.languages.lorel import syntax as s
from belvedere.languages.lorel.constants import Constant
from belvedere.languages.lorel.resolve_paths import PathResolver
from belvedere.languages.lorel.scopes import Scope


class ConditionResolver(PathResolver):
    nested = False

    def query(self, query: s.Query, outer: Scope | None) -> tuple[r.Query, Scope]:
        raise AssertionError("the resolver says")

    def condition(self, c: s.Condition, scope: Scope) -> r.Condition:
        match c:
            case s.And(parts=parts):
                return r.All(tuple(self.condition(p, scope) for p in parts))
            case s.Or(parts=parts):
                return r.AnyOf(tuple(self.condition(p, scope) for p in parts))
            case s.Not(condition=inner):
                return r.No(self.condition(inner, scope))
            case s.Exists():
                return self._exists(c.variable, c.domain, c.condition, scope)
            case s.ForAll():
                return r.No(self._exists(c.variable, c.domain, s.Not(c.condition), scope))
            case s.Comparison():
                return self._comparison(c, scope)
            case s.Member():
                return self._member(c, scope)

    def _exists(self, variable: str | None, domain: s.Path | s.Query, body: s.Condition | None, scope: Scope) -> r.Condition:
        inner = Scope(scope)
        hops, where, _ = self.domain(domain, inner, variable)
        parts = [p for p in (where, None if body is None else self.condition(body, inner)) if p is not None]
        return some(hops, parts)

    def domain(
        self, domain: s.Path | s.Query, scope: Scope, variable: str | None
    ) -> tuple[tuple[r.Hop, ...], r.Condition | None, str]:
        """Bindings, a condition on them, and the variable that ranges over the domain. `scope` is the one that sees it."""
        if isinstance(domain, s.Path):
            hops: list[r.Hop] = []
            end = self.follow(domain, scope, hops, variable)
            return tuple(hops), None, end
        self.nested = True
        query, _ = self.query(domain, scope)
        if len(query.items) != 1:
            message = f"a query that stands for a set selects one thing, and this selects {len(query.items)}"
            raise self.session.error(domain.at, message)
        item = query.items[0]
        if variable is not None:
            self.session.know(variable, item.variable, scope, domain.at)
        return (*query.hops, *item.hops), query.where, item.variable

    def _comparison(self, c: s.Comparison, scope: Scope) -> r.Condition:
        inner = Scope(scope)
        hops: list[r.Hop] = []
        conditions: list[r.Condition] = []
        left = self.term(c.left, inner, hops, conditions)
        right = self.term(c.right, inner, hops, conditions, proven=c.op != "==" or not _by_oid(c.left))
        if c.op == "==":
            conditions.append(self._same(left, right, c))
        else:
            if c.op == "like" and isinstance(right, Constant) and right.type != "string":
                raise self._at(c.right, 'like takes a pattern in quotes, such as "Thai%"', TypeMismatch)
            if c.op == "like" and not isinstance(right, Constant):
                raise self._at(c.right, 'like takes a constant pattern in quotes, such as "Thai%"', TypeMismatch)
            conditions.append(r.Compare(c.op, left, right))
        return some(tuple(hops), conditions)

    def _same(self, left: r.Term, right: r.Term, c: s.Comparison) -> r.Condition:
        if isinstance(left, r.Object) and isinstance(right, r.Object):
            return r.Same(left.variable, right.variable)
        wrong = c.right if isinstance(left, r.Object) else c.left
        message = "== asks whether two objects are the same one, and this is no object; `=` compares values"
        raise self._at(wrong, message, TypeMismatch)

    def _at(self, value: s.Path | s.Literal | s.Aggregate | s.Query, message: str, kind: type[ParseError]) -> ParseError:
        return self.session.error(value.at, message, kind)

    def _member(self, c: s.Member, scope: Scope) -> r.Condition:
        inner = Scope(scope)
        hops: list[r.Hop] = []
        conditions: list[r.Condition] = []
        element = self.term(c.element, inner, hops, conditions)
        domain = self.term(c.domain, Scope(inner), hops, conditions, proven=not _by_oid(c.element))
        equal = some(tuple(hops), [*conditions, r.Compare("=", element, domain)])
        if not (isinstance(element, r.Object) and isinstance(domain, r.Object)):
            return equal
        return r.AnyOf((some(tuple(hops), [*conditions, r.Same(element.variable, domain.variable)]), equal))

    def term(
        self, value: s.Path | s.Literal | s.Aggregate | s.Query, scope: Scope, hops: list[r.Hop], conditions: list[r.Condition],
        *, proven: bool = True,
    ) -> r.Term:  # fmt: skip
        """What stands on one side of a comparison; the bindings that it needs are added. `proven`: that the comparison holds
        proves that there is such an object."""
        if isinstance(value, s.Literal):
            return value.constant
        if isinstance(value, s.Aggregate):
            inner = Scope(scope)
            own, where, end = self.domain(value.over, inner, None)
            return r.Total(value.function, own, where, end)
        if isinstance(value, s.Path) and not value.steps and not value.start.oid:
            found = scope.find(value.start.text)
            if found is not None and found.label:
                return r.LabelOf(found.unique)
        own, where, end = self.domain(value, scope, None)
        if isinstance(value, s.Path) and proven:
            own = tuple(replace(h, living=False) if isinstance(h, r.Enter) else h for h in own)
        hops.extend(own)
        if where is not None:
            conditions.append(where)
        return r.Object(end)


def _by_oid(value: s.Path | s.Literal | s.Aggregate | s.Query) -> bool:
    return isinstance(value, s.Path) and value.start.oid


def some(hops: tuple[r.Hop, ...], conditions: list[r.Condition]) -> r.Condition:
    """`exists hops: conditions`, in the shortest form."""
    flat: list[r.Condition] = []
    for c in conditions:
        flat.extend(c.parts if isinstance(c, r.All) else [c])
    where = None if not flat else flat[0] if len(flat) == 1 else r.All(tuple(flat))
    if not hops:  # a variable alone is bound, so it reaches something
        return where if where is not None else r.All(())
    if isinstance(where, r.Some):
        return replace(where, hops=(*hops, *where.hops))
    return r.Some(hops, where)
