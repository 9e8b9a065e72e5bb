"""Incremental maintenance plans: for every cell of Fig 11 the plan that the paper names, as monoid algebra.

*Planting* evaluates OID_projecting_v with a delta in the place of an extent; an object that is reached by a path, and by no
variable, is joined to the delta by identity. *Joining* meets OIDs_for_v with the delta, and reads no extent. Inserting into or
deleting from a collection that a condition depends on (itself or through its inverse) is a change of a condition attribute, once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from belvedere.languages.oql import ast, text
from belvedere.languages.oql.binding import understand
from belvedere.languages.oql.calculus import Call, Comp, Group, Pred, Proj, Record, Source, Term, Var, walk
from belvedere.languages.oql.derived import Contribution, contributions, oid_projecting, projected, select_of
from belvedere.languages.oql.events import Event, extent_of, paths, property_of
from belvedere.languages.oql.monoid_algebra import Alg, Get, Join, Nest, Reduce, Unnest, classify, show
from belvedere.languages.oql.monoid_algebra import walk as operators
from belvedere.languages.oql.otypes import BOOLEAN
from belvedere.languages.sql.catalog import Names
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import CollectionType, Nil, Ref

Action = Literal["plant", "join"]
State = Literal["new", "old"]

#: Fig 11: (kind of event, is it a condition attribute) → for ReduceGet, for ReduceGetJoin, for Unnest and Nest
_PLANT_NEW: tuple[tuple[Action, State], ...] = (("plant", "new"),)
_PLANT_OLD: tuple[tuple[Action, State], ...] = (("plant", "old"),)
_JOIN_NEW: tuple[tuple[Action, State], ...] = (("join", "new"),)
_JOIN_OLD: tuple[tuple[Action, State], ...] = (("join", "old"),)
_REPLANT = _PLANT_OLD + _PLANT_NEW
_REJOIN = _JOIN_OLD + _PLANT_NEW
CHOICE: dict[tuple[str, bool], tuple[tuple[tuple[Action, State], ...], ...]] = {
    ("onInsertTo", False): (_PLANT_NEW, _PLANT_NEW, _PLANT_NEW),
    ("onInsertElementIn", False): (_PLANT_NEW, _JOIN_NEW, _PLANT_NEW),
    ("onDeleteTo", False): (_PLANT_OLD, _JOIN_OLD, _PLANT_OLD),
    ("onDeleteElementIn", False): (_PLANT_OLD, _JOIN_OLD, _PLANT_OLD),
    ("onModifyAttr", False): (_PLANT_NEW, _JOIN_NEW, _PLANT_NEW),
    ("onModifyAttrInElement", False): (_PLANT_NEW, _JOIN_NEW, _PLANT_NEW),
    ("onModifyAttr", True): (_REPLANT, _REJOIN, _REPLANT),
    ("onModifyAttrInElement", True): (_REPLANT, _REJOIN, _REPLANT),
}
_COLUMN = {"ReduceGet": 0, "ReduceGetJoin": 1, "Unnest": 2, "Nest": 2}


@dataclass(frozen=True)
class Plan:
    """One plan of a cell: what is done with which state of the delta, where it is put, and the algebra."""

    event: Event
    action: Action
    state: State
    target: str
    algebra: Alg

    def __str__(self) -> str:
        title = f"plant Δ{self.state}" if self.action == "plant" else f"OIDs_for_v ⋈ Δ{self.state}"
        return f"{self.event}: {title} ({self.target})\n{show(self.algebra)}"


def condition_attributes(view: Term, model: ObjectModel) -> frozenset[tuple[str, str]]:
    """(class that defines it, attribute) of every attribute in a condition, and the other side of a relationship in one."""
    found: set[tuple[str, str]] = set()
    for t in walk(view):
        if not isinstance(t, (Comp, Group)):
            continue
        for q in t.quals:
            if isinstance(q, Pred):
                for p in paths(q.term):
                    prop = property_of(p, model)
                    found.add((prop.cls, prop.name))
                    if prop.inverse is not None:
                        found.add(prop.inverse)
    return frozenset(found)


def is_condition(event: Event, view: Term, model: ObjectModel) -> bool:
    known = condition_attributes(view, model)
    if (event.on, event.attribute) in known:
        return True
    if event.kind != "onModifyAttrInElement" or event.attribute is None:
        return False
    prop = model.find(event.on, event.attribute)
    target = model.find(prop.target, event.element or "") if prop is not None and prop.target is not None else None
    return target is not None and (target.cls, target.name) in known


def chosen(event: Event, kind: str, *, condition: bool) -> tuple[tuple[Action, State], ...]:
    """The cell of Fig 11."""
    if condition and event.kind in ("onInsertElementIn", "onDeleteElementIn"):
        return CHOICE["onModifyAttr", True][_COLUMN[kind]]
    condition = condition and event.kind in ("onModifyAttr", "onModifyAttrInElement")
    return CHOICE[event.kind, condition][_COLUMN[kind]]


def maintenance_plans(
    name: str, view: ast.Define | ast.Expr, event: Event, names: Names, model: ObjectModel
) -> tuple[Plan, ...]:
    """The plans for an event: of one cell, one for each place in the view that the event can touch."""
    s = select_of(view)
    seen = understand(text.expression(s), names, model)
    kind = classify(seen.algebra)
    condition = is_condition(event, seen.normal, model)
    base = understand(oid_projecting(name, view, names, model).text, names, model).algebra
    parts = contributions(view, names, model)
    out: list[Plan] = []
    for action, state in chosen(event, kind, condition=condition):
        if action == "plant":
            out += [Plan(event, action, state, where, a) for where, a in _planted(base, event, parts, model)]
        else:
            out += [Plan(event, action, state, c.label, _joined(name, s, event, c, state)) for c in _touched(event, parts, model)]
    return tuple(out)


def delta(event: Event, cls: str) -> Source:
    """The delta of an event, as a collection of objects."""
    label = {"onInsertTo": "onInsert", "onDeleteTo": "onDelete"}.get(event.kind, event.kind)
    where = ".".join(p for p in (event.on, event.attribute, event.element) if p is not None)
    return Source(CollectionType("set", Ref(cls)), f"Δ{label} {where}", cls)


def owner_class(event: Event, model: ObjectModel) -> str:
    """The class of the objects in an event's delta."""
    if event.attribute is None:
        return next((c.name for c in model.classes.values() if extent_of(c.name, model) == event.on), event.on)
    if event.kind == "onModifyAttrInElement":
        prop = model.find(event.on, event.attribute)
        assert prop is not None
        assert prop.target is not None
        return prop.target
    return event.on


def _touched(event: Event, parts: tuple[Contribution, ...], model: ObjectModel) -> list[Contribution]:
    """The objects of a derivation that the event can be about."""
    cls = owner_class(event, model)
    related = {*model.below(cls), *model.above(cls)} if cls in model.classes else set()
    return [c for c in parts if c.cls in related]


def _planted(base: Alg, event: Event, parts: tuple[Contribution, ...], model: ObjectModel) -> list[tuple[str, Alg]]:
    """The expression with the delta in each place where an object of the event can come from."""
    cls = owner_class(event, model)
    related = {*model.below(cls), *model.above(cls)} if cls in model.classes else set()
    out: list[tuple[str, Alg]] = []
    in_element = event.kind == "onModifyAttrInElement"
    nested = {id(op) for n in operators(base) if isinstance(n, Nest) for op in operators(n.input) if isinstance(op, Unnest)}
    for op in operators(base):
        if isinstance(op, Get) and isinstance(op.source, Source) and op.source.cls in related and not in_element:
            out.append((op.var.name, _replaced(base, op, replace(op, source=delta(event, cls)))))
        elif isinstance(op, Unnest) and isinstance(op.var.type, Ref) and op.var.type.cls in related:
            if in_element and not (isinstance(op.path, Proj) and op.path.name == event.attribute):
                continue
            planted = _owners(base, event, op, cls) if id(op) in nested else _met(base, event, op.var, cls)
            if planted is not None:
                out.append((op.var.name, planted))
    for c in parts:
        if not c.scanned and c.cls in related and not in_element:
            term = _term(c.path, base)
            if term is not None:
                out.append((c.label, _met(base, event, term, cls)))
    return out


def _met(base: Alg, event: Event, term: Term, cls: str) -> Alg:
    """The expression joined to the delta by the identity of an object in it."""
    assert isinstance(base, Reduce)
    d = Var(Ref(cls), "δ")
    same = Call(BOOLEAN, "eq", (term, d))
    return replace(base, input=Join(base.monoid, base.input, Get(base.monoid, delta(event, cls), d), (same,)))


def _owners(base: Alg, event: Event, op: Unnest, cls: str) -> Alg | None:
    """A delta of members of a collection that is nested again: the expression for the owners of those members alone."""
    if not isinstance(op.path, Proj) or not isinstance(op.path.base, Var):
        return None
    owner = op.path.base
    get = next((g for g in operators(base) if isinstance(g, Get) and g.var == owner), None)
    if get is None or not isinstance(get.source, Source):
        return None
    o, x, d = Var(owner.type, f"{owner.name}′"), Var(op.var.type, f"{op.var.name}′"), Var(Ref(cls), "δ")
    members = Unnest("set", Get("set", get.source, o), x, Proj(op.path.type, o, op.path.name))
    met = Join("set", members, Get("set", delta(event, cls), d), (Call(BOOLEAN, "eq", (x, d)),))
    return _replaced(base, get, replace(get, source=Reduce("set", met, "X0", o)))


def _term(path: ast.Expr, base: Alg) -> Term | None:
    """A path over the variables of an expression."""
    known = {op.var.name: op.var for op in operators(base) if isinstance(op, (Get, Unnest))}
    if isinstance(path, ast.Name):
        return known.get(path.name)
    if isinstance(path, ast.Path):
        inner = _term(path.base, base)
        return Proj(Nil(), inner, path.name) if inner is not None else None
    return None


def _replaced(a: Alg, old: Alg, new: Alg) -> Alg:
    """The expression with one operator in the place of another; `base` goes along, for what is lowered goes by it."""
    if a is old:
        return new
    inner: dict[str, Any] = {n: v for n in a.__dataclass_fields__ if isinstance(v := getattr(a, n), Alg)}
    made: dict[str, Any] = {n: _replaced(v, old, new) for n, v in inner.items()}
    return replace(a, **made) if any(made[n] is not inner[n] for n in made) else a


def _joined(name: str, s: ast.Select, event: Event, c: Contribution, state: State) -> Alg:
    """OIDs_for_v met with the delta: which elements of the view it touches, and what becomes of their fields."""
    held, d = Var(Nil(), "mat_oids"), Var(Ref(c.cls), "δ")
    same = Call(BOOLEAN, "eq", (Proj(Ref(c.cls), held, c.label), d))
    fields: list[tuple[str, Term]] = [("mat_obj", Proj(Nil(), held, "VO"))]
    if state == "new":
        fields += [(n, t) for n, e in projected(s) if (t := _over_delta(e, c, d, event)) is not None]
    source = Source(CollectionType("bag", Nil()), f"OIDs_for_{name}")
    joined = Join("set", Get("set", source, held), Get("set", delta(event, c.cls), d), (same,))
    return Reduce("set", joined, "X1", Record(Nil(), tuple(fields)))


def _over_delta(e: ast.Expr, c: Contribution, d: Var, event: Event) -> Term | None:
    """A field that is a path from the changed object, over the delta; None for a field that the event leaves alone."""
    if e == c.path:
        return d
    if not isinstance(e, ast.Path):
        return None
    changed = event.element or event.attribute
    if e.base == c.path:
        return Proj(Nil(), d, e.name) if e.name == changed else None
    inner = _over_delta(e.base, c, d, event)
    return Proj(Nil(), inner, e.name) if inner is not None and inner != d else None

