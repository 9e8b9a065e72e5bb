"""The reference: what the views of a case hold, evaluated directly over the plain world."""

from __future__ import annotations

from typing import Any

from tests.oqlfuzz import coding_atoms, coding_operators, coding_select
from tests.oqlfuzz.case import ViewSpec
from tests.oqlfuzz.coding import HANDLERS, Code, Context, Scope
from tests.oqlfuzz.data import Bunch, Rec, bunch
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
            self.context.view_types[v.name] = as_relation(found.type)

    def values(self, world: World) -> dict[str, Any]:
        """The value of each view over the objects as they are."""
        self.context.world = world
        found = {}
        for name, c in self.codes.items():
            found[name] = c.run({})
            self.context.view_values[name] = rows_of(found[name], self.types[name])
        return found


def as_relation(t: Type) -> Coll:
    """The type that a view has for those that read it: a bag of structs, one for each row."""
    element = t.element if isinstance(t, Coll) else t
    return Coll("bag", element if isinstance(element, Struct) else Struct((("value", element),)))


def rows_of(value: Any, t: Type) -> Bunch:
    items = value.items if isinstance(t, Coll) else (value,)
    element = t.element if isinstance(t, Coll) else t
    return bunch("bag", items if isinstance(element, Struct) else [Rec((("value", v),)) for v in items])
