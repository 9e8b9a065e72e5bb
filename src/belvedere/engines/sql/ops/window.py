"""Window → OVER (…) on rows of weight 1.

The result must be a function of the rows. Ties in the order are broken by all other columns for functions that look at
single rows (row_number, lag, lead, ntile, ROWS frames); never for those that look at peers (rank and its like, RANGE
frames), where a tie-breaker would part the peers. first_value and last_value over a RANGE frame are asked of the
ordered peers, so that they too have one answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from belvedere.algebra.ops import Agg, Window, WindowCall
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Column
from belvedere.engines.sql import build
from belvedere.engines.sql.aggregates.call import Call
from belvedere.engines.sql.aggregates.table import FUNCTIONS, find
from belvedere.engines.sql.block import Block
from belvedere.engines.sql.frames import Frame, parse_frame
from belvedere.engines.sql.lowering import Lowering
from belvedere.engines.sql.ordering import order_by
from belvedere.engines.sql.staging import Staged
from belvedere.engines.sql.windows import PEERS, POSITIONS, VALUES, function_name, native
from belvedere.errors import Unsupported


def lower(node: Window, to: Lowering) -> Block:
    block = to.units(to.settled(to.block(node.input)), "units")
    block = to.groupable(to.single(block, "rows"), "rows")
    staged = Staged(to)
    values = [(Column(n, c.call.type), _call(node, c, block, to, staged)) for n, c in node.calls]
    kept = [(c, block.value(c.name)) for c in block.schema]
    if not staged.first:
        made = to.project(block, [*kept, *values])
        return replace(to.close(made, "windowed"), positive=True)
    values = [(c, staged.hoist(v)) for c, v in values]
    inner = to.close(to.project(block, [*kept, *staged.first]), "gathered")
    return replace(to.close(staged.finish(inner, block.schema.columns, values), "windowed"), positive=True)


@dataclass(frozen=True)
class _Over:
    """Makes OVER clauses for one window over one block."""

    node: Window
    block: Block
    to: Lowering

    def __call__(self, function: exp.Expr, *, ties: bool, frame: Frame | None, peers: bool = False) -> exp.Expr:
        partition = [self.block.value(n) for n in self.node.partition]
        order = order_by(self.block, self.node.order, self.to, ties=ties, skip=frozenset(self.node.partition))
        if peers:
            keys = [k.column for k in self.node.order]
            partition += [self.block.value(k) for k in keys]
            order = order_by(self.block, (), self.to, ties=True, skip=frozenset({*self.node.partition, *keys}))
        return exp.Window(
            this=function, partition_by=partition, order=exp.Order(expressions=order) if order else None,
            spec=frame.spec() if frame else None,
        )  # fmt: skip


def _call(node: Window, window: WindowCall, block: Block, to: Lowering, staged: Staged) -> exp.Expr:
    expr = window.call.expr
    name = function_name(expr)
    frame = parse_frame(window.frame)
    over = _Over(node, block, to)
    if name in POSITIONS:
        made = over(native(expr, block, to), ties=True, frame=None)
    elif name in PEERS:
        made = over(native(expr, block, to), ties=False, frame=None)
    elif name in VALUES:
        made = _value(name, native(expr, block, to), frame, node, over)
    elif name in FUNCTIONS:
        return _aggregate(name, window, frame, block, to, over, staged)
    else:
        raise Unsupported(f"the window function {name} is not supported")
    return to.dialect.cast(made, window.call.type)


def _value(name: str, function: exp.Expr, frame: Frame | None, node: Window, over: _Over) -> exp.Expr:
    """first_value, last_value, nth_value."""
    whole = Frame("ROWS", "UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING")
    if frame is not None and frame.kind == "ROWS":
        return over(function, ties=True, frame=frame)
    if not node.order:
        return over(function, ties=True, frame=whole)
    start, end = (frame.start, frame.end) if frame is not None else ("UNBOUNDED PRECEDING", "CURRENT ROW")
    edge = start if name == "first_value" else end
    if name in ("first_value", "last_value") and edge.startswith("UNBOUNDED"):
        return over(function, ties=True, frame=whole)
    if name in ("first_value", "last_value") and edge == "CURRENT ROW":
        return over(function, ties=True, frame=whole, peers=True)
    raise Unsupported(f"{name} over a RANGE frame with offsets has no single answer; use a ROWS frame")


def _aggregate(name: str, window: WindowCall, frame: Frame | None, block: Block, to: Lowering, over: _Over,
               staged: Staged) -> exp.Expr:  # fmt: skip
    """An aggregate function over a frame: the same formulas as for groups, with OVER behind each aggregate."""
    expr, condition = window.call.expr, None
    if isinstance(expr, exp.Filter):
        condition = to.scalar(Scalar(expr.expression.this, window.call.type), block)
        expr = expr.this
    distinct = isinstance(expr.this, exp.Distinct) if isinstance(expr.this, exp.Expr) else False
    operands = _operands(expr)
    agg = Agg(name, tuple(Scalar(o, o.meta["t"]) for o in operands), window.call.type, distinct)
    ties = frame is not None and frame.kind == "ROWS"

    def windowed(function: exp.Expr) -> exp.Expr:
        if condition is not None:
            old = function.expression.this if isinstance(function, exp.Filter) else None
            inner = function.this if isinstance(function, exp.Filter) else function
            both = build.conjunction([condition.copy(), *([old] if old is not None else [])])
            function = build.filtered(inner, both)
        return over(function, ties=ties, frame=frame)

    args = tuple(to.scalar(a, block) for a in agg.args)
    types = tuple(a.type for a in agg.args)
    call = Call(name, args, types, distinct, agg.type, None, True, to.dialect, to.names, windowed, staged.stage, staged.derive)
    return find(agg)[0](call)


def _operands(expr: exp.Expr) -> list[exp.Expr]:
    """The arguments of an aggregate call as sqlglot keeps them."""
    first = expr.this
    if isinstance(first, exp.Distinct):
        return list(first.expressions)
    if isinstance(expr, exp.Anonymous):
        return list(expr.expressions)
    if first is None or isinstance(first, exp.Star):
        return []
    more = [v for k, v in expr.args.items() if k in ("expression",) and isinstance(v, exp.Expr)]
    return [first, *more, *expr.expressions]
