"""Scalars: typed expressions over the columns of one node's input.

A scalar wraps a sqlglot expression in Spark's dialect. Columns appear as bare quoted identifiers, without a qualifier,
because names are unique inside a schema. Every node of the expression carries its type in `meta["t"]`
(see `algebra.typing.annotate`), which is what the engines read when two dialects differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from belvedere.algebra.copying import copied, replaced
from belvedere.algebra.types import BigInt, Boolean, Column, DataType, Schema, String

#: marks what is given from outside of the data: the call of a user's function, the value of a view's parameter
OUTSIDE = "outside"

#: what stands around a message of ours in whatever an engine says when it fails
SAID = ("<<udf ", " udf>>")

#: expressions that have a value for all values of their parts
_TOTAL = (
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.And, exp.Or, exp.Not, exp.Is,
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
)  # fmt: skip

#: expressions that fail for some values of their parts, which are no mistake: a zero, a text that is no number
_PARTIAL = (
    exp.Div, exp.IntDiv, exp.Mod, exp.Bracket, exp.StrToTime, exp.StrToDate, exp.TsOrDsToDate, exp.StrToUnix, exp.ToNumber,
    exp.DateFromParts, exp.TimestampFromParts,
)  # fmt: skip
_PARTIAL_NAMES = frozenset({"element_at", "raise_error", "assert_true", "to_number", "make_date", "make_timestamp", "pmod"})


@dataclass(frozen=True)
class Scalar:
    """A typed expression. Never change `expr` in place: copy it first."""

    expr: exp.Expr
    type: DataType

    @cached_property
    def columns(self) -> frozenset[str]:
        """Names of the columns it reads."""
        return frozenset(c.name for c in self.expr.find_all(exp.Column))

    @property
    def column(self) -> str | None:
        """The name, if it is nothing but a column."""
        return self.expr.name if isinstance(self.expr, exp.Column) else None

    @cached_property
    def from_outside(self) -> bool:
        """Whether it depends on more than its columns: the code of a user's function, or the value of a parameter."""
        return any(n.meta.get(OUTSIDE) for n in self.expr.walk())

    @cached_property
    def never_fails(self) -> bool:
        """Whether it has a value whatever its columns hold: it is made of columns, constants, comparisons and logic only."""
        return not self.from_outside and _is_total(self.expr)

    @cached_property
    def may_fail(self) -> bool:
        """Whether it is known to fail for some rows that a table can well hold. (Numbers that overflow are left out.)"""
        return any(_is_partial(n) for n in self.expr.walk())

    @property
    def is_struct(self) -> bool:
        """A struct that is made on the spot, and so is never NULL itself."""
        return isinstance(self.expr, exp.Struct)

    @property
    def is_true(self) -> bool:
        return isinstance(self.expr, exp.Boolean) and bool(self.expr.this)

    def substitute(self, mapping: Mapping[str, Scalar]) -> Scalar:
        """Replace columns by scalars, all at once."""
        if not (self.columns & mapping.keys()):
            return self

        def swap(node: exp.Expr) -> exp.Expr | None:
            if isinstance(node, exp.Column) and node.name in mapping:
                replacement = copied(mapping[node.name].expr)
                return replacement if tight(replacement) else _paren(replacement)
            return None

        return Scalar(replaced(self.expr, swap), self.type)

    def rename(self, names: Mapping[str, str]) -> Scalar:
        """Replace column names."""
        if not (self.columns & names.keys()):
            return self

        def swap(node: exp.Expr) -> exp.Expr | None:
            if isinstance(node, exp.Column) and node.name in names:
                return _column(names[node.name], node.meta.get("t"))
            return None

        return Scalar(replaced(self.expr, swap), self.type)

    def conjuncts(self) -> tuple[Scalar, ...]:
        """The parts of a conjunction."""
        parts = self.expr.flatten() if isinstance(self.expr, exp.And) else [self.expr]
        out: list[Scalar] = []
        for p in parts:
            inner = p.unnest()
            if isinstance(inner, exp.And):
                out.extend(Scalar(inner, Boolean()).conjuncts())
            elif not (isinstance(inner, exp.Boolean) and inner.this):
                out.append(Scalar(inner, Boolean()))
        return tuple(out)

    def equality(self) -> tuple[str, str] | None:
        """(a, b) if it says that two plain columns are equal, NULL never equal to NULL."""
        if isinstance(self.expr, exp.EQ):
            left, right = self.expr.left.unnest(), self.expr.right.unnest()
            if isinstance(left, exp.Column) and isinstance(right, exp.Column):
                return left.name, right.name
        return None

    def __str__(self) -> str:
        return self.expr.sql("spark")


def _is_total(node: exp.Expr) -> bool:
    if isinstance(node, (exp.Cast, exp.Neg)):
        return isinstance(node.this, exp.Literal)  # fails for all rows or for none
    return isinstance(node, _TOTAL) and all(map(_is_total, node.iter_expressions()))


def _is_partial(node: exp.Expr) -> bool:
    if isinstance(node, exp.TryCast):
        return False
    if isinstance(node, exp.Cast):
        source, target = node.this.meta.get("t"), node.meta.get("t")
        return isinstance(source, String) and not isinstance(target, String) and not isinstance(node.this, exp.Literal)
    called = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    return isinstance(node, _PARTIAL) or called in _PARTIAL_NAMES or (bool(called) and bool(node.meta.get(OUTSIDE)))


def _column(name: str, t: DataType | None) -> exp.Column:
    node = exp.Column(this=exp.to_identifier(name, quoted=True))
    if t is not None:
        node.meta["t"] = t
    return node


def tight(node: exp.Expr) -> bool:
    """Whether it can stand anywhere without parentheses. In sqlglot `and`, `or` and some other infix operators are functions."""
    return isinstance(node, (exp.Column, exp.Literal, exp.Paren, exp.Func)) and not isinstance(node, exp.Binary)


def _paren(node: exp.Expr) -> exp.Expr:
    wrapped = exp.Paren(this=node)
    if "t" in node.meta:
        wrapped.meta["t"] = node.meta["t"]
    return wrapped


def _typed(node: exp.Expr, t: DataType) -> Scalar:
    node.meta["t"] = t
    return Scalar(node, t)


def col(column: Column) -> Scalar:
    """The column itself."""
    return Scalar(_column(column.name, column.type), column.type)


def cols(schema: Schema) -> tuple[tuple[str, Scalar], ...]:
    """All columns of a schema, as the items of a projection that changes nothing."""
    return tuple((c.name, col(c)) for c in schema)


def true() -> Scalar:
    return _typed(exp.true(), Boolean())


def integer(value: int) -> Scalar:
    """A bigint constant."""
    inner = exp.Literal.number(abs(value))
    inner.meta["t"] = BigInt()
    node: exp.Expr = inner
    if value < 0:
        node = exp.Neg(this=inner)
        node.meta["t"] = BigInt()
    return _typed(exp.Cast(this=node, to=exp.DataType.build("bigint")), BigInt())


def constant(scalar: Scalar) -> int | None:
    """The number, if it is nothing but an integer constant."""
    node = scalar.expr
    while isinstance(node, (exp.Cast, exp.Paren)):
        node = node.this
    sign = -1 if isinstance(node, exp.Neg) else 1
    node = node.this if isinstance(node, exp.Neg) else node
    return sign * int(node.name) if isinstance(node, exp.Literal) and node.is_int else None


def string(value: str) -> Scalar:
    """A string constant."""
    return _typed(exp.Literal.string(value), String())


def null(t: DataType) -> Scalar:
    """A typed NULL."""
    return _typed(exp.Cast(this=exp.null(), to=exp.DataType.build(str(t), dialect="spark")), t)


def conjunction(parts: Iterable[Scalar]) -> Scalar:
    """The conjunction of any number of conditions; true for none."""
    kept = [p for p in parts if not p.is_true]
    if not kept:
        return true()
    node = copied(kept[0].expr)
    for p in kept[1:]:
        left = node if isinstance(node, exp.And) or tight(node) else _paren(node)
        right = copied(p.expr)
        node = exp.And(this=left, expression=right if tight(right) else _paren(right))
        node.meta["t"] = Boolean()
    return Scalar(node, Boolean())


def disjunction(parts: Iterable[Scalar]) -> Scalar:
    """The disjunction of one or more conditions."""
    first, *rest = [_paren(copied(p.expr)) for p in parts]
    node: exp.Expr = first
    for p in rest:
        node = exp.Or(this=node, expression=p)
        node.meta["t"] = Boolean()
    return Scalar(node, Boolean())


def equal(a: Column, b: Column, *, null_safe: bool = False) -> Scalar:
    """a = b, or a <=> b where NULL equals NULL."""
    kind = exp.NullSafeEQ if null_safe else exp.EQ
    return _typed(kind(this=_column(a.name, a.type), expression=_column(b.name, b.type)), Boolean())


def compare(op: str, a: Scalar, b: Scalar) -> Scalar:
    """a op b for op in = <> < <= > >=."""
    kinds: dict[str, type[exp.Binary]] = {"=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
    return _typed(kinds[op](this=_paren(copied(a.expr)), expression=_paren(copied(b.expr))), Boolean())


def when(condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
    """CASE WHEN condition THEN then ELSE otherwise END."""
    branch = exp.If(this=copied(condition.expr), true=copied(then.expr))
    return _typed(exp.Case(ifs=[branch], default=copied(otherwise.expr)), then.type)


def is_null(a: Scalar) -> Scalar:
    return _typed(exp.Is(this=_paren(copied(a.expr)), expression=exp.null()), Boolean())


def negation(a: Scalar) -> Scalar:
    """NOT a (three-valued)."""
    return _typed(exp.Not(this=_paren(copied(a.expr))), Boolean())


def cast(a: Scalar, t: DataType) -> Scalar:
    """a as type t; nothing if it is of that type already."""
    if a.type == t:
        return a
    return _typed(exp.Cast(this=copied(a.expr), to=exp.DataType.build(str(t), dialect="spark")), t)


def divide(a: Scalar, b: Scalar, t: DataType) -> Scalar:
    """a / b with a result type that the caller knows (Spark's rules)."""
    node = exp.Div(this=_paren(copied(a.expr)), expression=_paren(copied(b.expr)), typed=False, safe=False)
    return _typed(node, t)


def multiply(a: Scalar, b: Scalar, t: DataType) -> Scalar:
    """a * b with a result type that the caller knows."""
    return _typed(exp.Mul(this=_paren(copied(a.expr)), expression=_paren(copied(b.expr))), t)


def same(a: Scalar, b: Scalar) -> Scalar:
    """a <=> b: equal, or both NULL."""
    return _typed(exp.NullSafeEQ(this=_paren(copied(a.expr)), expression=_paren(copied(b.expr))), Boolean())


def null_test(condition: Scalar) -> str | None:
    """The column, if the condition is `column is null` and nothing else."""
    if isinstance(condition.expr, exp.Is) and isinstance(condition.expr.expression, exp.Null):
        inner = condition.expr.this.unnest()
        return inner.name if isinstance(inner, exp.Column) else None
    return None


def sides(part: Scalar) -> tuple[Scalar, Scalar] | None:
    """What is on the left and on the right of < <= > >= or <>."""
    if not isinstance(part.expr, (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NEQ)):
        return None
    left, right = part.expr.left.unnest(), part.expr.right.unnest()
    a, b = left.meta.get("t"), right.meta.get("t")
    return None if a is None or b is None else (Scalar(left, a), Scalar(right, b))


def comparison(part: Scalar) -> tuple[str, str, str, bool] | None:
    """(column, operator, literal text, is it a string) if a condition compares a plain column with a literal."""
    names: dict[type[exp.Expr], str] = {exp.EQ: "=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
    flipped = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
    op = names.get(type(part.expr))
    if op is None or not isinstance(part.expr, exp.Binary):
        return None
    left, right = part.expr.left.unnest(), part.expr.right.unnest()
    if isinstance(right, exp.Column):
        left, right, op = right, left, flipped[op]
    if not isinstance(left, exp.Column):
        return None
    while isinstance(right, (exp.Cast, exp.Paren)):
        right = right.this
    sign = ""
    if isinstance(right, exp.Neg):
        sign, right = "-", right.this
    if not isinstance(right, exp.Literal):
        return None
    return left.name, op, sign + str(right.this), bool(right.is_string)
