"""Members put in order where the row itself cannot do it: gathered anew for each distinct collection, and joined back."""

from __future__ import annotations

from belvedere.algebra.ops import Aggregate, Explode, OuterJoin
from belvedere.algebra.scalar import Scalar, col, equal
from belvedere.languages.oql.calculus import Var
from belvedere.languages.oql.fold import fold
from belvedere.languages.oql.frame import Frame
from belvedere.objects.types import Nil


def sorted_members(frame: Frame, array: Scalar, kind: str) -> Scalar:
    """The array in canonical order, without duplicates for a set."""
    fresh = frame.session.fresh
    name = frame.column(array, "members")
    own, member = fresh("members"), fresh("member")
    distinct = Aggregate(frame.plan, ((own, col(frame.schema[name])),), ())
    exploded = Explode(distinct, col(distinct.schema[own]), (member,))
    folded = fold(kind, Var(Nil(), member), col(exploded.schema[member]), Nil(), fresh)
    key = fresh("members")
    gathered = Aggregate(exploded, ((key, col(exploded.schema[own])),), folded.aggs)
    frame.node = OuterJoin(frame.plan, gathered, equal(frame.schema[name], gathered.schema[key], null_safe=True), "left")
    return folded.value(frame.schema)
