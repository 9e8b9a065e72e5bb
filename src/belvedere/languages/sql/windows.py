"""Window functions: taken out of the expressions, computed by Window nodes, and columns afterwards."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import SortKey, Window, WindowCall
from belvedere.algebra.scalar import Scalar, cast
from belvedere.algebra.types import DataType, Double, Int
from belvedere.algebra.typing.coerce import castable, orderable
from belvedere.algebra.typing.context import name_of
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.aggregate_calls import guarded, is_aggregate, parse_call
from belvedere.languages.sql.aggregation import make_agg
from belvedere.languages.sql.columns import internal, is_subquery, rewrite
from belvedere.languages.sql.expressions import as_column, finish
from belvedere.languages.sql.state import Env, Frame

_RANKS: dict[type[exp.Expr], DataType] = {
    exp.RowNumber: Int(), exp.Rank: Int(), exp.DenseRank: Int(), exp.Ntile: Int(),
    exp.PercentRank: Double(), exp.CumeDist: Double(),
}  # fmt: skip
_SHIFTS = (exp.Lag, exp.Lead)
_PICKS = (exp.FirstValue, exp.LastValue, exp.NthValue, exp.First, exp.Last)

Place = tuple[tuple[str, ...], tuple[SortKey, ...]]


def inline_named(select: exp.Select, env: Env) -> None:
    """Write the definitions of named windows into the calls that use them, in place."""
    definitions = {w.name.lower(): w for w in select.args.get("windows") or []}
    for call in list(select.find_all(exp.Window)):
        if call.parent is select and call.arg_key == "windows":
            continue
        name = call.args.get("alias")
        if name is None or call.find_ancestor(exp.Select) is not select:
            continue
        definition = definitions.get(name.name.lower())
        if definition is None:
            raise env.session.error(TypeMismatch, f"there is no window named '{name.name}'", name)
        for key in ("partition_by", "order", "spec"):
            value = definition.args.get(key)
            if value and not call.args.get(key):
                call.set(key, [v.copy() for v in value] if isinstance(value, list) else value.copy())
        call.set("alias", None)


class Windows:
    """The window functions of one select, gathered by where they look: partition and order."""

    def __init__(self, frame: Frame, env: Env) -> None:
        self.frame, self.env = frame, env
        self.calls: dict[Place, dict[str, WindowCall]] = {}
        self.known: dict[str, str] = {}

    def extract(self, tree: exp.Expr) -> exp.Expr:
        """The expression with a column in place of each window function."""

        def rule(node: exp.Expr) -> exp.Expr | None:
            if is_subquery(node):
                return node
            if isinstance(node, exp.Window):
                text = node.sql("spark")
                if text not in self.known:
                    self.known[text] = self._place(node)
                return internal(self.known[text])
            return None

        return rewrite(tree, rule)

    def _place(self, node: exp.Window) -> str:
        partition = [self._column(p, "part") for p in node.args.get("partition_by") or []]
        correlation = self.env.correlation
        if correlation is not None and correlation.domain is not None:
            partition += list(correlation.domain.values())
        order: list[SortKey] = []
        clause = node.args.get("order")
        for o in clause.expressions if clause is not None else []:
            descending = bool(o.args.get("desc"))
            first = o.args.get("nulls_first")
            order.append(SortKey(self._column(o.this, "sort"), descending, (not descending) if first is None else bool(first)))
        call = self._call(node, bool(order))
        name = self.env.session.fresh(_stem(node))
        self.calls.setdefault((tuple(dict.fromkeys(partition)), tuple(order)), {})[name] = WindowCall(
            call, _frame(node, self.env)
        )
        return name

    def _column(self, e: exp.Expr, stem: str) -> str:
        scalar = finish(e.copy(), self.frame, self.env)
        if not orderable(scalar.type):
            raise self.env.session.error(TypeMismatch, f"a window cannot be partitioned or ordered by a {scalar.type}", e)
        return as_column(scalar, self.frame, self.env, stem)

    def _call(self, node: exp.Window, ordered: bool) -> Scalar:
        function = node.this
        ignore = isinstance(function, exp.IgnoreNulls)
        if isinstance(function, (exp.IgnoreNulls, exp.RespectNulls)):
            function = function.this
        if type(function) in _RANKS:
            self._need_order(function, ordered)
            return self._rank(function)
        if isinstance(function, _SHIFTS):
            self._need_order(function, ordered)
            return _ignoring(self._shift(function), ignore)
        if isinstance(function, _PICKS):
            self._need_order(function, ordered)
            return _ignoring(self._pick(function), ignore)
        if ignore or not is_aggregate(function):
            raise self.env.session.unsupported(f"{name_of(function)}() as a window function", node)
        call = parse_call(function, self.env)
        if call.distinct:
            raise self.env.session.unsupported("distinct in a window function", node)
        agg = make_agg(guarded(call), function, self.frame, self.env)
        tree = exp.Anonymous(this=agg.fn, expressions=[a.expr.copy() for a in agg.args])
        tree.meta["t"] = agg.type
        return Scalar(tree, agg.type)

    def _need_order(self, function: exp.Expr, ordered: bool) -> None:
        if not ordered:
            raise self.env.session.error(TypeMismatch, f"{name_of(function)}() needs an order: over (… order by …)", function)

    def _rank(self, function: exp.Expr) -> Scalar:
        t = _RANKS[type(function)]
        tree = type(function)()
        if isinstance(function, exp.Ntile):
            count = finish(function.this.copy(), self.frame, self.env)
            if not isinstance(function.this, exp.Literal) or not isinstance(count.type, Int):
                raise self.env.session.error(TypeMismatch, "ntile takes a literal number", function)
            tree.set("this", count.expr)
        tree.meta["t"] = t
        assert isinstance(tree, exp.Expression)
        return Scalar(tree, t)

    def _shift(self, function: exp.Expr) -> Scalar:
        value = finish(function.this.copy(), self.frame, self.env)
        tree = type(function)(this=value.expr)
        offset, default = function.args.get("offset"), function.args.get("default")
        if offset is not None:
            n = offset.this if isinstance(offset, exp.Neg) else offset
            if not isinstance(n, exp.Literal) or n.is_string:
                raise self.env.session.unsupported(f"{name_of(function)} by a computed number of rows", offset)
            tree.set("offset", finish(offset.copy(), self.frame, self.env).expr)
        t = value.type
        if default is not None:
            given = finish(default.copy(), self.frame, self.env)
            if not castable(given.type, t):
                message = f"{name_of(function)}: the default is of type {given.type}, and the value of type {t}"
                raise self.env.session.error(TypeMismatch, message, default)
            tree.set("default", cast(given, t).expr)
        tree.meta["t"] = t
        assert isinstance(tree, exp.Expression)
        return Scalar(tree, t)

    def _pick(self, function: exp.Expr) -> Scalar:
        value = finish(function.this.copy(), self.frame, self.env)
        kinds: dict[type[exp.Expr], type[exp.Expr]] = {exp.First: exp.FirstValue, exp.Last: exp.LastValue}
        tree = kinds.get(type(function), type(function))(this=value.expr)
        if isinstance(function, exp.NthValue):
            tree.set("offset", finish(function.args["offset"].copy(), self.frame, self.env).expr)
        tree.meta["t"] = value.type
        assert isinstance(tree, exp.Expression)
        return Scalar(tree, value.type)

    def build(self) -> None:
        """Put the Window nodes on the frame."""
        for (partition, order), calls in self.calls.items():
            self.frame.node = Window(self.frame.node, partition, order, tuple(calls.items()))


def _ignoring(call: Scalar, ignore: bool) -> Scalar:
    if not ignore:
        return call
    tree = exp.IgnoreNulls(this=call.expr)
    tree.meta["t"] = call.type
    return Scalar(tree, call.type)


def _stem(node: exp.Window) -> str:
    inner = node.this
    while isinstance(inner, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        inner = inner.this
    return name_of(inner)


def _frame(node: exp.Window, env: Env) -> str | None:
    """The frame clause in SQL."""
    spec = node.args.get("spec")
    if spec is None:
        return None
    if spec.args.get("exclude"):
        raise env.session.unsupported("exclude in a window's frame", node)
    kind = str(spec.args.get("kind") or "").upper()
    if kind not in ("ROWS", "RANGE"):
        raise env.session.unsupported(f"a frame by {kind.lower() or 'nothing'}", node)
    start = _bound(spec, "start")
    end = _bound(spec, "end") if spec.args.get("end") else "CURRENT ROW"
    return f"{kind} BETWEEN {start} AND {end}"


def _bound(spec: exp.Expr, key: str) -> str:
    value, side = spec.args.get(key), str(spec.args.get(f"{key}_side") or "").upper()
    text = value.sql("spark") if isinstance(value, exp.Expr) else str(value).upper()
    return f"{text} {side}".strip()
