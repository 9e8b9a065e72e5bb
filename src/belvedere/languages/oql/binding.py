"""bind: an OQL text as a plan.

A set or bag is one row for each member: a struct's fields are its columns, anything else is the column `value`. So is a list that
an order by makes; the order is kept beside the plan (`Bound.order`), with ties in the order of the columns, and is what the rows
are shown in. Every other result (a number, a struct, an object, a list that no order by made) is one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Project, SortKey
from belvedere.algebra.scalar import Scalar, cast, col
from belvedere.algebra.types import Array, DataType, Int, Map, Struct, Variant, Void
from belvedere.errors import ParseError, Unsupported
from belvedere.languages.oql.calculus import Call, Comp, Term
from belvedere.languages.oql.frame import Frame, Session
from belvedere.languages.oql.lower import distinct, linear, rows, run
from belvedere.languages.oql.monoid_algebra import Alg, Reduce
from belvedere.languages.oql.normalize import normalize
from belvedere.languages.oql.parser import parse
from belvedere.languages.oql.translate import Translator
from belvedere.languages.oql.unnesting import unnest
from belvedere.languages.oql.values import Row, Value, to_scalar
from belvedere.languages.sql.bound import Bound
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.fresh import distinct as distinct_names
from belvedere.languages.sql.parameters import Parameter
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import CollectionType, OType


@dataclass(frozen=True, kw_only=True)
class OqlBound(Bound):
    """`type` is that of the whole result. `members`: each row is a member of it; otherwise the one row is the result."""

    type: OType
    members: bool
    term: Term
    algebra: Alg


@dataclass(frozen=True)
class Understood:
    """A program on its way: the comprehension as written, normalized, and as algebra."""

    translator: Translator
    term: Term
    normal: Term
    algebra: Alg


def understand(text: str, names: Names, model: ObjectModel, parameters: Mapping[str, Parameter] | None = None) -> Understood:
    to = Translator(text, names, model, parameters or {})
    term = to.program(parse(text))
    normal = _in_rows(term, normalize(term, to.fresh))
    return Understood(to, term, normal, unnest(normal, to.fresh))


def _in_rows(written: Term, normal: Term) -> Term:
    """An ordered list has a row for each member, also where so little is left of it that it has become a list of its own."""
    was = isinstance(written, Comp) and bool(written.order)
    if was and isinstance(normal, Call) and normal.fn == "list" and len(normal.args) < 2:
        return Call(CollectionType("bag", written.type.element), "bag", normal.args)  # type: ignore[attr-defined]
    return normal


def bind(text: str, names: Names, model: ObjectModel, *, parameters: Mapping[str, Parameter] | None = None) -> OqlBound:
    """The algebra of a program, with values for the $n in it; errors carry line, column and a caret."""
    try:
        seen = understand(text, names, model, parameters)
        session = Session(names, model, parameters or {})
        node, columns, order, ordered = _planned(session, seen)
    except RecursionError:
        raise ParseError("the query is nested too deeply; break it into several views", text=text) from None
    except Unsupported as e:
        raise Unsupported(e.message, text=text, line=e.line or 1, column=e.column or 1) from None
    to = seen.translator
    return OqlBound(
        node, columns, tuple(to.relations), order, to.star, text, ordered, type=seen.term.type, members=_members(seen.normal),
        term=seen.normal, algebra=seen.algebra,
    )  # fmt: skip


def _members(t: Term) -> bool:
    if not isinstance(t.type, CollectionType):
        return False
    return t.type.kind in ("set", "bag") or (isinstance(t, Comp) and bool(t.order))


def _planned(session: Session, seen: Understood) -> tuple[Node, tuple[str, ...], tuple[SortKey, ...], Node | None]:
    a = seen.algebra
    keys: list[tuple[Scalar, bool]] = []
    if isinstance(a, Reduce):
        frame = Frame(session)
        run(frame, linear(a.input))
        frame.filter(a.preds)
        value = frame.value(a.head)
        keys = [(s, d) for k, d in a.order if (s := frame.scalar(k)).columns]
        if a.monoid == "set":
            frame, value = distinct(frame, value)
    else:
        frame, value = rows(session, a)
    shown = _columns(value)
    names = distinct_names([n for n, _ in shown])
    outputs = tuple(zip(names, [_stored(s) for _, s in shown], strict=True))
    columns = tuple(n for n, _ in shown)
    if not keys:
        return Project(frame.plan, outputs), columns, (), None
    return (*_sorted(frame, outputs, keys, columns),)


def _sorted(
    frame: Frame, outputs: tuple[tuple[str, Scalar], ...], keys: list[tuple[Scalar, bool]], columns: tuple[str, ...]
) -> tuple[Node, tuple[str, ...], tuple[SortKey, ...], Node | None]:
    by_text = {str(s): n for n, s in reversed(outputs)}
    extra: list[tuple[str, Scalar]] = []
    order: list[SortKey] = []
    for s, descending in keys:
        name = by_text.get(str(s))
        if name is None:
            name = frame.session.fresh("sort")
            while name in dict(outputs):
                name = frame.session.fresh("sort")
            extra.append((name, s))
            by_text[str(s)] = name
        order.append(SortKey(name, descending, not descending))
    used = {k.column for k in order}
    order += [SortKey(n) for n, s in outputs if n not in used and not isinstance(s.type, (Array, Map, Struct, Variant))]
    node = Project(frame.plan, outputs)
    return node, columns, tuple(order), Project(frame.plan, (*outputs, *extra)) if extra else None


def _columns(value: Value) -> list[tuple[str, Scalar]]:
    if isinstance(value, Row) and value.fields:
        return [(n, to_scalar(f)) for n, f in value.fields]
    scalar = to_scalar(value)
    if isinstance(scalar.type, Struct):
        from belvedere.languages.oql.scalars import apply

        return [(n, apply(f"a.`{n.replace('`', '``')}`", scalar)) for n, _ in scalar.type.fields]
    return [("value", scalar)]


def _stored(s: Scalar) -> Scalar:
    """A value that can be kept: UNDEFINED of no type is kept as an int."""
    t = _known(s.type)
    return s if t == s.type else cast(s, t)


def _known(t: DataType) -> DataType:
    match t:
        case Void():
            return Int()
        case Array(element=e):
            return Array(_known(e))
        case Struct(fields=fields):
            return Struct(tuple((n, _known(f)) for n, f in fields))
        case Map(key=k, value=v):
            return Map(_known(k), _known(v))
        case _:
            return t


__all__ = ["OqlBound", "bind", "col", "understand"]
