"""What a name in OQL can mean: a variable, an attribute of one, a collection, a defined query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from belvedere.languages.oql.calculus import Proj, Term
from belvedere.languages.oql.otypes import matching
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import OType, Ref, StructType


def properties(t: OType, model: ObjectModel) -> dict[str, OType]:
    """What can follow a point."""
    if isinstance(t, Ref):
        return {p.name: p.type for p in model.properties(t.cls)}
    return dict(t.fields) if isinstance(t, StructType) else {}


@dataclass
class Scope:
    """The variables of one select, in order, inside those around it. Variables without a name of their own only lend their
    attributes. `grouped` marks the inside of a group by, in which count(*) counts the partition."""

    model: ObjectModel
    outer: Scope | None = None
    named: dict[str, Term] = field(default_factory=dict)
    nameless: list[Term] = field(default_factory=list)
    grouped: Term | None = None

    def inner(self) -> Scope:
        return Scope(self.model, self)

    def around(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def variable(self, name: str) -> Term | None:
        for scope in self.around():
            found = matching(name, list(scope.named))
            if found is not None:
                return scope.named[found]
        return None

    def attributes(self, name: str) -> list[Term]:
        """The attributes of that name of the nearest variables that have one; more than one is ambiguous."""
        for scope in self.around():
            if scope.grouped is not None:
                continue
            found: list[Term] = []
            for v in (*scope.named.values(), *scope.nameless):
                known = properties(v.type, self.model)
                exact = matching(name, list(known))
                if exact is not None:
                    found.append(Proj(known[exact], v, exact))
            if found:
                return found
        return []

    def partition(self) -> Term | None:
        return next((s.grouped for s in self.around() if s.grouped is not None), None)

    def visible(self) -> list[str]:
        return [n for s in self.around() for n in s.named]
