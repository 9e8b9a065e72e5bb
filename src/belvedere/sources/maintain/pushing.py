"""Which conditions of a hop the source can decide, and the question that lets it.

A comparison is pushed if the source is known to find at least what we would find (`TableInfo.equal`, `.ordered`). Where it may
find more, the condition is checked again here; everything else is decided here alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from belvedere.algebra.steady import unwidened
from belvedere.algebra.types import DataType, Decimal, Integral, String
from belvedere.sources.maintain.view import Condition, JoinView, Slot, slot_column
from belvedere.sources.source import TableInfo

KEYS, DELTA, ROW = "bv_keys", "bv_delta", "_i"
_COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


@dataclass(frozen=True)
class Pushed:
    """How the conditions of a hop are divided up."""

    joins: tuple[exp.Expr, ...]
    filters: tuple[exp.Expr, ...]
    checks: tuple[exp.Expr, ...]
    #: slots of the rows sent that the pushed conditions read
    sent: tuple[Slot, ...]


def divide(view: JoinView, conditions: Sequence[Condition], to: str, info: TableInfo) -> Pushed:
    """Conditions that can be decided at `to`, told apart by who decides them."""
    slots = {s.name: s for s in view.slots}
    joins: list[exp.Expr] = []
    filters: list[exp.Expr] = []
    checks: list[exp.Expr] = []
    sent: dict[str, Slot] = {}
    for c in conditions:
        asked = _unwidened(c.expr)
        exact = _decided_by(asked, slots, to, info)
        if exact is None:
            checks.append(c.expr)
            continue
        others = [slots[x.name] for x in asked.find_all(exp.Column) if slots[x.name].part != to]
        sent |= {s.name: s for s in others}
        (joins if others else filters).append(asked)
        if not exact:
            checks.append(c.expr)
    return Pushed(tuple(joins), tuple(filters), tuple(checks), tuple(sent.values()))


def _unwidened(tree: exp.Expr) -> exp.Expr:
    """A comparison without the casts that only widen: sources compare exact numbers of all sizes."""
    if not isinstance(tree, _COMPARISONS):
        return tree
    plain = tree.copy()
    plain.set("this", unwidened(plain.this))
    plain.set("expression", unwidened(plain.expression))
    return plain


def _decided_by(tree: exp.Expr, slots: dict[str, Slot], to: str, info: TableInfo) -> bool | None:
    """True if the source decides it exactly, False if it may find more, None if it must not be asked."""
    if not isinstance(tree, _COMPARISONS):
        return None
    types: list[DataType] = []
    at: DataType | None = None
    exact = True
    for side in (tree.this.unnest(), tree.expression.unnest()):
        if isinstance(side, exp.Column):
            slot = slots[side.name]
            types.append(slot.type)
            if slot.part != to:
                continue
            at = slot.type
            if slot.column not in info.ordered:
                exact = False
                if slot.column not in info.equal or not isinstance(tree, (exp.EQ, exp.NullSafeEQ)):
                    return None
        elif not _is_literal(side):
            return None
    if not any(isinstance(s, exp.Column) and slots[s.name].part == to for s in (tree.this.unnest(), tree.expression.unnest())):
        return None
    if isinstance(at, Integral) and any(isinstance(t, Decimal) for t in types):
        return None  # a source that knows no decimals (SQLite) would compare a double
    return exact if _comparable(tree, types) else None


def _is_literal(side: exp.Expr) -> bool:
    inner = side.this if isinstance(side, exp.Neg) else side
    return isinstance(inner, exp.Literal) and (inner.is_string or inner.is_int)


def _comparable(tree: exp.Binary, types: list[DataType]) -> bool:
    """Two columns of one type, or of exact numbers; a column and a literal of its kind."""
    numbers = all(isinstance(t, (Integral, Decimal)) for t in types)
    if len(types) == 2:
        return types[0] == types[1] or numbers
    literal = next(s for s in (tree.this.unnest(), tree.expression.unnest()) if not isinstance(s, exp.Column))
    return isinstance(types[0], String) if isinstance(literal, exp.Literal) and literal.is_string else numbers


def question(view: JoinView, to: str, pushed: Pushed, carried: Sequence[Slot] = ()) -> exp.Select:
    """For the source: the rows of `to` that fit, with the number of the row sent that each fits. `carried` comes back unread."""
    wanted = view.slots_of(to)
    local = {s.name: slot_column(s.column, "r") for s in wanted}
    columns: list[exp.Expr] = [exp.alias_(slot_column(s.column, "r"), s.name, quoted=True) for s in wanted]
    table = exp.to_identifier(view.part(to).table, quoted=True)
    filters = [_placed(f, local) for f in pushed.filters]
    if not pushed.joins:
        select = exp.Select().select(*columns).from_(exp.alias_(exp.Table(this=table), "r", table=True))
        return select.where(*filters) if filters else select
    columns = [slot_column(ROW, "k"), *(slot_column(s.name, "k") for s in carried), *columns]
    on = exp.and_(*[_placed(j, local) for j in pushed.joins])
    select = exp.Select().select(*columns).from_(exp.to_table(KEYS).as_("k", table=True))
    select = select.join(exp.alias_(exp.Table(this=table), "r", table=True), on=on)
    return select.where(*filters) if filters else select


def _placed(tree: exp.Expr, local: dict[str, exp.Column]) -> exp.Expr:
    """Slots of the target are columns of `r`, all others of `k`."""

    def swap(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            return local[node.name].copy() if node.name in local else slot_column(node.name, "k")
        return node

    return tree.copy().transform(swap)
