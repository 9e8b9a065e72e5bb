"""group by and aggregates: what stands in the select list afterwards are keys and results."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Agg, Aggregate, OuterJoin
from belvedere.algebra.ops.project import Project
from belvedere.algebra.scalar import Scalar, col, conjunction, equal, integer, tight
from belvedere.algebra.types import Schema
from belvedere.algebra.typing.aggregates import aggregate_type
from belvedere.algebra.typing.coerce import groupable
from belvedere.algebra.typing.context import Context
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.aggregate_calls import Call, guarded, has_aggregate, is_aggregate, parse_call, window_function
from belvedere.languages.sql.columns import internal, is_subquery, resolve, rewrite
from belvedere.languages.sql.decorrelate import domain_node, equality_sides
from belvedere.languages.sql.derived_aggregates import derived
from belvedere.languages.sql.expressions import column_of, finish, typed
from belvedere.languages.sql.grouping_sets import GroupingSets, is_grouping_call, parse_group
from belvedere.languages.sql.items import Item
from belvedere.languages.sql.state import Env, Frame, NeedsDomain

#: aggregates that are not NULL over no rows
NOT_NULL_WHEN_EMPTY = ("count",)


def is_grouped(select: exp.Select, trees: list[exp.Expr], env: Env) -> bool:
    return select.args.get("group") is not None or any(has_aggregate(t) for t in trees)


class Grouping:
    """The aggregation of one select, built while its expressions are walked."""

    def __init__(
        self, select: exp.Select, frame: Frame, env: Env, pending: list[Scalar], items: list[Item], trees: list[exp.Expr],
        *, scalar: bool = False,
    ) -> None:  # fmt: skip
        self.frame, self.env = frame, env
        self.hints = {_text(t): i.name for i, t in zip(items, trees, strict=True) if i.aliased}
        self.keys: dict[str, tuple[str, Scalar]] = {}
        self.aggs: dict[str, tuple[str, Agg]] = {}
        self.sets: GroupingSets | None = None
        self.pending: list[tuple[Scalar, str]] = []
        group = select.args.get("group")
        self.one_row = group is None or not (group.expressions or group.args.get("all") or group.args.get("grouping_sets"))
        if group is not None:
            self._explicit_keys(group, items, trees)
        self._outer_keys(pending, scalar=scalar)

    def _explicit_keys(self, group: exp.Group, items: list[Item], trees: list[exp.Expr]) -> None:
        if group.args.get("all"):
            expressions: list[exp.Expr] = [t for t in trees if not has_aggregate(t)]
            self.one_row = not expressions
            sets = None
        else:
            expressions, sets = parse_group(group, self.env)
        by_name = {i.name: t for i, t in zip(items, trees, strict=True) if i.aliased}
        resolved = [self._key_tree(e, trees, by_name) for e in expressions]
        if sets is not None:
            self.sets = GroupingSets(self.frame, self.env, [_text(t) for t in resolved], sets)
        for tree in resolved:
            self._add_key(tree)
        if self.sets is not None:
            self.keys[self.sets.column] = (self.sets.column, column_of(self.frame, self.sets.column))

    def _key_tree(self, e: exp.Expr, trees: list[exp.Expr], by_name: dict[str, exp.Expr]) -> exp.Expr:
        """A position in the select list, a column, an alias, or any expression."""
        inner = e.unnest()
        if isinstance(inner, exp.Literal) and not inner.is_string and str(inner.this).isdigit():
            position = int(inner.this)
            if not 1 <= position <= len(trees):
                message = f"group by {position}: the select list has {len(trees)} columns"
                raise self.env.session.error(TypeMismatch, message, e)
            tree = trees[position - 1].copy()
        else:
            tree = resolve(inner, self.frame.scope, self.env, by_name)
        if has_aggregate(tree):
            raise self.env.session.error(TypeMismatch, "an aggregate cannot be a key of group by", e)
        return tree

    def _add_key(self, tree: exp.Expr) -> None:
        text = _text(tree)
        if text in self.keys:
            return
        scalar = finish(tree.copy(), self.frame, self.env)
        if not groupable(scalar.type):
            raise self.env.session.error(TypeMismatch, f"rows cannot be grouped by a {scalar.type}", tree)
        if self.sets is not None:
            scalar = self.sets.masked(text, scalar)
        name = scalar.column or self.env.session.fresh(self.hints.get(text, "key"))
        self.keys[text] = (name, scalar)

    def _outer_keys(self, pending: list[Scalar], *, scalar: bool) -> None:
        """Conditions `inner = outer` become keys of the group; the domain's columns are keys anyway."""
        correlation = self.env.correlation
        if correlation is not None and correlation.domain is not None:
            for local in correlation.domain.values():
                self.keys[_text(internal(local))] = (local, column_of(self.frame, local))
        for p in pending:
            sides = equality_sides(p, self.frame)
            if sides is None or (self.one_row and not scalar):
                assert correlation is not None
                raise NeedsDomain(correlation)
            inner, outer = sides
            text = str(inner)
            if text not in self.keys:
                self.keys[text] = (inner.column or self.env.session.fresh("key"), inner)
            self.pending.append((outer, self.keys[text][0]))

    def reduce(self, tree: exp.Expr) -> exp.Expr:
        """The expression over keys and results of aggregates."""
        return rewrite(tree.copy(), self._rule)

    def _rule(self, node: exp.Expr) -> exp.Expr | None:
        if is_subquery(node):
            return node
        found = self.keys.get(_text(node))
        if found is not None:
            return internal(found[0], node.this if isinstance(node, exp.Column) else None)
        if is_grouping_call(node):
            if self.sets is None:
                message = "grouping() and grouping_id() need grouping sets, rollup or cube"
                raise self.env.session.error(TypeMismatch, message, node)
            return self.sets.call(node, lambda e: _text(resolve(e, self.frame.scope, self.env)))
        if isinstance(node, exp.Window):
            function = window_function(node)
            for part in list(function.iter_expressions()):
                replacement = rewrite(part, self._rule)
                if replacement is not part:
                    part.replace(replacement)
            for key in ("partition_by", "order"):
                value = node.args.get(key)
                if isinstance(value, list):
                    node.set(key, [rewrite(v, self._rule) for v in value])
                elif isinstance(value, exp.Expr):
                    node.set(key, rewrite(value, self._rule))
            if isinstance(node.this, exp.Filter):
                rewrite(node.this.expression, self._rule)
            return node
        if is_aggregate(node):
            expression = derived(node, self.env)
            return rewrite(expression, self._rule) if expression is not None else internal(self._aggregate(node))
        if isinstance(node, exp.Column) and node.name in self.frame.schema:
            shown = next((self.frame.scope.describe(v) for v in self.frame.scope.star if v.column == node.name), node.name)
            raise self.env.session.error(
                TypeMismatch, f"'{shown}' is neither a key of group by nor inside an aggregate; group by it or aggregate it", node
            )
        return None

    def _aggregate(self, node: exp.Expr) -> str:
        text = _text(node)
        if text in self.aggs:
            return self.aggs[text][0]
        call = parse_call(node, self.env)
        if any(has_aggregate(a) for a in call.args):
            raise self.env.session.error(
                TypeMismatch, "an aggregate inside an aggregate; put the inner one into a subquery", node
            )
        agg = make_agg(guarded(call), node, self.frame, self.env)
        for known, have in self.aggs.values():
            if have == agg or (str(have) == str(agg) and have.type == agg.type):
                self.aggs[text] = (known, have)
                return known
        stem = self.hints.get(text)
        if stem is None:
            source = next(iter(sorted(agg.columns)), None) if len(agg.columns) == 1 else None
            stem = f"{agg.fn}_{source}" if source else agg.fn
        name = self.env.session.fresh(stem)
        self.aggs[text] = (name, agg)
        return name

    def build(self) -> tuple[Frame, list[Scalar]]:
        """The frame after grouping: the scope keeps the columns that are keys."""
        keys = dict(self.keys.values())
        aggs = dict(self.aggs.values())
        node = Aggregate(self.frame.node, tuple(keys.items()), tuple(aggs.items()))
        names = {s.column: n for n, s in keys.items() if s.column is not None}
        frame = Frame(node, self.frame.scope.renamed(names))
        correlation = self.env.correlation
        if self.one_row and correlation is not None and correlation.domain is not None:
            frame.node = self._one_row_for_each(node, aggs)
        pending = []
        for outer, key in self.pending:
            schema = Schema((*frame.schema.columns, *(c for c in self.env.outer_schema() if c.name in outer.columns)))
            tree = exp.EQ(this=col(frame.schema[key]).expr, expression=_wrapped(outer.expr.copy()))
            pending.append(typed(tree, self.env, schema))
        return frame, pending

    def _one_row_for_each(self, node: Aggregate, aggs: dict[str, Agg]) -> Project:
        """An aggregate without keys has a row even where nothing matches: one for each value of the domain."""
        correlation = self.env.correlation
        assert correlation is not None
        assert correlation.domain is not None
        twin = {local: self.env.session.fresh(local) for local in correlation.domain.values()}
        domain = domain_node(correlation, twin)
        on = conjunction(equal(domain.schema[t], node.schema[local], null_safe=True) for local, t in twin.items())
        joined = OuterJoin(domain, node, on, "left")
        items = [(local, col(domain.schema[t])) for local, t in twin.items()]
        items += [(n, empty_as_zero(n, a, joined.schema)) for n, a in aggs.items()]
        return Project(joined, tuple(items))


def empty_as_zero(name: str, agg: Agg, schema: Schema) -> Scalar:
    """An aggregate's column after an outer join, with the value that it has over no rows."""
    column = col(schema[name])
    if agg.fn in NOT_NULL_WHEN_EMPTY:
        tree = exp.Coalesce(this=column.expr, expressions=[integer(0).expr])
        tree.meta["t"] = agg.type
        return Scalar(tree, agg.type)
    if agg.fn in ("collect_list", "collect_set"):
        from belvedere.algebra.typing.context import sql_type

        empty = exp.Cast(this=exp.Array(expressions=[]), to=sql_type(agg.type))
        empty.this.meta["t"] = empty.meta["t"] = agg.type
        tree = exp.Coalesce(this=column.expr, expressions=[empty])
        tree.meta["t"] = agg.type
        return Scalar(tree, agg.type)
    return column


def make_agg(call: Call, node: exp.Expr, frame: Frame, env: Env) -> Agg:
    """The call over the frame before grouping, its arguments typed and cast."""
    scalars = [finish(a.copy(), frame, env) for a in call.args]
    holder = exp.Anonymous(this=call.fn, expressions=[s.expr for s in scalars])
    context = Context(frame.schema, env.session.text, env.session.names.udf)
    t = aggregate_type(context, node, call.fn, list(holder.expressions), distinct=call.distinct)
    args = []
    for e in holder.expressions:
        e = e.copy()
        args.append(Scalar(e, e.meta["t"]))
    return Agg(call.fn, tuple(args), t, call.distinct)


def _text(tree: exp.Expr) -> str:
    return tree.sql("spark")


def _wrapped(e: exp.Expr) -> exp.Expr:
    if tight(e):
        return e
    return exp.Paren(this=e)
