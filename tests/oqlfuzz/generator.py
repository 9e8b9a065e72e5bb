"""A seed → a case. Each part draws from a generator of its own, so that a change of one part leaves the others as they were."""

from __future__ import annotations

import random
import re

from tests.fuzz.scope import Tally
from tests.oqlfuzz import making_collections, making_values
from tests.oqlfuzz.case import Case, ViewSpec, numbers_in
from tests.oqlfuzz.coding import Context, Scope, Untyped
from tests.oqlfuzz.estimate import cost, names_in, size, width
from tests.oqlfuzz.interpret import as_read, program_code
from tests.oqlfuzz.kinds import INT, STRING, Coll, Ref, Struct, Type
from tests.oqlfuzz.making import DEAREST, MAKERS, Maker, Stuck
from tests.oqlfuzz.random_schema import random_schema
from tests.oqlfuzz.random_updates import MOST, Changer
from tests.oqlfuzz.schema import Schema
from tests.oqlfuzz.tallying import tally as tally_of
from tests.oqlfuzz.world import World

from belvedere.languages.oql import ast, text

#: grows whenever a seed comes to stand for something else; seeds.txt names it
VERSION = 4
VIEWS = 6
SEQUENCES = 8
PARTS = (making_collections, making_values)
assert MAKERS, PARTS


def generate(seed: str, *, views: int = VIEWS, sequences: int = SEQUENCES, tally: Tally | None = None) -> Case:
    schema = random_schema(random.Random(f"{seed}/schema"))
    rng = random.Random(f"{seed}/updates")
    together = rng.random() < 0.4
    changer = Changer(rng, schema)
    population = changer.population()
    transactions = changer.transactions(sequences)
    return Case(seed, schema, population, random_views(seed, schema, views, tally or Tally()), transactions, together)


def random_views(seed: str, schema: Schema, count: int, tally: Tally) -> tuple[ViewSpec, ...]:
    context = Context(schema, World(schema))
    sizes = dict.fromkeys([*schema.extents(), *schema.tables], MOST)
    found: list[ViewSpec] = []
    chain: dict[str, int] = {}
    for n in range(count):
        rng = random.Random(f"{seed}/view/{n}")
        collections = [v.name for v in found if isinstance(context.view_types[v.name], Coll)]
        usable = [v for v in collections if chain[v] < 2 and sizes[v] <= 100 and rng.random() < 0.3]
        made = random_program(rng, context, sizes, (*schema.extents(), *schema.tables, *usable))
        if made is None:
            continue
        program, t = made
        name = f"v{n}"
        seen = tuple(sorted(names_in(program) & {v.name for v in found}))
        chain[name] = 1 + max((chain[r] for r in seen), default=0)
        context.view_types[name] = as_read(t)
        assert program.query is not None
        sizes[name] = size(program.query, sizes) if isinstance(t, Coll) else 1
        own = tally_of(program)
        mode = rng.choices(("deferred", "immediate", "lazy", "hybrid"), (64, 12, 12, 12))[0]
        written = spelled(rng, text.program(program))
        found.append(ViewSpec(name, program, written, seen, mode, tuple(sorted(own.used)), rng.random() < 0.6))
        tally.used.update(dict.fromkeys(own.used, 1))
        tally.pairs.update(dict.fromkeys(own.pairs, 1))
    return tuple(found)


def random_program(
    rng: random.Random, context: Context, sizes: dict[str, int], relations: tuple[str, ...]
) -> tuple[ast.Program, Type] | None:
    """Sometimes definitions, then a query; None if none was found that is cheap enough."""
    widest = rng.choice([6, 8, 8, 10, 10, 12, 20])
    for _ in range(30):
        context.definitions = {}
        maker = Maker(rng, context, dict(sizes), relations, widest=widest)
        definitions: list[ast.Define | ast.Undefine] = []
        try:
            while rng.random() < 0.15:
                definitions.append(definition(maker))
            query = top(maker)
            definitions = called(definitions, query, rng.random() < 0.2)
            if definitions and rng.random() < 0.1:
                definitions += [ast.Define("gone", (), ast.Literal("integer", 1)), ast.Undefine("gone")]
            program = ast.Program(tuple(definitions), query)
            context.definitions = {}
            t = program_code(context, program).type
        except (Stuck, Untyped):
            continue
        if width(program) <= widest and cost(query, maker.sizes) <= DEAREST and reads(program, query) & set(relations):
            return program, t
    return None


def reads(program: ast.Program, query: ast.Expr) -> set[str]:
    """The names that the query mentions, through definitions too."""
    names = names_in(query)
    for d in reversed(program.definitions):
        if d.name in names:
            names |= names_in(d)
    return names


def called(definitions: list[ast.Define | ast.Undefine], query: ast.Expr, spare: bool) -> list[ast.Define | ast.Undefine]:
    """The definitions that the query uses; `spare`: also others, if they have no $n, which would then have no use."""
    names, kept = names_in(query), list[ast.Define | ast.Undefine]()
    for d in reversed(definitions):
        if d.name in names:
            names |= names_in(d)
            kept.append(d)
        elif spare and not numbers_in(d):
            kept.append(d)
    return kept[::-1]


def definition(m: Maker) -> ast.Define:
    parameters: list[tuple[ast.TypeName, str]] = []
    types: dict[str, Type] = {}
    for _ in range(m.rng.choice([0, 1, 1, 2])):
        t: Type = m.rng.choice([INT, STRING, *(Ref(c) for c in m.context.schema.classes)])
        p = m.fresh("a")
        parameters.append((ast.TypeName(str(t)), p))
        types[p] = t
    scope = Scope(types)
    t = m.any_type(scope, 2) if m.rng.random() < 0.5 else Coll(m.rng.choice(["bag", "set"]), m.any_type(scope, 1))
    made = ast.Define(m.fresh("q"), tuple(parameters), m.expr(t, scope, 2))
    m.context.definitions[made.name] = made
    m.calls[made.name] = t
    m.sizes[made.name] = size(made.body, m.sizes)
    m.sizes["()" + made.name] = cost(made.body, m.sizes)
    return made


def top(m: Maker) -> ast.Expr:
    """What a view is of: mostly a collection of structs, sometimes of bare values, sometimes one value."""
    roll, scope = m.rng.random(), Scope()
    depth = m.rng.choice([1, 2, 2, 3])
    if roll < 0.12:
        return m.expr(m.flat_type(scope, refs=False), scope, depth + 1)
    kind = m.rng.choice(["bag", "bag", "bag", "set", "list"])
    if roll < 0.2 and kind != "list":
        return m.expr(Coll(kind, m.any_type(scope, depth)), scope, depth + 1)
    return own_select(m, kind, depth)


def own_select(m: Maker, kind: str, depth: int) -> ast.Expr:
    """A select whose projection is drawn after its variables, so that it shows what they reach."""
    scope = Scope()
    iterators, inside = making_collections.ranges(m, scope, depth)
    where = m.condition(inside, depth) if m.rng.random() < 0.6 else None
    group: tuple[tuple[str, ast.Expr], ...] = ()
    having = None
    if all(i.variable for i in iterators) and m.rng.random() < 0.3:
        group, inside = making_collections.grouping(m, iterators, scope, inside, depth)
        having = m.condition(inside, depth) if m.rng.random() < 0.35 else None
    items: tuple[ast.Item, ...] | None
    if m.rng.random() < 0.06 and all(i.variable for i in iterators):
        items = None
    elif m.rng.random() < 0.2:
        items = (ast.Item(m.expr(m.any_type(inside, depth), inside, depth)),)
    else:
        items = tuple(named(m, m.any_type(inside, depth), inside, depth) for _ in range(m.rng.choice([1, 2, 2, 3])))
    if kind != "list":
        shown = unlabelled(m.rng, items) if items else items
        return ast.Select(shown, tuple(iterators), where, group, having, distinct=kind == "set")
    fields = tuple((m.fresh("f"), m.flat_type(inside, orderable=True)) for _ in range(m.rng.choice([1, 2, 3])))
    items = tuple(ast.Item(m.expr(t, inside, depth), n) for n, t in fields)
    distinct = m.rng.random() < 0.2
    order = making_collections.ordering(m, items, Struct(fields), inside, depth, distinct)
    return ast.Select(items, tuple(iterators), where, group, having, order, distinct)


def named(m: Maker, t: Type, scope: Scope, depth: int) -> ast.Item:
    return ast.Item(m.expr(t, scope, depth), m.fresh("f"))


def unlabelled(rng: random.Random, items: tuple[ast.Item, ...]) -> tuple[ast.Item, ...]:
    """Paths sometimes go without a label, if there are several items: the last step is the name, if no other has it."""
    if len(items) < 2:
        return items
    found: list[ast.Item] = []
    taken = {i.label for i in items}
    for i in items:
        if isinstance(i.expr, ast.Path) and i.expr.name not in taken and rng.random() < 0.4:
            taken.add(i.expr.name)
            found.append(ast.Item(i.expr))
        else:
            found.append(i)
    return tuple(found)


def spelled(rng: random.Random, written: str) -> str:
    """The same text in another spelling: -> for a point, <> for !=, some for any, iterators the other way round."""
    if rng.random() < 0.6:
        return written
    forms = [
        (r"(?<=[\w)\]])\.(?=[a-z])", "->"),
        (r"!=", "<>"),
        (r"(?<=[=<>]) any ", " some "),
        (r"\bfrom (i\d+) in (\w+)(?= where|$)", r"from \2 as \1"),
        (r"\bfrom (i\d+) in (\w+)(?= where|$)", r"from \2 \1"),
        (r"\bselect\b", "SELECT"),
        (r" desc(?=$|,|\))", " DESC"),
    ]
    for pattern, other in rng.sample(forms, rng.choice([1, 2, 3])):
        written = re.sub(pattern, other, written)
    return written
