"""How a Lorel view is kept: the stages of its long form, and one that knows every (variable, object) that evaluation meets."""

from __future__ import annotations

from belvedere.algebra.ops import Closure, Get
from belvedere.languages.lorel.bound import LorelBound
from belvedere.languages.sql import Bound
from belvedere.maintenance.stages import ViewPlan, compile_view
from belvedere.warehouse.graph_views.graphic import Graphic


def graph_plan(name: str, bound: Bound) -> tuple[ViewPlan, Graphic]:
    """The plan of a view, with what relevance asks of it."""
    assert isinstance(bound, LorelBound)
    assert isinstance(bound.touched, Closure)
    plan = compile_view(name, bound.node, beside=bound.touched)
    tail = plan.tail
    assert isinstance(tail, Get), "a view in long form is stored as it is"
    long = next(s for s in plan.stages if s.name == tail.name)
    touched = [s for s in plan.stages if s.kind == "closure"][-1]
    return plan, Graphic(bound.spec, touched, long)
