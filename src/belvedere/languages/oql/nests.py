"""Nested comprehensions: planned by themselves, grouped by what ties them to the rows around, and joined back."""

from __future__ import annotations

from dataclasses import replace

from belvedere.algebra.ops import Aggregate, Join, OuterJoin, Project, SortKey, UnionAll
from belvedere.algebra.scalar import Scalar, cast, col, cols, conjunction, equal, null, true
from belvedere.algebra.typing.coerce import common
from belvedere.languages.oql.calculus import Call, Proj, Term, Var, free
from belvedere.languages.oql.fold import Folded, fold
from belvedere.languages.oql.frame import Frame
from belvedere.languages.oql.monoid_algebra import Alg, Get, Nest, Unnest
from belvedere.languages.oql.monoid_algebra import Join as JoinOp
from belvedere.languages.oql.rewriting import Parameters, rewritten, terms_of, without
from belvedere.languages.oql.values import Obj, Partition, Value, as_boolean, never_null, rebuilt, to_scalar, wrap

#: (outer scalar, inner scalar, whether NULL equals NULL)
Link = tuple[Scalar, Scalar, bool]


def closed_nest(frame: Frame, n: Nest) -> None:
    """A nest that depends on nothing around it: one row, joined to all."""
    from belvedere.languages.oql.lower import linear, run

    inner = Frame(frame.session)
    run(inner, linear(n.input))
    inner.filter(n.preds)
    folded, node_frame = _folded(inner, n, ())
    node = Aggregate(node_frame.plan, (), folded.aggs)
    name = frame.session.fresh(n.var.name)
    made = Project(node, ((name, folded.value(node.schema)),))
    frame.node = made if frame.node is None else Join(frame.node, made, true())
    frame.vars[n.var.name] = wrap(col(frame.schema[name]), n.var.type)


def nested(frame: Frame, n: Nest) -> None:
    """A nest for each row around it."""
    from belvedere.languages.oql.lower import linear

    if n.var.name in frame.vars:
        return  # an aggregate of the grouping itself
    ops = linear(n.input, n.base)
    parameters = Parameters(frame, frozenset(frame.vars))
    ops = [rewritten(op, parameters) for op in ops]
    last = rewritten(n, parameters)
    assert isinstance(last, Nest)
    elided = _by_links(frame, ops, last, parameters) if n.monoid != "element" else None
    if elided is not None:
        inner, links, last = elided
    else:
        inner, links = _by_domain(frame, ops, parameters)
    if n.monoid == "element":
        _only(frame, inner, links, last)
    else:
        _joined_back(frame, inner, links, last)


def _only(frame: Frame, inner: Frame, links: list[Link], n: Nest) -> None:
    """element: one row for each value of the parameters, of those without members too, each checked as a whole group."""
    session = frame.session
    inner.filter(n.preds)
    assert inner.origin is not None
    value = to_scalar(inner.value(n.head))
    keys, one, held = [session.fresh(d) for d in inner.domain], session.fresh("one"), session.fresh("v")
    here = tuple((k, col(inner.schema[d])) for k, d in zip(keys, inner.domain, strict=True))
    there = tuple((k, col(c)) for k, c in zip(keys, inner.origin.schema, strict=True))
    rows = UnionAll((
        Project(inner.plan, (*here, (one, as_boolean(True)), (held, value))),
        Project(inner.origin, (*there, (one, as_boolean(False)), (held, null(value.type)))),
    ))  # fmt: skip
    present = col(rows.schema[one])
    folded = fold("element", n.head, col(rows.schema[held]), n.var.type, session.fresh, condition=present, at=n.at)
    own = [session.fresh(k) for k in keys]
    grouped = Aggregate(rows, tuple((o, col(rows.schema[k])) for o, k in zip(own, keys, strict=True)), folded.aggs)
    name = session.fresh(n.var.name)
    made = Project(grouped, (*cols(grouped.schema.select(tuple(own))), (name, folded.value(grouped.schema))))
    on = []
    for (outer, _, null_safe), o in zip(links, own, strict=True):
        on.append(equal(frame.schema[frame.column(outer)], made.schema[o], null_safe=null_safe))
    frame.node = Join(frame.plan, made, conjunction(on))
    frame.vars[n.var.name] = wrap(col(frame.schema[name]), n.var.type)


def _joined_back(frame: Frame, inner: Frame, links: list[Link], n: Nest) -> None:
    session = frame.session
    inner.filter(n.preds)
    pairs = []
    for outer, own, null_safe in links:
        t = common(outer.type, own.type) or own.type
        a = frame.column(cast(outer, t) if outer.type != t else outer, "link")
        b = inner.column(cast(own, t) if own.type != t else own, "link")
        pairs.append((a, b, null_safe))
    folded, grouped = _folded(inner, n, tuple(b for _, b, _ in pairs))
    names = {b: session.fresh(b) for _, b, _ in pairs}
    node = Aggregate(grouped.plan, tuple((f, col(grouped.schema[b])) for b, f in names.items()), folded.aggs)
    on = conjunction(equal(frame.schema[a], node.schema[names[b]], null_safe=ns) for a, b, ns in pairs)
    frame.node = OuterJoin(frame.plan, node, on, "left")
    value = folded.value(frame.schema)
    if value.column is None:
        name = frame.column(value, n.var.name)
        value = col(frame.schema[name])
    frame.vars[n.var.name] = wrap(value, n.var.type)


def _folded(inner: Frame, n: Nest, keys: tuple[str, ...]) -> tuple[Folded, Frame]:
    """The aggregates of the nest over the inner plan; a list's rows are numbered first."""
    session = inner.session
    value = to_scalar(inner.value(n.head))
    if n.monoid != "list":
        return fold(n.monoid, n.head, value, n.var.type, session.fresh, at=n.at), inner
    if not n.order:
        return fold("list", n.head, value, n.var.type, session.fresh, place=_place(inner, n)), inner
    from belvedere.languages.oql.lower import numbered

    order, items = [], [(k, col(inner.schema[k])) for k in keys]
    for key, descending in n.order:
        name = session.fresh("sort")
        items.append((name, inner.scalar(key)))
        order.append(SortKey(name, descending, not descending))
    held, place = session.fresh("v"), session.fresh("place")
    node = numbered(Project(inner.plan, (*items, (held, to_scalar(inner.value(n.head))))), keys, tuple(order), place)
    made = Frame(session, node)
    return fold("list", n.head, col(node.schema[held]), n.var.type, session.fresh, place=col(node.schema[place])), made


def _place(inner: Frame, n: Nest) -> Scalar:
    """Where a member stands in the list that its generator ranges over."""
    source = n.input
    while not isinstance(source, (Unnest, Get, JoinOp)):
        source = source.inputs[0]
    assert isinstance(source, Unnest), "a list is made in the order of a list"
    return col(inner.schema[inner.places[source.var.name]])


def _by_domain(frame: Frame, ops: list[Alg], parameters: Parameters) -> tuple[Frame, list[Link]]:
    """Start from the distinct values of the parameters."""
    from belvedere.languages.oql.lower import run

    session = frame.session
    given = [(v, value, frame.leaf_columns(value)) for v, value in parameters.values()]
    columns = {c: session.fresh(c) for _, _, cs in given for c in cs}
    node = Aggregate(frame.plan, tuple((n, col(frame.schema[c])) for c, n in columns.items()), ())
    inner = Frame(session, node, domain=tuple(columns.values()), key=frozenset(columns.values()), origin=node)
    total: dict[str, bool] = {}
    for v, value, cs in given:
        inner.vars[v.name] = rebuilt(value, iter([col(node.schema[columns[c]]) for c in cs]))
        total.update({c: total.get(c, False) or t for c, t in zip(cs, never_null(value), strict=True)})
    run(inner, ops)
    links = [
        (col(frame.schema[c]), col(inner.schema[d]), not total[c]) for c, d in zip(columns, inner.domain, strict=True)
    ]
    return inner, links


def _by_links(frame: Frame, ops: list[Alg], n: Nest, parameters: Parameters) -> tuple[Frame, list[Link], Nest] | None:
    """Without a domain, if the parameters only say which rows belong together."""
    from belvedere.languages.oql.lower import run

    own = {v.name: value for v, value in parameters.values()}
    equalities: list[tuple[Var, Term]] = []
    left: list[Alg] = []
    for op in [*ops, n]:
        op, pairs = without(op, frozenset(own))
        equalities += pairs
        left.append(op)
    first = left[0] if len(left) > 1 else None
    start: Var | None = None
    if isinstance(first, Unnest) and not isinstance(first.path, Call):
        path = first.path
        if isinstance(path, Proj) and isinstance(path.base, Var) and path.base.name in own and parameters.is_owned(path):
            start = path.base
        elif isinstance(path, Var) and isinstance(own.get(path.name), Partition):
            start = path
    kept = [t for op in left for t in terms_of(op) if op is not first or start is None]
    if start is not None and isinstance(first, Unnest):
        kept += first.preds  # its path starts the plan; the same path further on still needs its parameter
    elif not equalities or not isinstance(first, JoinOp) or not isinstance(first.right, Get):
        return None
    if any(free(t) & own.keys() for t in kept):
        return None
    inner = Frame(frame.session)
    links: list[Link] = []
    body = left[:-1]
    if start is not None and isinstance(first, Unnest):
        links += _started(inner, first, own[start.name])
        inner.filter(first.preds)
        body = body[1:]
    elif isinstance(first, JoinOp) and isinstance(first.right, Get):
        body = [replace(first.right, preds=(*first.right.preds, *first.preds)), *body[1:]]
    run(inner, body)
    for v, term in equalities:
        value = inner.value(term)
        outer = own[v.name]
        identity = isinstance(outer, Obj) or isinstance(value, Obj)
        sure = any(never_null(outer)) or any(never_null(value))
        links.append((to_scalar(outer), to_scalar(value), identity and not sure))
    rest = left[-1]
    assert isinstance(rest, Nest)
    return inner, links, rest


def _started(inner: Frame, first: Unnest, outer: Value) -> list[Link]:
    """The rows that a first generator gives for all owners at once, and what ties them to theirs."""
    from belvedere.languages.oql.lower import owned

    if isinstance(outer, Partition):
        base = outer.frame.copy()
        inner.node, inner.joined = base.plan, dict(base.joined)
        inner.vars[first.var.name] = outer.members
        inner.key = None
        return [(a, col(inner.schema[k]), True) for a, k in zip(outer.here, outer.keys, strict=True)]
    assert isinstance(first.path, Proj)
    node, key = owned(inner, first.var, first.path)
    inner.node = node
    return [(to_scalar(outer), col(node.schema[key]), False)]

