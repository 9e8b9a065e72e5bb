"""What the variables of a view range over in a world: assignments of names, and whether they make sense.

A schema variable stands for a database (its name), a relation (its table) or an attribute (its column). Conditions on names alone
decide what a variable ranges over before anything else is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.schemafuzz.scalars import value
from tests.schemafuzz.tree import (
    SCHEMA,
    Agg,
    Attributes,
    Cell,
    Const,
    Databases,
    Expr,
    Field,
    Item,
    Lit,
    Name,
    Op,
    Query,
    Ref,
    Relations,
    Tuples,
    Values,
    Var,
    names_used,
    nodes,
)
from tests.schemafuzz.world import Column, Table, World

Env = dict[str, Any]
NUMBERS = ("int", "bigint", "double")
LOGIC = ("and", "or", "not")
COMPARISONS = ("=", "<>", "<", ">", "<=", ">=", "in", "not in", "is not distinct from")
ARITHMETIC = ("+", "-", "*", "abs")


class Invalid(Exception):
    """The view has no content in this world. `kind` says why."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Avoid(Exception):
    """A world in which what the view means is not settled; the random kit goes around it."""


@dataclass(frozen=True)
class Memory:
    """What the names in the text meant, by permanent number, when the view was last seen to be in order."""

    tables: dict[tuple[str, str], int] = field(default_factory=dict)
    columns: dict[tuple[int, str], int] = field(default_factory=dict)


class Ranges:
    """A query over a world."""

    def __init__(self, world: World, query: Query, memory: Memory) -> None:
        self.world = world
        self.query = query
        self.memory = memory
        self.learned = Memory(dict(memory.tables), dict(memory.columns))
        names = query.schema_vars
        self.static = [c for c in query.where if names_used(c) and names_used(c) <= names]
        self.dynamic = [c for c in query.where if c not in self.static]

    def relation(self, db: Name | None, rel: Name, env: Env) -> Table | None:
        """The table that a range means; None if a variable's value names none."""
        if isinstance(rel, Const) and not isinstance(db, Ref):
            return self._written(db.name if db else "", rel.name)
        base = env[db.var].name if isinstance(db, Ref) else db.name if db else ""
        if isinstance(rel, Const):
            return self._under_variable(base, rel.name)
        return next((t for t in self.world.tables if (t.db, t.name) == (base, env[rel.var].name)), None)

    def _written(self, db: str, rel: str) -> Table:
        key = (db.lower(), rel.lower())
        found = self.world.numbered(self.memory.tables.get(key)) or self.world.table(db, rel)
        if found is None:
            raise Invalid("unknown relation", f"{db}::{rel}")
        self.learned.tables[key] = found.number
        return found

    def _under_variable(self, db: str, rel: str) -> Table | None:
        key = (db.lower(), rel.lower())
        before = self.world.numbered(self.memory.tables.get(key))
        found = self.world.table(db, rel)
        if before is not None and before != found:
            raise Avoid("a relation under a database variable was renamed")
        if found is not None:
            self.learned.tables[key] = found.number
        return found

    def column(self, table: Table, attr: Name, env: Env) -> Column | None:
        """The column of the table that an attribute means; a constant follows renames, a variable gives names of now."""
        if isinstance(attr, Ref):
            return next((c for c in table.columns if c.name == env[attr.var].name), None)
        key = (table.number, attr.name.lower())
        found = table.numbered(self.memory.columns.get(key)) or table.column(attr.name)
        if found is not None:
            self.learned.columns[key] = found.number
        return found

    def assignments(self, wanted: frozenset[str] | None = None) -> list[Env]:
        """All values of the schema variables (those wanted, and those they depend on) that the conditions on names admit."""
        names = self.query.schema_vars if wanted is None else self.closure(wanted) & self.query.schema_vars
        envs: list[Env] = [{}]
        for item in self.query.items:
            if item.var in names:
                envs = [e | {item.var: v} for e in envs for v in self._values(item, e)]
                tests = [c for c in self.static if item.var in names_used(c) and all(names_used(c) <= set(e) for e in envs)]
                envs = [e for e in envs if all(self.holds(c, e) for c in tests)]
        return envs

    def _values(self, item: Item, env: Env) -> list[Any]:
        match item.range:
            case Databases():
                return [Column(0, n, "string") for n in self.world.databases()]
            case Relations(db=db):
                return list(self.world.relations(env[db.var].name if isinstance(db, Ref) else db.name if db else ""))
            case Attributes(db=db, rel=rel):
                table = self.relation(db, rel, env)
                return [] if table is None else list(table.columns)
        raise AssertionError(item)

    @staticmethod
    def holds(condition: Expr, env: Env) -> bool:
        return value(condition, lambda e: env[e.name].name) is True

    def closure(self, names: frozenset[str]) -> frozenset[str]:
        """The variables and all that their ranges mention."""
        found = set(names)
        for item in reversed(self.query.items):
            if item.var in found:
                found |= names_used(item.range)
        return frozenset(found)

    def tables_of(self, item: Item) -> list[tuple[Env, Table]]:
        """What the range of a tuple variable (or of a domain variable over a relation) stands for."""
        r = item.range
        assert isinstance(r, Tuples | Values)
        found = ((e, self.relation(r.db, r.rel, e)) for e in self.assignments(frozenset({item.var})))
        return [(e, t) for e, t in found if t is not None]

    def check(self) -> None:
        """Every attribute that is used exists wherever it is used, and has one type."""
        for item in self.query.items:
            if isinstance(item.range, SCHEMA):
                self.assignments(frozenset({item.var}))
        for used in self._uses():
            self._type(*used)
        self._check_kinds()
        header = self.query.header
        for n in () if header is None else (header.name, *header.attrs):
            if isinstance(n, Ref) and self.type_of(n.var) == "double":
                raise Invalid("types", f"{n.var} is a double and cannot be a name")

    def _check_kinds(self) -> None:
        """What is left under a variable may be of another type than the condition was written for, even while all of it is NULL:
        text is no truth, and neither compared with numbers nor reckoned with."""
        for n in nodes(self.query):
            if isinstance(n, Op):
                kinds = {self._kind(a) for a in n.args} - {None}
                if (n.op in LOGIC and kinds - {"boolean"}) or (n.op in COMPARISONS and len(kinds) > 1):
                    raise Avoid(f"{n.op} over {sorted(map(str, kinds))}")
                if n.op in ARITHMETIC and kinds - {"number"}:
                    raise Avoid(f"{n.op} over {sorted(map(str, kinds))}")
            if isinstance(n, Agg) and n.fn in ("sum", "avg") and n.arg is not None and self._kind(n.arg) not in (None, "number"):
                raise Avoid(f"{n.fn} over what is no number")

    def _kind(self, e: Expr) -> str | None:
        """number, string, boolean, …; None where that is not known."""
        match e:
            case Lit(value=v):
                return None if v is None else "boolean" if isinstance(v, bool) else "string" if isinstance(v, str) else "number"
            case Cell(tuple=t, attr=a):
                found = self._type(t, a)
            case Var(name=v):
                found = self.type_of(v)
            case Op(op=op, args=args) if op in ("coalesce", "case"):
                found = next((k for k in map(self._kind, args[1:] if op == "case" else args) if k is not None), None)
            case Op(op=op):
                found = "number" if op in (*ARITHMETIC, "length") else "string" if op in ("||", "upper") else "boolean"
            case Agg(fn=fn, arg=arg):
                found = self._kind(arg) if fn in ("min", "max") and arg is not None else "number"
        return "number" if found in NUMBERS else found

    def _uses(self) -> Iterator[tuple[str, Name]]:
        """(variable over tuples or values, attribute) wherever an attribute is read."""
        for n in nodes(self.query):
            match n:
                case Cell(tuple=t, attr=a) | Field(tuple=t, attr=a):
                    yield t, a
                case Item(range=Values(attr=a), var=v):
                    yield v, a
                case Item(range=Tuples(), var=v):
                    self.tables_of(n)
                case _:
                    pass

    def type_of(self, var: str) -> str | None:
        """The type of a schema or domain variable; None where nothing is in its range."""
        match self.query.item(var).range:
            case Field(tuple=t, attr=a):
                return self._type(t, a)
            case Values(attr=a):
                return self._type(var, a)
        return "string"

    def _type(self, var: str, attr: Name) -> str | None:
        wanted = frozenset({var}) | names_used(attr)
        r = self.query.item(var).range
        assert isinstance(r, Tuples | Values)
        types = []
        for env in self.assignments(wanted):
            table = self.relation(r.db, r.rel, env)
            if table is None:
                continue
            column = self.column(table, attr, env)
            if column is None and isinstance(attr, Const):
                raise Invalid("missing attribute", f"{table.full_name} has no {attr.name}")
            types += [] if column is None else [column.type]
        return common(types)


def common(types: list[str]) -> str | None:
    """The common type. Text beside something else has none: it is a forgotten condition on names."""
    kinds = {"number" if t in NUMBERS else t for t in types}
    if len(kinds) > 1:
        raise Invalid("types", f"no common type of {sorted(set(types))}")
    return max(types, key=lambda t: NUMBERS.index(t) if t in NUMBERS else 0) if types else None
