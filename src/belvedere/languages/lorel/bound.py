"""What binding a Lorel view or query gives: its rows as algebra, and its canonical form as plain data.

**The long form.** A view is one relation with the columns of `LONG`:
  kind 'primary'  oid, label                         an object that select gives, under the label of its item
  kind 'edge'     oid, label, target                 an adjunct edge, along a with path
  kind 'value'    oid, type, integer, number, text   the value of an atomic object that is in the view
Columns that a kind does not use are NULL. No row comes twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from belvedere.algebra.node import Node
from belvedere.algebra.types import BigInt, Column, Double, Schema, String
from belvedere.languages.lorel.spec import Spec
from belvedere.languages.sql import Bound

LONG = Schema((
    Column("kind", String()), Column("oid", String()), Column("label", String()), Column("target", String()),
    Column("type", String()), Column("integer", BigInt()), Column("number", Double()), Column("text", String()),
))  # fmt: skip


@dataclass(frozen=True)
class LorelBound(Bound):
    """`node` yields the long form for a view, and (oid, label, type, text) for a query. `touched` is a Closure over
    (src = '', state, node = oid): every object met when the view is evaluated from the top, with the variable it was met as
    (the paper's RelevantOids). `title` is the name that the view's text gives to its set of objects."""

    spec: Spec = field(kw_only=True)
    touched: Node = field(kw_only=True)
    title: str | None = field(kw_only=True, default=None)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variable of each state of `touched`."""
        return self.spec.variables
