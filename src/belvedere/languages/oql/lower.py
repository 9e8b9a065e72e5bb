"""The monoid algebra → our algebra.

Operators are worked off from the bottom up on one frame. A nest is a plan of its own: the values of the variables around it that
it uses are its *parameters*, and it is grouped by them and joined back, so that rows around it keep their number. Where the
parameters only say which rows belong together (the owner of a path, one side of an equality), the nest is grouped by that alone
and needs to know nothing of the plan around it; otherwise it starts from the distinct values of its parameters.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Explode, Filter, Join, Project, Scale, SortKey, UnionAll, Window, WindowCall
from belvedere.algebra.scalar import Scalar, col, cols, conjunction, equal, integer, true
from belvedere.algebra.types import BigInt, Int, Map, Schema
from belvedere.languages.oql.calculus import Merge, Multiplicity, Proj, Source, Term, Var, children, free
from belvedere.languages.oql.frame import Frame, Session
from belvedere.languages.oql.groups import grouped, partition_joined
from belvedere.languages.oql.monoid_algebra import Alg, Combine, Get, GroupBy, Nest, Reduce, Select, Unit, Unnest
from belvedere.languages.oql.monoid_algebra import Join as JoinOp
from belvedere.languages.oql.nests import closed_nest, nested
from belvedere.languages.oql.scalars import apply, converted
from belvedere.languages.oql.values import Obj, Partition, Plain, Row, Value, leaves, rebuilt, renamed_value, to_scalar, wrap
from belvedere.objects.model import POSITION, Backwards, InColumn, Linked
from belvedere.objects.types import CollectionType, OType, Ref, StructType


def linear(a: Alg, stop: Alg | None = None) -> list[Alg]:
    """The operators above `stop`, from the bottom up; a nest stands for all that it is made of."""
    if a is stop or isinstance(a, Unit):
        return []
    match a:
        case JoinOp(left=left):
            return [*linear(left, stop), a]
        case Unnest(input=i) | Select(input=i):
            return [*linear(i, stop), a]
        case Nest(base=base) | GroupBy(base=base):
            return [*(linear(base, stop) if base is not None else []), a]
        case _:
            return [a]


def run(frame: Frame, ops: list[Alg]) -> None:
    """Work off operators on a frame."""
    for i, op in enumerate(ops):
        match op:
            case Get():
                attach(frame, op, (), ops[i + 1 :])
            case Nest(base=None):
                closed_nest(frame, op)
            case JoinOp(right=right, preds=preds):
                if isinstance(right, Nest):
                    closed_nest(frame, right)
                    frame.filter(preds)
                else:
                    assert isinstance(right, Get)
                    attach(frame, right, preds, ops[i + 1 :])
            case Unnest():
                unnested(frame, op)
            case Select(preds=preds):
                frame.filter(preds)
            case Nest():
                nested(frame, op)
            case GroupBy():
                inner = frame.copy()
                run(inner, linear(op.input, op.base))
                grouped(frame, inner, op, op.var, ops[i + 1 :])
            case _:
                raise AssertionError(type(op).__name__)


def attach(frame: Frame, get: Get, preds: tuple[Term, ...], after: list[Alg]) -> None:
    """A generator over a collection that depends on nothing around it."""
    if isinstance(get.source, GroupBy) and frame.node is None:
        inner = Frame(frame.session)
        run(inner, linear(get.source.input))
        grouped(frame, inner, get.source, get.var, after)
        frame.filter((*get.preds, *preds))
        return
    right = relation(frame.session, get.source, get.var, after)
    right.filter(get.preds)
    meet(frame, right, preds)


def meet(frame: Frame, right: Frame, preds: tuple[Term, ...]) -> None:
    """Join two plans. What a condition needs of one side is computed on that side, so that it can be the join's own."""
    known: dict[Term, Value] = {}

    def prepare(t: Term) -> None:
        names = free(t)
        side = next((x for x in (frame, right) if names and names <= x.vars.keys()), None)
        if side is None:
            for c in children(t):
                prepare(c)
            return
        value = side.value(t)
        if isinstance(value, Plain):
            name = side.column(value.scalar)
            value = replace(value, scalar=col(side.schema[name]))
        known[t] = value

    for p in preds:
        prepare(p)
    if frame.node is None:
        frame.node = right.node
    else:
        on = _condition(frame, right, known, preds)
        frame.node = Join(frame.node, right.plan, on)
        preds = ()
    frame.vars.update(right.vars)
    frame.joined.update(right.joined)
    frame.places.update(right.places)
    frame.key = frame.key | right.key if frame.key is not None and right.key is not None else None
    frame.filter(preds)


def _condition(frame: Frame, right: Frame, known: dict[Term, Value], preds: tuple[Term, ...]) -> Scalar:
    """The conditions over both sides' columns; nothing is left in them that would add to a plan."""
    both = frame.copy()
    both.node = Join(frame.plan, right.plan, true())
    both.vars.update(right.vars)
    both.known = known
    before = both.node
    conditions = [both.condition(p) for p in preds]
    assert both.node is before, "a condition of a join adds nothing to the plan"
    return conjunction(conditions)


def relation(session: Session, source: Source | Alg, var: Var, after: list[Alg]) -> Frame:
    """A plan for a collection alone; its members are the variable."""
    if isinstance(source, Source):
        return _stored(session, source, var)
    if isinstance(source, GroupBy):
        frame, inner = Frame(session), Frame(session)
        run(inner, linear(source.input))
        grouped(frame, inner, source, var, after)
        return frame
    frame, value = rows(session, source)
    return Frame(session, frame.plan, {var.name: value}, frame.key, joined=dict(frame.joined))


def _stored(session: Session, source: Source, var: Var) -> Frame:
    if source.cls is not None:
        node, oid, table = session.class_table(source.cls)
        value: Value = Obj(col(node.schema[oid]), source.cls, True, table)
        return Frame(session, node, {var.name: value}, frozenset({oid}))
    node, names = session.table(source.name)
    if isinstance(var.type, StructType):
        pairs = zip(var.type.fields, names.values(), strict=True)
        value = Row(tuple((n, wrap(col(node.schema[c]), t)) for (n, t), c in pairs))
    else:
        value = wrap(col(node.schema[next(iter(names.values()))]), var.type)
    return Frame(session, node, {var.name: value}, None)


def rows(session: Session, a: Alg) -> tuple[Frame, Value]:
    """A collection as rows: the plan, and what a member is in it."""
    match a:
        case Reduce():
            frame = Frame(session)
            run(frame, linear(a.input))
            frame.filter(a.preds)
            value = frame.value(a.head)
            return distinct(frame, value) if a.monoid == "set" else (frame, value)
        case Combine():
            return combined(session, a)
    raise AssertionError(type(a).__name__)


def distinct(frame: Frame, value: Value) -> tuple[Frame, Value]:
    """Each member once. Where a key is among its columns, it is so already."""
    scalars = leaves(value)
    if frame.key is not None and frame.key <= {s.column for s in scalars}:
        return frame, value
    names = [frame.session.fresh(s.column or "v") for s in scalars]
    node = Aggregate(frame.plan, tuple(zip(names, scalars, strict=True)), ())
    made = Frame(frame.session, node, key=frozenset(names))
    return made, rebuilt(value, iter([col(c) for c in node.schema]))


def flat(frame: Frame, value: Value, types: list[Scalar] | None, extra: tuple[tuple[str, Scalar], ...] = ()) -> Node:
    """A plan with exactly the columns of a value, cast to those of another."""
    scalars = leaves(value)
    if types is not None:
        scalars = tuple(converted(s, t.type) for s, t in zip(scalars, types, strict=True))
    names = [frame.session.fresh(s.column or "v") for s in scalars]
    return Project(frame.plan, tuple(zip(names, scalars, strict=True)) + extra)


def combined(session: Session, a: Combine) -> tuple[Frame, Value]:
    (left, x), (right, y) = rows(session, a.left), rows(session, a.right)
    x, y = alike(x, y, a.element)
    if a.op == "union":
        node: Node = UnionAll((flat(left, x, None), flat(right, y, list(leaves(x)))))
        frame = Frame(session, node, key=None)
        value = rebuilt(x, iter([col(c) for c in node.schema]))
        return distinct(frame, value) if a.monoid == "set" else (frame, value)
    node = by_multiplicity(session, a.op, flat(left, x, None), flat(right, y, list(leaves(x))), a.monoid == "set")
    frame = Frame(session, node, key=None)
    return frame, rebuilt(x, iter([col(c) for c in node.schema]))


def alike(x: Value, y: Value, t: OType) -> tuple[Value, Value]:
    """Two values taken for one type, in one shape: a struct in parts and one in a column do not go together."""
    if isinstance(x, Row) and isinstance(y, Row) and isinstance(t, StructType):
        pairs = [alike(x.field(n), y.field(n), ft) for n, ft in t.fields]
        names = [n for n, _ in t.fields]
        one, other = (Row(tuple(zip(names, [p[i] for p in pairs], strict=True))) for i in (0, 1))
        return one, other
    if isinstance(x, Obj) and isinstance(y, Obj) and isinstance(t, Ref):
        total = x.total and y.total
        return Obj(x.oid, t.cls, total), Obj(y.oid, t.cls, total)
    return wrap(to_scalar(x), t), wrap(to_scalar(y), t)


def by_multiplicity(session: Session, op: str, left: Node, right: Node, is_set: bool) -> Node:
    """intersect: the lesser number of times; except: how many times more it is on the left."""
    mine, theirs = session.fresh("mine"), session.fresh("theirs")
    one, none = integer(1), integer(0)
    both = UnionAll((
        Project(left, (*cols(left.schema), (mine, one), (theirs, none))),
        Project(right, (*cols(right.schema), (mine, none), (theirs, one))),
    ))  # fmt: skip
    keys = cols(Schema(both.schema.columns[:-2]))
    counts = tuple((n, Agg("sum0", (col(both.schema[n]),), BigInt())) for n in (mine, theirs))
    tallied = Aggregate(both, keys, counts)
    m, t = col(tallied.schema[mine]), col(tallied.schema[theirs])
    wanted = apply("least(a, b)" if op == "intersect" else "greatest(a - b, cast(0 as bigint))", m, t)
    if is_set:
        wanted = apply("least(a, cast(1 as bigint))", wanted)
    kept = Filter(tallied, apply("a > cast(0 as bigint)", wanted))
    return Project(Scale(kept, wanted), keys)


def unnested(frame: Frame, op: Unnest) -> None:
    """A generator over a path, or over a collection in a column."""
    v, path = op.var, op.path
    if isinstance(path, (Merge, Multiplicity)):
        _either(frame, op, path)
    else:
        member(frame, v, path)
    frame.filter(op.preds)


def member(frame: Frame, v: Var, path: Term) -> None:
    if isinstance(path, Source):
        meet(frame, relation(frame.session, path, v, []), ())
        return
    if isinstance(path, Proj) and isinstance(path.base.type, Ref):
        found = frame.session.model.find(path.base.type.cls, path.name)
        assert found is not None
        storage = found.storage
        if isinstance(storage, (Backwards, Linked)):
            owner = frame.value(path.base)
            assert isinstance(owner, Obj)
            oid = frame.column(owner.oid, "ref")
            node, key = owned(frame, v, path)
            frame.node = Join(frame.plan, node, equal(frame.schema[oid], node.schema[key]))
            return
    value = frame.value(path)
    if isinstance(value, Partition):
        partition_joined(frame, v, value)
        return
    assert isinstance(value, Plain)
    exploded(frame, v, value.scalar)


def owned(frame: Frame, v: Var, path: Proj) -> tuple[Node, str]:
    """The members of a stored collection of objects, by owner: the plan and the owner's column. Binds the variable."""
    session = frame.session
    assert isinstance(path.base.type, Ref)
    found = session.model.find(path.base.type.cls, path.name)
    assert found is not None
    assert isinstance(v.type, Ref)
    match found.storage:
        case Backwards(cls=cls, column=column):
            node, oid, properties = session.class_table(cls)
            prop = next(p.name for p in session.model.properties(cls) if p.storage == InColumn(column))
            frame.vars[v.name] = Obj(col(node.schema[oid]), cls, True, properties)
            frame.key = frame.key | {oid} if frame.key is not None else None
            return node, properties.columns[prop]
        case Linked(table=table, owner=owner, member=member, ordered=ordered):
            node, names = session.table(table)
            frame.vars[v.name] = Obj(col(node.schema[names[member]]), v.type.cls, True)
            if ordered:
                frame.places[v.name] = names[POSITION]
            unique = isinstance(found.type, CollectionType) and found.type.kind == "set"
            frame.key = frame.key | {names[member]} if frame.key is not None and unique else None
            return node, names[owner]
    raise AssertionError(found.name)


def exploded(frame: Frame, v: Var, array: Scalar) -> None:
    fresh = frame.session.fresh
    if isinstance(array.type, Map):
        key, value = fresh("key"), fresh("value")
        frame.node = Explode(frame.plan, array, (key, value))
        assert isinstance(v.type, StructType)
        (_, kt), (_, vt) = v.type.fields
        frame.vars[v.name] = Row((("key", wrap(col(frame.schema[key]), kt)), ("value", wrap(col(frame.schema[value]), vt))))
    else:
        name, place = fresh(v.name), fresh("place")
        frame.node = Explode(frame.plan, array, (name,), place)
        frame.vars[v.name] = wrap(col(frame.schema[name]), v.type)
        frame.places[v.name] = place
    frame.key = None


def _either(frame: Frame, op: Unnest, path: Merge | Multiplicity) -> dict[str, str]:
    """A generator over two collections at once: the rows of both. By multiplicity only where rows around are distinct.
    Gives the new names of the columns that there were."""
    left, right = frame.copy(), frame.copy()
    moved: list[dict[str, str]] = []
    for side, domain in ((left, path.left), (right, path.right)):
        if isinstance(domain, (Merge, Multiplicity)):
            moved.append(_either(side, op, domain))
        else:
            member(side, op.var, domain)
            moved.append({})
    x, y = alike(left.vars[op.var.name], right.vars[op.var.name], op.var.type)
    names = {c: frame.session.fresh(c) for c in frame.schema.names}
    made = []
    for side, z, now in ((left, x, moved[0]), (right, y, moved[1])):
        around = [(new, col(side.schema[now.get(old, old)])) for old, new in names.items()]
        own = [(frame.session.fresh("m"), converted(s, t.type)) for s, t in zip(leaves(z), leaves(x), strict=True)]
        made.append(Project(side.plan, (*around, *own)))
    if isinstance(path, Multiplicity):
        is_set = isinstance(path.type, CollectionType) and path.type.kind == "set"
        node = by_multiplicity(frame.session, path.op, made[0], made[1], is_set)
    else:
        node = UnionAll(tuple(made))
        if path.monoid == "set":
            node = Aggregate(node, cols(node.schema), ())
    renamed_frame(frame, node, names)
    frame.vars[op.var.name] = rebuilt(x, iter([col(c) for c in node.schema.columns[len(names) :]]))
    frame.key = None
    return names


def renamed_frame(frame: Frame, node: Node, names: dict[str, str]) -> None:
    """The frame over a node in which its columns have other names."""
    frame.node = node
    frame.vars = {n: renamed_value(v, names) for n, v in frame.vars.items()}
    frame.known = {t: renamed_value(v, names) for t, v in frame.known.items()}
    frame.joined = {(names.get(o, o), c): t.renamed(names) for (o, c), t in frame.joined.items()}
    frame.domain = tuple(names.get(d, d) for d in frame.domain)
    frame.places = {n: names.get(p, p) for n, p in frame.places.items()}


def numbered(node: Node, partition: tuple[str, ...], order: tuple[SortKey, ...], name: str) -> Node:
    """Each row with its place in the order of its partition, from 1; ties go by the other columns."""
    function = exp.RowNumber()
    function.meta["t"] = Int()
    return Window(node, partition, order, ((name, WindowCall(Scalar(function, Int()))),))

