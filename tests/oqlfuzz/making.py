"""Random typed OQL: the core that the makers of each form share.

A maker is asked for an expression of a type, in a scope, with some depth left, and gives a tree or finds that it cannot.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.oqlfuzz.coding import Context, Scope
from tests.oqlfuzz.estimate import cost, width
from tests.oqlfuzz.kinds import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    Coll,
    Dictionary,
    Enum,
    Prim,
    Ref,
    Struct,
    Type,
    kind,
)
from tests.oqlfuzz.random_updates import DOMAINS

from belvedere.languages.oql import ast

DEAREST = 4_000
STEPS = (2, 2, 2, 2, 3)


class Stuck(Exception):
    """No expression of that type can be made here."""


Make = Callable[["Maker", Type, Scope, int], ast.Expr]
MAKERS: dict[str, list[tuple[int, Make]]] = {}


def makes(*kinds: str, weight: int = 2) -> Callable[[Make], Make]:
    """A maker of expressions whose type is of these kinds; `any` for every kind."""

    def register(make: Make) -> Make:
        for k in kinds:
            MAKERS.setdefault(k, []).append((weight, make))
        return make

    return register


@dataclass
class Maker:
    """`sizes`: how many rows a name has at most; `calls`: defined queries by the type they give; `widest`: how many joins a
    view may mean."""

    rng: random.Random
    context: Context
    sizes: dict[str, int]
    relations: tuple[str, ...] = ()
    calls: dict[str, Type] = field(default_factory=dict)
    widest: int = 20
    names: int = 0
    anonymous: bool = False
    #: of each class, its properties and the classes above it: they are asked for at every step of every path
    known: dict[str, tuple[list[tuple[str, Type]], frozenset[str]]] = field(default_factory=dict)

    def fresh(self, letter: str = "i") -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def expr(self, want: Type, scope: Scope, depth: int) -> ast.Expr:
        if depth <= 0 or self.rng.random() < (0.05 if want == BOOLEAN else 0.2):
            try:
                return self.leaf(want, scope)
            except Stuck:
                if depth <= -2:
                    raise
        options = MAKERS.get(kind(want), []) + MAKERS["any"]
        for _ in range(8):
            make = self.rng.choices([m for _, m in options], [w for w, _ in options])[0]
            try:
                made = make(self, want, scope, depth - 1)
            except Stuck:
                continue
            if width(made) <= self.widest and cost(made, self.sizes) <= DEAREST:
                return made
        return self.leaf(want, scope)

    def condition(self, scope: Scope, depth: int) -> ast.Expr:
        """For where and having, which may go deeper than what is around them."""
        return self.expr(BOOLEAN, scope, max(depth, 0) + self.rng.choice([0, 1, 1]))

    def leaf(self, want: Type, scope: Scope) -> ast.Expr:
        """A path, a literal, an extent, or the plainest constructor."""
        paths = list(self.paths(want, scope))
        if paths and self.rng.random() < 0.92:
            return self.short(paths)
        match want:
            case Prim(kind="boolean") if self.rng.random() < 0.85:
                near = [(e, t) for e, t in self.reach(scope) if kind(t) in DOMAINS]
                if near:
                    e, t = self.rng.choice(near)
                    return ast.Binary(self.rng.choice(["=", "!="]), e, self.literal(t))
                return self.literal(want)
            case Prim() | Enum():
                return self.literal(want)
            case Struct(fields=fields):
                return ast.Struct(tuple((n, self.leaf(t, scope)) for n, t in fields))
            case Coll(kind="set", element=Ref(cls=cls)) if self.rng.random() < 0.8:
                below = [e for e, c in self.context.schema.extents().items() if c in self.context.schema.below(cls)]
                if below:
                    return ast.Name(self.rng.choice(below))
            case Coll():
                found = self.plain_select(want, scope) if self.rng.random() < 0.6 else None
                return found or self.constructor(want, lambda: self.leaf(want.element, scope))
        if paths:
            return self.short(paths)
        raise Stuck(str(want))

    def short(self, paths: list[ast.Expr]) -> ast.Expr:
        """One of them, seldom a long one: every step is a join in the product, and the change of a join is two."""
        return self.rng.choices(paths, [0.25 ** width(p) for p in paths])[0]

    def plain_select(self, want: Coll, scope: Scope) -> ast.Expr | None:
        """What the members of some collection in reach, or of an extent, lead to."""
        if want.kind not in ("set", "bag"):
            return None
        domains: list[tuple[ast.Expr, Type]] = [(e, t.element) for e, t in self.reach(scope) if isinstance(t, Coll)]
        domains += [(ast.Name(e), Ref(c)) for e, c in self.context.schema.extents().items()]
        domain, t = self.rng.choice(domains)
        v = self.fresh()
        paths = list(self.paths(want.element, Scope({v: t}, (v,))))
        if not paths:
            return None
        return ast.Select((ast.Item(self.short(paths)),), (ast.Iterator(domain, v),), distinct=want.kind == "set")

    def constructor(self, want: Coll, item: Callable[[], ast.Expr]) -> ast.Expr:
        kind_of: ast.CollectionWord = want.kind  # type: ignore[assignment]
        return ast.Collection(kind_of, tuple(item() for _ in range(self.rng.choice([1, 1, 2, 2, 3]))))

    def literal(self, t: Type) -> ast.Expr:
        if isinstance(t, Enum):
            return ast.Literal("string", self.rng.choice(t.members))
        assert isinstance(t, Prim)
        value = self.rng.choice(DOMAINS[t.kind])
        match t.kind:
            case "int":
                return ast.Literal("integer", value)
            case "double":
                return ast.Literal("float", value)
            case "date":
                return ast.Literal("date", value.isoformat())
            case "timestamp":
                return ast.Literal("timestamp", value.isoformat(" "))
            case "boolean":
                return ast.Literal("boolean", value)
        return ast.Literal("string", value)

    # paths

    def paths(self, want: Type, scope: Scope) -> Iterator[ast.Expr]:
        """Every way from a variable to something of that type, of a few steps."""
        for e, t in self.reach(scope):
            if self.fits(t, want):
                yield e

    def reach(self, scope: Scope) -> Iterator[tuple[ast.Expr, Type]]:
        steps = self.rng.choice(STEPS)
        for v, t in scope.types.items():
            if not v.startswith("?"):
                yield ast.Name(v), t
            yield from self._onward(ast.Name(v), t, scope, steps)

    def _onward(self, base: ast.Expr, t: Type, scope: Scope, steps: int) -> Iterator[tuple[ast.Expr, Type]]:
        for n, pt in self.parts(t):
            made: ast.Expr = ast.Path(base, n)
            if isinstance(base, ast.Name) and base.name in scope.types:
                bare = self.is_bare(base.name, n, scope)
                if base.name.startswith("?") and not bare:
                    continue
                if bare and (base.name.startswith("?") or self.rng.random() < 0.1):
                    made = ast.Name(n)
            yield made, pt
            if steps > 1:
                yield from self._onward(made, pt, scope, steps - 1)

    def parts(self, t: Type) -> list[tuple[str, Type]]:
        match t:
            case Ref(cls=cls):
                return self._class(cls)[0]
            case Struct(fields=fields):
                return list(fields)
        return []

    def _class(self, cls: str) -> tuple[list[tuple[str, Type]], frozenset[str]]:
        found = self.known.get(cls)
        if found is None:
            schema = self.context.schema
            found = self.known[cls] = [(n, p.type) for n, p in schema.props(cls).items()], frozenset(schema.above(cls))
        return found

    def is_bare(self, variable: str, n: str, scope: Scope) -> bool:
        """Whether the attribute can be said without its variable."""
        if variable not in scope.ranging or n in scope.types or n in self.sizes or n in self.calls:
            return False
        return sum(1 for v in scope.ranging for name, _ in self.parts(scope.types[v]) if name == n) == 1

    def fits(self, found: Type, want: Type) -> bool:
        match found, want:
            case Prim(kind=a), Prim(kind=b):
                return a == b
            case Ref(cls=a), Ref(cls=b):
                return b in self._class(a)[1]
            case Coll(), Coll():
                return found.kind == want.kind and self.fits(found.element, want.element)
            case Struct(fields=a), Struct(fields=b):
                same = [n for n, _ in a] == [n for n, _ in b]
                return same and all(self.fits(x, y) for (_, x), (_, y) in zip(a, b, strict=True))
        return found == want

    # types

    def flat_type(self, scope: Scope, *, refs: bool = True, orderable: bool = False) -> Type:
        """A type without parts, mostly of something in reach."""
        allowed = ["int", "double", "string", "date", "timestamp", "enum"] + ([] if orderable else ["boolean"])
        allowed += ["ref"] if refs and not orderable else []
        if self.rng.random() < 0.85:
            near = [t for _, t in self.reach(scope) if kind(t) in allowed]
            if near:
                return self.rng.choice(near)
        chosen: list[Type] = [INT, INT, INT, INT, DOUBLE, STRING, STRING, DATE, TIMESTAMP]
        if not orderable:
            chosen.append(BOOLEAN)
        return self.rng.choice(chosen)

    def any_type(self, scope: Scope, depth: int) -> Type:
        """Any type: mostly flat; sometimes a struct or a collection, never a dictionary."""
        if self.calls and self.rng.random() < 0.2:
            return self.rng.choice(list(self.calls.values()))
        roll = self.rng.random()
        if roll < 0.65 or depth <= 0:
            return self.flat_type(scope)
        if roll < 0.7:
            parts = [p for p in self.parts(Ref(self.rng.choice(list(self.context.schema.classes)))) if kind(p[1]) != "dictionary"]
            return Struct(tuple(self.rng.sample(parts, self.rng.randint(1, min(2, len(parts))))))
        if roll < 0.8:
            count = self.rng.choice([1, 2, 2, 3])
            return Struct(tuple((self.fresh("f"), self.any_type(scope, depth - 2)) for _ in range(count)))
        near = [t for _, t in self.reach(scope) if isinstance(t, Coll)]
        if near and roll < 0.9:
            return self.rng.choice(near)
        return Coll(self.rng.choice(["set", "bag", "bag", "list"]), self.any_type(scope, depth - 2))


def plain(t: Type) -> bool:
    """Whether values of the type have an order that says all: primitives, and structs of them."""
    match t:
        case Prim() | Enum():
            return True
        case Struct(fields=fields):
            return all(plain(f) for _, f in fields)
    return False


def holds(t: Type, want: type[Type]) -> bool:
    match t:
        case Struct(fields=fields):
            return isinstance(t, want) or any(holds(f, want) for _, f in fields)
        case Coll(element=e):
            return isinstance(t, want) or holds(e, want)
        case Dictionary(key=k, value=v):
            return isinstance(t, want) or holds(k, want) or holds(v, want)
    return isinstance(t, want)
