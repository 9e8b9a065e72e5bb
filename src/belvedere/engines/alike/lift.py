"""One plan for several of the same shape: every row that differs from plan to plan carries the number of its plan.

Law: let X be the plans' inputs put together, each row with its plan's number as one more column. An operator that treats this
column as part of every key (of groups, partitions and joins) and hands it on does for each number what it does alone. Leaves and
parts that are the same for all plans carry no number, and are worked out once; they are given one, for all plans, where they meet
rows that have one and it matters. Constants that differ are columns of a small relation, by number.

Where a plan has one row for everything, even if there is nothing (a sum without groups), or counts rows from the top, there is no
such law that pays: those are not alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from belvedere.algebra.copying import copied, replaced
from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Aggregate,
    Closure,
    Filter,
    Get,
    Join,
    Keys,
    OuterJoin,
    Project,
    SemiJoin,
    Share,
    Tally,
    TopK,
    UnionAll,
    Values,
    Window,
    keep,
    renamed,
)
from belvedere.algebra.scalar import Scalar, col, conjunction, equal, is_null, tight, true, when
from belvedere.algebra.types import BigInt, Column, Schema
from belvedere.engines.alike.skeleton import PLACE, Skeleton, number, skeleton, with_scalars

#: the column with the number of the plan, and its name on the other side of a join
MEMBER = "\0member"
_OTHER = "\0other"
#: the relation of the constants that differ, and the names of leaves that hold the rows of all plans
CONSTANTS = "\0constants"
LEAF = "\0leaf"

_TAG = Column(MEMBER, BigInt())
_TAG_2 = Column(_OTHER, BigInt())

#: a part of the new plan, and whether its rows carry a number
Part = tuple[Node, bool]


class NotAlike(Exception):
    """These plans cannot be one."""


def lifted(shape: Skeleton, leaves: Sequence[Get | None], constants: Sequence[Scalar | None]) -> Node:
    """The plan for all: its rows have the number first, then the columns of each. A leaf or constant that is the same in all is
    given; None where it differs."""
    node, tagged = _Lift(tuple(leaves), tuple(constants)).visit(shape.node)
    if not tagged:
        raise NotAlike("nothing differs")
    return keep(node, (MEMBER, *shape.node.schema.names))


def liftable(plan: Node) -> bool:
    """Whether plans of its shape can be one, whatever differs between them; a shape remembers it."""
    shape = skeleton(plan)
    known: bool | None = shape.node.__dict__.get("_liftable")
    if known is None:
        try:
            lifted(shape, [None] * len(shape.leaves), [None] * len(shape.constants))
            known = True
        except NotAlike:
            known = False
        shape.node.__dict__["_liftable"] = known
    return known


def leaf_name(number: int) -> str:
    return f"{LEAF}{number}"


def constant_name(number: int) -> str:
    return f"\0constant{number}"


@dataclass
class _Lift:
    leaves: tuple[Get | None, ...]
    constants: tuple[Scalar | None, ...]
    _done: dict[int, Part] = field(default_factory=dict)
    _kept: list[Node] = field(default_factory=list)

    def visit(self, node: Node) -> Part:
        if id(node) not in self._done:
            self._kept.append(node)
            self._done[id(node)] = self._lift(node)
        return self._done[id(node)]

    def _lift(self, node: Node) -> Part:
        match node:
            case Get():
                return self._leaf(node)
            case Values():
                return node, False
            case Closure():
                raise NotAlike("a closure")
            case Join():
                return self._join(node)
            case SemiJoin():
                return self._semi_join(node)
            case OuterJoin():
                return self._outer_join(node)
            case UnionAll(parts=parts):
                return self._union([self.visit(p) for p in parts])
            case _:
                return self._unary(node, *self.visit(node.inputs[0]))

    def _leaf(self, node: Get) -> Part:
        at = int(node.name.removeprefix(PLACE))
        known = self.leaves[at]
        if known is not None:
            return known, False
        names = (MEMBER, *node.types.names)
        return Get(leaf_name(at), Schema((_TAG, *node.types)), names, node.version, node.by), True

    def _unary(self, node: Node, inner: Node, tagged: bool) -> Part:
        wanted = self._wanted(node)
        if wanted:
            inner, tagged = self._with_constants(inner, tagged, wanted), True
        made = with_scalars(node.with_inputs(inner), self._fill)
        if not tagged:
            return made, False
        mine = (MEMBER, col(_TAG))
        match made:
            case Project(items=items):
                return Project(inner, (mine, *items)), True
            case Keys(items=items):
                return Keys(inner, (mine, *items)), True
            case Aggregate(keys=keys, aggs=aggs) if keys:
                return Aggregate(inner, (mine, *keys), aggs), True
            case Tally(keys=keys, sums=sums) if keys:
                return Tally(inner, (mine, *keys), sums), True
            case Window():
                return replace(made, partition=(MEMBER, *made.partition)), True
            case Aggregate() | Tally() | TopK():
                raise NotAlike("one result for everything")
            case _:  # what works on each row, or on equal rows, and hands its columns on
                return (keep(made, (MEMBER, *node.schema.names)) if wanted else made), True

    def _join(self, node: Join) -> Part:
        (left, a), (right, b) = self.visit(node.left), self.visit(node.right)
        wanted = self._wanted(node)
        if wanted:
            left, a = self._with_constants(left, a, wanted), True
        both = a and b
        made = with_scalars(Join(left, _other(right) if both else right, node.on), self._fill)
        if not a and not b:
            return made, False
        if both:
            made = replace(made, on=conjunction((made.on, equal(_TAG, _TAG_2))))
        return keep(made, (MEMBER, *node.schema.names)), True

    def _semi_join(self, node: SemiJoin) -> Part:
        (left, a), (right, b) = self.visit(node.left), self.visit(node.right)
        if not b:
            return SemiJoin(left, right, node.on, node.anti), a
        if not a and not node.anti and _at_most_once(node):
            return keep(Join(left, right, node.on), (MEMBER, *node.schema.names)), True
        left = left if a else self._tagged(left)
        return SemiJoin(left, _other(right), conjunction((node.on, equal(_TAG, _TAG_2))), node.anti), True

    def _outer_join(self, node: OuterJoin) -> Part:
        (left, a), (right, b) = self.visit(node.left), self.visit(node.right)
        if not a and not b:
            return OuterJoin(left, right, node.on, node.kind), False
        if (node.kind == "left" and not b) or (node.kind == "right" and not a):
            return OuterJoin(left, right, node.on, node.kind), True
        left, right = left if a else self._tagged(left), _other(right if b else self._tagged(right))
        joined = OuterJoin(left, right, conjunction((node.on, equal(_TAG, _TAG_2))), node.kind)
        mine, theirs = col(_TAG), col(_TAG_2)
        tag = {"left": mine, "right": theirs, "full": when(is_null(mine), theirs, mine)}[node.kind]
        return Project(joined, ((MEMBER, tag), *((c.name, col(c)) for c in node.schema))), True

    def _union(self, parts: list[Part]) -> Part:
        if not any(tagged for _, tagged in parts):
            return UnionAll(tuple(p for p, _ in parts)), False
        every = [p if tagged else self._tagged(p) for p, tagged in parts]
        return UnionAll(tuple(keep(p, (MEMBER, *(n for n in p.schema.names if n != MEMBER))) for p in every)), True

    # -- numbers and constants -----------------------------------------------------------------------------------------

    def _tagged(self, node: Node) -> Node:
        """The rows once for each plan."""
        return keep(Join(node, _constants(_TAG), true()), (MEMBER, *node.schema.names))

    def _with_constants(self, node: Node, tagged: bool, wanted: list[Column]) -> Node:
        """The rows with the number of their plan, and its constants."""
        if not tagged:
            return Join(node, _constants(_TAG, *wanted), true())
        names = tuple(c.name for c in wanted)
        joined = Join(node, renamed(_constants(_TAG, *wanted), (_OTHER, *names)), equal(_TAG, _TAG_2))
        return keep(joined, (*node.schema.names, *names))

    def _wanted(self, node: Node) -> list[Column]:
        """The constants in its expressions that differ."""
        found: dict[int, Column] = {}

        def look(scalar: Scalar) -> Scalar:
            for mark in scalar.expr.find_all(exp.Placeholder):
                if self.constants[number(mark)] is None:
                    found[number(mark)] = Column(constant_name(number(mark)), mark.meta["t"])
            return scalar

        with_scalars(node, look)
        return list(found.values())

    def _fill(self, scalar: Scalar) -> Scalar:
        """With constants in the place of marks, and columns in the place of those that differ."""
        if next(scalar.expr.find_all(exp.Placeholder), None) is None:
            return scalar

        def swap(node: exp.Expr) -> exp.Expr | None:
            if not isinstance(node, exp.Placeholder):
                return None
            known = self.constants[number(node)]
            if known is None:
                return col(Column(constant_name(number(node)), node.meta["t"])).expr
            made = copied(known.expr)
            return made if tight(made) else exp.paren(made, copy=False)

        return Scalar(replaced(scalar.expr, swap), scalar.type)


def _constants(*columns: Column) -> Get:
    schema = Schema(columns)
    return Get(CONSTANTS, schema, schema.names)


def _other(node: Node) -> Node:
    """With the number under its other name; below a condition, so that a lookup and its branch for NULL keys still look it."""
    if isinstance(node, Filter):
        return Filter(_other(node.input), node.condition)
    return renamed(node, tuple(_OTHER if n == MEMBER else n for n in node.schema.names))


def _at_most_once(node: SemiJoin) -> bool:
    """Whether a row of the left meets at most one row of the right for each plan: no two keys are equal, and all of a key is
    compared."""
    right = node.right
    while isinstance(right, Share):
        right = right.input
    if not isinstance(right, Keys):
        return False
    met: set[str] = set()
    for part in node.on.conjuncts():
        if not isinstance(part.expr, (exp.EQ, exp.NullSafeEQ)):
            return False
        for side, across in ((part.expr.left.unnest(), part.expr.right), (part.expr.right.unnest(), part.expr.left)):
            own = {c.name for c in across.find_all(exp.Column)}
            if isinstance(side, exp.Column) and side.name in right.schema and own <= set(node.left.schema.names):
                met.add(side.name)
    return met == set(right.schema.names)
