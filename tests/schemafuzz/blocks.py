"""Parts of FROM: tuple variables over a relation, over the relations of a database, over folded columns, in any mix."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.schemafuzz.random_world import FLAGS, WORDS
from tests.schemafuzz.tree import (
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
    Range,
    Ref,
    Relations,
    Tuples,
    Values,
    Var,
)
from tests.schemafuzz.world import Table, World

WORD, NUMBER, FLAG = "word", "number", "flag"


def kind_of(name: str) -> str:
    return WORD if name in WORDS else FLAG if name in FLAGS else NUMBER


@dataclass
class Parts:
    """What is being put together: FROM, conditions, and the expressions there are, each with its kind."""

    rng: random.Random
    world: World
    items: list[Item] = field(default_factory=list)
    where: list[Expr] = field(default_factory=list)
    values: list[tuple[Expr, str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    operators: set[str] = field(default_factory=set)

    def fresh(self, letter: str) -> str:
        return f"{letter}{sum(i.var[0] == letter for i in self.items) + 1}"

    def add(self, range: Range, letter: str) -> str:
        var = self.fresh(letter)
        self.items.append(Item(range, var))
        return var

    def name(self, range: Range, letter: str) -> str:
        """A schema variable, which is also a value."""
        var = self.add(range, letter)
        self.names.append(var)
        self.values.append((Var(var), WORD))
        return var

    def of_kind(self, kind: str) -> list[Expr]:
        return [e for e, k in self.values if k == kind]


def database(t_or_db: str) -> Name | None:
    return Const(t_or_db) if t_or_db else None


def block(p: Parts) -> None:
    """One tuple variable (or names alone) and what it ranges over."""
    rng = p.rng
    db = rng.choice(sorted({t.db for t in p.world.tables}))
    match rng.choices(("const", "unite", "fold", "unite fold", "databases", "names", "other"), (4, 5, 6, 4, 2, 1, 1))[0]:
        case "const":
            t = rng.choice(p.world.tables)
            tuples(p, database(t.db), Const(t.name), [t])
        case "unite":
            rel = p.name(Relations(database(db)), "R")
            tuples(p, database(db), Ref(rel), among_relations(p, rel, p.world.relations(db), current=not db))
        case "fold":
            t = rng.choice(p.world.tables)
            folded(p, database(t.db), Const(t.name), [t])
        case "unite fold":
            rel = p.name(Relations(database(db)), "R")
            folded(p, database(db), Ref(rel), among_relations(p, rel, p.world.relations(db), current=not db))
        case "databases":
            databases(p)
        case "names":
            t = rng.choice(p.world.tables)
            among_attributes(p, p.name(Attributes(database(t.db), Const(t.name)), "A"), t.names, kind=None)
        case "other":
            t, other = rng.choice(p.world.tables), rng.choice(p.world.tables)
            attr = p.name(Attributes(database(other.db), Const(other.name)), "A")
            read = tuples(p, database(t.db), Const(t.name), [t])
            p.operators.add("FOLD")
            kind = rng.choice((WORD, NUMBER, NUMBER))
            among_attributes(p, attr, {*t.names, *other.names}, kind)
            p.values.append((Cell(read, Ref(attr)), kind))


def databases(p: Parts) -> None:
    rng = p.rng
    p.operators.add("UNITE")
    d = p.name(Databases(), "D")
    p.where.append(Op("like", (Var(d), Lit("u%"))))
    named = [t for t in p.world.tables if t.db]
    if rng.random() < 0.4:
        name = rng.choice([t.name for t in named])
        tuples(p, Ref(d), Const(name), [t for t in named if t.name == name])
        return
    rel = p.name(Relations(Ref(d)), "R")
    tables = among_relations(p, rel, named)
    if rng.random() < 0.5:
        folded(p, Ref(d), Ref(rel), tables)
    else:
        tuples(p, Ref(d), Ref(rel), tables)


def among_relations(p: Parts, var: str, tables: list[Table], current: bool = False) -> list[Table]:
    """Sometimes a condition on the relation's name; the tables that are left. In the current database views are relations
    too, and are kept out by their names."""
    rng, names = p.rng, sorted({t.name for t in tables})
    p.operators.add("UNITE")
    if current:
        p.where.append(Op("not", (Op("like", (Var(var), Lit("v%"))),)))
    if rng.random() < 0.65 or not names:
        return tables
    one = rng.choice(names)
    match rng.randrange(4):
        case 0:
            p.where.append(Op("<>", (Var(var), Lit(one))))
            return [t for t in tables if t.name != one]
        case 1:
            some = rng.sample(names, rng.randint(1, len(names)))
            p.where.append(Op("in", (Var(var), *map(Lit, some))))
            return [t for t in tables if t.name in some]
        case 2:
            p.where.append(Op("or", (Op("=", (Var(var), Lit(one))), Op("like", (Var(var), Lit("c%"))))))
            return [t for t in tables if t.name == one or t.name.startswith("c")]
    p.where.append(Op("not", (Op("=", (Var(var), Lit(one))),)))
    return [t for t in tables if t.name != one]


def among_attributes(p: Parts, var: str, names: object, kind: str | None) -> None:
    """Conditions on an attribute's name that leave only those of one kind."""
    rng = p.rng
    every = sorted(set(names))  # type: ignore[call-overload]
    right = [n for n in every if kind in (None, kind_of(n))]
    wrong = [n for n in every if n not in right]
    if rng.random() < 0.15 and right:
        p.where.append(Op("in", (Var(var), *map(Lit, rng.sample(right, rng.randint(1, len(right)))))))
    elif len(wrong) > 2 or (wrong and rng.random() < 0.3):
        p.where.append(Op("not in", (Var(var), *map(Lit, wrong))))
    else:
        p.where += [Op("<>", (Var(var), Lit(n))) for n in wrong]


def tuples(p: Parts, db: Name | None, rel: Name, tables: list[Table]) -> str:
    """A tuple variable; its attributes are those that all the tables have."""
    var = p.add(Tuples(db, rel), "T")
    common = [n for n in (tables[0].names if tables else ()) if all(n in t.names for t in tables)]
    p.values += [(Cell(var, Const(n)), kind_of(n)) for n in common]
    if common and p.rng.random() < 0.3:
        n = p.rng.choice(common)
        p.values.append((Var(p.add(Field(var, Const(n)), "V")), kind_of(n)))
    return var


def folded(p: Parts, db: Name | None, rel: Name, tables: list[Table]) -> None:
    rng = p.rng
    p.operators.add("FOLD")
    names = {n for t in tables for n in t.names}
    kind = rng.choices((NUMBER, WORD, FLAG), (10, 3, 1 if "ok" in names else 0))[0]
    attr = p.name(Attributes(db, rel), "A")
    among_attributes(p, attr, names, kind)
    var = tuples(p, db, rel, tables)
    p.values += [(Cell(var, Ref(attr)), kind)] * 2
    if rng.random() < 0.15:
        p.values.append((Var(p.add(Field(var, Ref(attr)), "V")), kind))


def domain(p: Parts) -> None:
    """A domain variable over a relation's attribute."""
    rng = p.rng
    t = rng.choice(p.world.tables)
    n = rng.choice(t.names)
    var = p.add(Values(database(t.db), Const(t.name), Const(n)), "V")
    others = [e for e in p.of_kind(kind_of(n)) if e != Var(var)]
    p.values.append((Var(var), kind_of(n)))
    if others and rng.random() < 0.8:
        p.where.append(Op(rng.choice(("=", "=", "is not distinct from")), (Var(var), rng.choice(others))))
