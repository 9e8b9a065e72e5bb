"""group by: one row for each value of the labels, and the partition as what can be joined to it.

What is computed of the whole partition (`sum(select … from p in partition)`) becomes an aggregate of the same grouping, so that
it is kept up to date from a delta, and no partition is ever gathered for it.
"""

from __future__ import annotations

from belvedere.algebra.ops import Aggregate, Join, renamed
from belvedere.algebra.scalar import col, conjunction, same
from belvedere.languages.oql.calculus import Proj, Var, free
from belvedere.languages.oql.fold import Folded, fold
from belvedere.languages.oql.frame import Frame
from belvedere.languages.oql.monoid_algebra import Alg, GroupBy, Nest, Unnest
from belvedere.languages.oql.values import Partition, Row, Value, leaves, rebuilt, renamed_value, to_scalar, wrap


def grouped(frame: Frame, inner: Frame, g: GroupBy, var: Var, after: list[Alg]) -> None:
    """Group the inner plan by the labels, and by what tells the rows around apart; the frame becomes the groups."""
    session = frame.session
    inner.filter(g.preds)
    keys = [(n, inner.value(k)) for n, k in g.keys]
    members = Row(tuple((n, inner.value(m)) for n, m in g.members))
    own = [inner.column(s, n) for n, v in keys for s in leaves(v)]
    folded = _over_partition(inner, members, var, after)
    around = list(inner.domain)
    names = {c: session.fresh(c) for c in dict.fromkeys([*around, *own])}
    node = Aggregate(
        inner.plan, tuple((n, col(inner.schema[c])) for c, n in names.items()), tuple(a for f in folded.values() for a in f.aggs)
    )
    labels: list[tuple[str, Value]] = []
    given = iter(own)
    for n, v in keys:
        labels.append((n, rebuilt(v, iter([col(node.schema[names[next(given)]]) for _ in leaves(v)]))))
    here = tuple(col(node.schema[n]) for n in names.values())
    partition = Partition(inner, tuple(names), here, members)
    params = {n: renamed_value(v, names) for n, v in frame.vars.items()} if frame.domain else {}
    frame.node, frame.joined, frame.known, frame.places = node, {}, {}, {}
    frame.vars = {n: rebuilt(v, iter(leaves(v))) for n, v in params.items()}
    frame.vars[var.name] = Row((*labels, ("partition", partition)))
    frame.domain = tuple(names[d] for d in around)
    frame.key = frozenset(names.values())
    for x, f in folded.items():
        frame.vars[x.name] = wrap(f.value(frame.schema), x.type)


def _over_partition(inner: Frame, members: Value, g: Var, after: list[Alg]) -> dict[Var, Folded]:
    """The nests over the whole partition among the operators that follow."""
    found: dict[Var, Folded] = {}
    for op in after:
        if not isinstance(op, Nest) or not isinstance(op.input, Unnest) or op.input.input is not op.base or op.order:
            continue
        p, preds = op.input.var, (*op.input.preds, *op.preds)
        whole = isinstance(op.input.path, Proj) and op.input.path.base == g and op.input.path.name == "partition"
        if not whole or op.monoid == "list" or any(free(t) - {p.name} for t in (op.head, *preds)):
            continue
        inner.vars[p.name] = members
        condition = conjunction([inner.condition(t) for t in preds]) if preds else None
        value = to_scalar(inner.value(op.head))
        found[op.var] = fold(op.monoid, op.head, value, op.var.type, inner.session.fresh, condition=condition, at=op.at)
    return found


def partition_joined(frame: Frame, v: Var, partition: Partition) -> None:
    """A generator over a partition: the rows that were grouped, by their labels."""
    base = partition.frame
    names = {c: frame.session.fresh(c) for c in base.schema.names}
    node = renamed(base.plan, tuple(names.values()))
    on = conjunction(same(a, col(node.schema[names[k]])) for a, k in zip(partition.here, partition.keys, strict=True))
    frame.node = Join(frame.plan, node, on)
    frame.vars[v.name] = renamed_value(partition.members, names)
    frame.key = None

