"""Conditions with subqueries at the top of a where or having clause: exists, in, any and all become semi- and antijoins."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, SemiJoin
from belvedere.algebra.scalar import Scalar, conjunction, tight
from belvedere.algebra.types import Schema
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.columns import internal, is_subquery, resolve
from belvedere.languages.sql.decorrelate import bind_correlated, matching
from belvedere.languages.sql.expressions import as_condition, finish, typed
from belvedere.languages.sql.relations import narrowed
from belvedere.languages.sql.state import Env, Frame

_FLIPPED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip


def apply_predicate(part: exp.Expr, frame: Frame, env: Env, where: str, *, negated: bool = False) -> None:
    """Keep the rows of the frame for which the condition (or, negated, its opposite) is true."""
    inner = part.unnest()
    if isinstance(inner, exp.Not):
        apply_predicate(inner.this, frame, env, where, negated=not negated)
    elif isinstance(inner, exp.Or if negated else exp.And):
        apply_predicate(inner.args["this"], frame, env, where, negated=negated)
        apply_predicate(inner.args["expression"], frame, env, where, negated=negated)
    elif (test := membership(inner)) is not None:
        member = Membership(test, frame, env)
        frame.node = member.refused(frame.node) if negated else member.kept(frame.node)
    else:
        tree = resolve(inner, frame.scope, env)
        if negated:
            tree = exp.Not(this=exp.Paren(this=tree))
        condition = as_condition(finish(tree, frame, env), env, where)
        frame.node = Filter(frame.node, condition)


def membership(node: exp.Expr) -> exp.Expr | None:
    """The node if it asks whether a subquery has (matching) rows."""
    if isinstance(node, exp.Exists) and is_subquery(node.this):
        return node
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        return node
    if type(node) in _FLIPPED and isinstance(node.args["expression"], (exp.Any, exp.All)) and _inner(node) is not None:
        return node
    return None


def _inner(node: exp.Expr) -> exp.Expr | None:
    query = node.args["expression"].this
    while isinstance(query, exp.Paren):
        query = query.this
    return query if isinstance(query, exp.Expr) and is_subquery(query) else None


class Membership:
    """exists(q), x in q, x op any q, x op all q over a frame. `all` is the negation of `any` with the opposite operator."""

    def __init__(self, node: exp.Expr, frame: Frame, env: Env) -> None:
        self.env = env
        self.flipped = False
        self.sides: dict[tuple[str, ...], Node] = {}
        self.pairs: list[tuple[exp.Expr, exp.Expr]] = []
        self.operator: type[exp.Expr] = exp.EQ
        if isinstance(node, exp.Exists):
            self.query = bind_correlated(_only_existence(node.this), frame, env)
            left: list[exp.Expr] = []
        elif isinstance(node, exp.In):
            left = list(node.this.expressions) if isinstance(node.this, exp.Tuple) else [node.this]
            left = self._bound(left, frame)
            self.query = bind_correlated(node.args["query"], frame, env)
        else:
            quantified = node.args["expression"]
            self.operator = type(node)
            if isinstance(quantified, exp.All):
                self.flipped, self.operator = True, _FLIPPED[type(node)]
            left = self._bound([node.args["this"]], frame)
            inner = _inner(node)
            assert inner is not None
            self.query = bind_correlated(inner, frame, env)
        if left and len(left) != len(self.query.columns):
            message = f"the subquery gives {len(self.query.columns)} column(s), and {len(left)} value(s) are looked for in it"
            raise env.session.error(TypeMismatch, message, node)
        self.matching = matching(self.query, frame)
        self.schema = Schema(frame.schema.columns + self.query.node.schema.columns)
        self.pairs = [(x, internal(name)) for x, name in zip(left, self.query.outputs, strict=False)]

    def _bound(self, values: list[exp.Expr], frame: Frame) -> list[exp.Expr]:
        return [finish(resolve(v, frame.scope, self.env), frame, self.env).expr for v in values]

    def kept(self, node: Node) -> Node:
        """Rows for which it is true."""
        return self._without_any(node) if self.flipped else self._with_match(node)

    def refused(self, node: Node) -> Node:
        """Rows for which it is false."""
        return self._with_match(node) if self.flipped else self._without_any(node)

    def unknown(self, node: Node) -> Node | None:
        """Rows for which it is NULL: nothing matches, but something might."""
        if not self.pairs:
            return None
        unmatched = self._join(node, [self._compare()], anti=True)
        return self._join(unmatched, [self._might()], anti=False)

    def _with_match(self, node: Node) -> Node:
        return self._join(node, [self._compare()] if self.pairs else [], anti=False)

    def _without_any(self, node: Node) -> Node:
        """Rows without a row in the subquery that matches or, for a NULL, might. For one value these are three antijoins,
        each on equality or on one side alone, rather than one on an `or`, which no engine joins fast."""
        if not self.pairs:
            return self._join(node, [], anti=True)
        if len(self.pairs) > 1:
            return self._join(
                node,
                [self._typed(exp.Or(this=exp.Paren(this=self._tree()), expression=exp.Paren(this=self._might_tree())))],
                anti=True,
            )
        (x, y) = self.pairs[0]
        node = self._join(node, [self._compare()], anti=True)
        if not isinstance(x, exp.Literal):
            node = self._join(node, [self._typed(_is_null(x))], anti=True)
        return self._join(node, [self._typed(_is_null(y))], anti=True)

    def _join(self, node: Node, conditions: list[Scalar], *, anti: bool) -> Node:
        on = conjunction([*conditions, *self.matching])
        used = tuple(n for n in self.query.node.schema.names if n in on.columns)
        if used not in self.sides:
            self.sides[used] = narrowed(self.query.node, used) if used else self.query.node
        right = self.sides[used]
        return SemiJoin(node, right, on, anti)

    def _tree(self) -> exp.Expr:
        parts: list[exp.Expr] = [self.operator(this=_paren(x.copy()), expression=y.copy()) for x, y in self.pairs]
        tree = parts[0]
        for p in parts[1:]:
            tree = exp.And(this=tree, expression=p)
        return tree

    def _compare(self) -> Scalar:
        return self._typed(self._tree())

    def _might_tree(self) -> exp.Expr:
        """Every position is equal or has a NULL."""
        parts: list[exp.Expr] = []
        for x, y in self.pairs:
            nulls = exp.Or(this=_is_null(x), expression=_is_null(y))
            equal = self.operator(this=_paren(x.copy()), expression=y.copy())
            parts.append(exp.Paren(this=exp.Or(this=nulls, expression=equal)))
        tree = parts[0]
        for p in parts[1:]:
            tree = exp.And(this=tree, expression=p)
        return tree

    def _might(self) -> Scalar:
        return self._typed(self._might_tree())

    def _typed(self, tree: exp.Expr) -> Scalar:
        return typed(tree, self.env, self.schema)


def _paren(e: exp.Expr) -> exp.Expr:
    return e if tight(e) else exp.Paren(this=e)


def _is_null(e: exp.Expr) -> exp.Expr:
    return exp.Is(this=_paren(e.copy()), expression=exp.null())


def _only_existence(query: exp.Expr) -> exp.Expr:
    """The query without what does not decide whether it has rows: order, distinct, a limit of at least one."""
    if not isinstance(query, exp.Select):
        return query
    query = query.copy()
    query.set("distinct", None)
    limit = query.args.get("limit")
    if query.args.get("offset") is None:
        query.set("order", None)
        value = limit.args.get("expression") if isinstance(limit, exp.Limit) else None
        if isinstance(value, exp.Literal) and str(value.this).isdigit() and int(value.this) > 0:
            query.set("limit", None)
    return query
