"""What is left of a plan without the names of its leaves and the constants that it compares with.

Views of one dashboard often differ in nothing else: `price > 150` here, `price > 300` there, each with a stored state of its own.
Two plans with equal skeletons do the same with other leaves and other constants.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from sqlglot import exp

from belvedere.algebra.copying import replaced
from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Filter, Get, Join, Keys, Project, Tally, gets
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Boolean, DataType, Date, Decimal, Integral, String

#: names of leaves in a skeleton begin so
PLACE = "\0place"
#: operators in whose expressions constants may differ
OPEN = (Filter, Join, Project, Keys, Aggregate, Tally)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)
_CONSTANT = (exp.Literal, exp.Cast, exp.Neg, exp.Paren, exp.DataType, exp.DataTypeParam, exp.Boolean)

#: shapes that are remembered
SHAPES = 512
_SHAPES: OrderedDict[Node, Node] = OrderedDict()
_LOCK = threading.Lock()

N = TypeVar("N", bound=Node)


@dataclass(frozen=True)
class Skeleton:
    """A plan whose leaves are numbered places, and whose constants are numbered marks; and what stood there."""

    node: Node
    leaves: tuple[Get, ...]
    constants: tuple[Scalar, ...]


def skeleton(plan: Node) -> Skeleton:
    """A node remembers it."""
    known: Skeleton | None = plan.__dict__.get("_skeleton")
    if known is None:
        leaves = gets(plan)
        places = {g: place(n, g) for n, g in enumerate(leaves)}
        marks = _Marks()
        done: dict[Node, Node] = {}

        def strip(node: Node) -> Node:
            if node not in done:  # equal parts, as those under one name, have the same marks
                done[node] = places[node] if isinstance(node, Get) else with_scalars(node, marks.mark)
            return done[node]

        known = plan.__dict__["_skeleton"] = Skeleton(_one(plan.transform(strip)), leaves, tuple(marks.found))
    return known


def _one(shape: Node) -> Node:
    """The same object for equal shapes, as far as they are remembered: these are compared in no time."""
    with _LOCK:
        found = _SHAPES.setdefault(shape, shape)
        _SHAPES.move_to_end(shape)
        if len(_SHAPES) > SHAPES:
            _SHAPES.popitem(last=False)
        return found


def place(number: int, get: Get) -> Get:
    """The leaf of a skeleton: all of the plan's own but what it reads."""
    return replace(get, name=f"{PLACE}{number}", columns=get.types.names)


def with_scalars(node: N, change: Callable[[Scalar], Scalar]) -> N:
    """The operator with other expressions, where constants in them may differ."""
    if not isinstance(node, OPEN):
        return node
    before = {f.name: getattr(node, f.name) for f in fields(node)}
    after = {name: _changed(value, change) for name, value in before.items()}
    return node if all(after[n] is before[n] for n in before) else replace(node, **after)


def _changed(value: Any, change: Callable[[Scalar], Scalar]) -> Any:
    match value:
        case Scalar():
            return change(value)
        case Agg(args=args):
            found = _changed(args, change)
            return value if found is args else replace(value, args=found)
        case tuple():
            parts = tuple(_changed(v, change) for v in value)
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
        case _:
            return value


class _Marks:
    """Takes constants out of expressions, and numbers them in the order of the plan."""

    def __init__(self) -> None:
        self.found: list[Scalar] = []

    def mark(self, scalar: Scalar) -> Scalar:
        if scalar.from_outside or not scalar.columns or next(scalar.expr.find_all(*_COMPARISONS), None) is None:
            return scalar
        before = len(self.found)
        expr = replaced(scalar.expr, self._swap)
        return scalar if len(self.found) == before else Scalar(expr, scalar.type)

    def _swap(self, node: exp.Expr) -> exp.Expr | None:
        parent = node.parent
        if not isinstance(parent, _COMPARISONS) or parent.find(exp.Column) is None:
            return None
        t = node.meta.get("t")
        if t is None or not _is_plain(t) or not all(isinstance(n, _CONSTANT) for n in node.walk()):
            return None
        self.found.append(Scalar(node, t))
        mark = exp.Placeholder(this=f"{len(self.found) - 1} {t}")  # where types differ, so do skeletons
        mark.meta["t"] = t
        return mark


def number(mark: exp.Placeholder) -> int:
    """Which constant a mark stands for."""
    return int(mark.name.split(" ", 1)[0])


def _is_plain(t: DataType) -> bool:
    """Types of constants that mean the same in a row as in the text. (A NULL or NaN is not written as one.)"""
    return isinstance(t, (Integral, Decimal, String, Date, Boolean))
