"""What the interpreter's parts share: a piece of a query with its type, what names are visible, and who handles which form.

The interpreter walks the tree once for the types, which tell nil from UNDEFINED and an empty collection from nothing, and
gives a Python function from the values of the variables to the value. There is no plan and no index: selects are loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.oqlfuzz.data import Bunch
from tests.oqlfuzz.kinds import NOTHING, Coll, Dictionary, Enum, Prim, Ref, Struct, Type, is_number
from tests.oqlfuzz.schema import Schema
from tests.oqlfuzz.world import World

from belvedere.languages.oql import ast

Values = dict[str, Any]
Run = Callable[[Values], Any]


class Untyped(Exception):
    """The tree makes no sense, or is outside of what the reference speaks."""


@dataclass(frozen=True)
class Code:
    """A piece of a query. A collection is never UNDEFINED: what is reached through nil is empty."""

    type: Type
    run: Run

    def items(self, values: Values) -> tuple[Any, ...]:
        found = self.run(values)
        assert isinstance(found, Bunch)
        return found.items


def code(t: Type, run: Run) -> Code:
    if isinstance(t, Coll):
        kind = t.kind

        def never_nothing(values: Values) -> Any:
            found = run(values)
            return Bunch(kind, ()) if found is None else found

        return Code(t, never_nothing)
    return Code(t, run)


@dataclass(frozen=True)
class Scope:
    """The variables in sight. Bare attributes are looked for in `ranging`, the variables that iterators declare."""

    types: dict[str, Type] = field(default_factory=dict)
    ranging: tuple[str, ...] = ()

    def plus(self, more: dict[str, Type], ranging: Iterable[str] = ()) -> Scope:
        kept = [v for v in self.ranging if v not in more]
        return Scope({**self.types, **more}, (*kept, *ranging))


@dataclass
class Context:
    """What the names outside of the query mean, now: the objects, views already evaluated, and definitions."""

    schema: Schema
    world: World
    view_types: dict[str, Type] = field(default_factory=dict)
    view_values: dict[str, Any] = field(default_factory=dict)
    definitions: dict[str, ast.Define] = field(default_factory=dict)

    def code(self, node: ast.Expr, scope: Scope) -> Code:
        handler = HANDLERS.get(type(node))
        if handler is None:
            raise Untyped(f"no meaning for {type(node).__name__}")
        return handler(self, node, scope)

    def coll(self, node: ast.Expr, scope: Scope) -> tuple[Code, Coll]:
        found = self.code(node, scope)
        if not isinstance(found.type, Coll):
            raise Untyped(f"{found.type} is no collection")
        return found, found.type

    def compared(self, op: str, a: Type, b: Type) -> Type:
        """The type that two values are compared as. No object is of two classes that have none below both."""
        objects = op in ("=", "!=", "<>") and isinstance(a, Ref) and isinstance(b, Ref)
        if objects and not set(self.schema.below(a.cls)) & set(self.schema.below(b.cls)):
            raise Untyped(f"no {a} is a {b}")
        return self.common(a, b)

    def common(self, a: Type, b: Type) -> Type:
        """The type of what may be either."""
        if a == b or b == NOTHING:
            return a
        if a == NOTHING:
            return b
        match a, b:
            case Prim(), Prim() if is_number(a) and is_number(b):
                return a if a.kind == "double" else b
            case Prim(kind=x), Prim(kind=y) if x == y:
                return a
            case (Enum(), Prim(kind="string")) | (Prim(kind="string"), Enum()):
                return b if isinstance(a, Enum) else a
            case Ref(cls=x), Ref(cls=y):
                shared = [c for c in self.schema.above(x) if c in self.schema.above(y)]
                if shared:
                    return Ref(shared[0])
            case Coll(kind=x), Coll(kind=y) if x == y:
                return Coll(x, self.common(a.element, b.element))
            case Struct(fields=x), Struct(fields=y) if [n for n, _ in x] == [n for n, _ in y]:
                return Struct(tuple((n, self.common(s, t)) for (n, s), (_, t) in zip(x, y, strict=True)))
            case Dictionary(), Dictionary():
                return Dictionary(self.common(a.key, b.key), self.common(a.value, b.value))
        raise Untyped(f"{a} does not go with {b}")


N = TypeVar("N", bound=ast.Expr)
HANDLERS: dict[type[ast.Expr], Callable[[Context, Any, Scope], Code]] = {}


def handles(form: type[N]) -> Callable[[Callable[[Context, N, Scope], Code]], Callable[[Context, N, Scope], Code]]:
    """Make a function the meaning of a form of the syntax."""

    def register(function: Callable[[Context, N, Scope], Code]) -> Callable[[Context, N, Scope], Code]:
        assert form not in HANDLERS, f"two meanings of {form.__name__}"
        HANDLERS[form] = function
        return function

    return register
