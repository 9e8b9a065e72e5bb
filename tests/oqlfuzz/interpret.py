"""The reference: what the views of a case hold, evaluated directly over the plain world."""

from __future__ import annotations

from typing import Any

from tests.oqlfuzz import coding_atoms, coding_operators, coding_select
from tests.oqlfuzz.case import ViewSpec
from tests.oqlfuzz.coding import HANDLERS, Code, Context, Scope
from tests.oqlfuzz.data import Rec, bunch
from tests.oqlfuzz.kinds import Coll, Struct, Type
from tests.oqlfuzz.schema import Schema
from tests.oqlfuzz.world import World

from belvedere.languages.oql import ast

PARTS = (coding_atoms, coding_operators, coding_select)
assert HANDLERS, PARTS


def program_code(context: Context, program: ast.Program) -> Code:
    """The query of a program, with its definitions; without one, the last definition."""
    for d in program.definitions:
        if isinstance(d, ast.Define):
            context.definitions[d.name] = d
        else:
            del context.definitions[d.name]
    query = program.query
    if query is None:
        last = program.definitions[-1]
        assert isinstance(last, ast.Define)
        query = last.body
    return context.code(query, Scope())


class Reference:
    """The views of a case, typed once, evaluated as often as asked."""

    def __init__(self, schema: Schema, views: tuple[ViewSpec, ...]) -> None:
        self.context = Context(schema, World(schema))
        self.codes: dict[str, Code] = {}
        self.types: dict[str, Type] = {}
        for v in views:
            self.context.definitions = {}
            found = program_code(self.context, v.program)
            self.codes[v.name], self.types[v.name] = found, found.type
            self.context.view_types[v.name] = as_read(found.type)

    def values(self, world: World) -> dict[str, Any]:
        """The value of each view over the objects as they are."""
        self.context.world = world
        found = {}
        for name, c in self.codes.items():
            found[name] = c.run({})
            self.context.view_values[name] = value_read(in_rows(found[name], self.types[name]), self.types[name])
        return found


def in_rows(value: Any, t: Type) -> Any:
    """What a view shows: an UNDEFINED struct that is a row of its own is a row of UNDEFINED fields."""
    if isinstance(t, Coll) and isinstance(t.element, Struct) and value is not None:
        return bunch(t.kind, (_row(m, t.element) for m in value.items))
    return _row(value, t) if isinstance(t, Struct) else value


def _row(value: Any, t: Struct) -> Any:
    return Rec(tuple((n, None) for n, _ in t.fields)) if value is None else value


def as_read(t: Type) -> Type:
    """The type that a view has in a query: its own, but a list has no order there."""
    return Coll("bag", t.element) if isinstance(t, Coll) and t.ordered else t


def value_read(value: Any, t: Type) -> Any:
    return bunch("bag", value.items) if isinstance(t, Coll) and t.ordered else value


def rows_of(value: Any, t: Type) -> list[Rec]:
    """The rows of a view: one for each member, or one; what is no struct stands in the column `value`."""
    items = value.items if isinstance(t, Coll) else (value,)
    element = t.element if isinstance(t, Coll) else t
    return list(items) if isinstance(element, Struct) else [Rec((("value", v),)) for v in items]


def columns_of(t: Type) -> tuple[tuple[str, Type], ...]:
    element = t.element if isinstance(t, Coll) else t
    return element.fields if isinstance(element, Struct) else (("value", element),)
