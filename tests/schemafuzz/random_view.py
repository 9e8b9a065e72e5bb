"""Random views of the paper's template: SPLIT(UNFOLD(π σ(FOLD(UNITE(R)) × …))), any operator present or not."""

from __future__ import annotations

import random

from tests.schemafuzz.blocks import FLAG, NUMBER, WORD, Parts, block, domain
from tests.schemafuzz.tree import Agg, Cell, Const, Expr, Field, Header, Lit, Name, Op, Query, Ref, Var, names_used
from tests.schemafuzz.world import World

FIXED = ("category", "k", "n", "m", "cs", "f g", "Dept")
STYLES = ("none", "constant", "pivot", "split", "both")


def random_query(rng: random.Random, world: World, number: int) -> tuple[Query, frozenset[str]]:
    """A query, and the operators it has."""
    p = Parts(rng, world)
    block(p)
    if rng.random() < 0.3:
        block(p)
        _join(p)
    if rng.random() < 0.12 and len(p.items) < 5:
        domain(p)
        p.operators.add("domain")
    if any(i.var[0] == "V" for i in p.items):
        p.operators.add("domain")
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        p.where.append(condition(p))
    rng.shuffle(p.where)
    style = rng.choices(STYLES, (3, 3, 6, 3, 4))[0]
    if sum(i.var[0] == "T" for i in p.items) > 1:
        p.operators.add("join")
    return _finish(p, style, number), frozenset(p.operators)


def _join(p: Parts) -> None:
    """Mostly two blocks meet: in their data, or names in data, or names."""
    if p.rng.random() < 0.1:
        return
    first = p.items[-1].var
    own = names_used(p.items[-1].range) | {first}
    for kind in p.rng.sample((WORD, WORD, NUMBER), 3):
        here = [e for e in p.of_kind(kind) if names_used(e) & own]
        there = [e for e in p.of_kind(kind) if not names_used(e) & own]
        if here and there:
            p.where.append(Op("=", (p.rng.choice(here), p.rng.choice(there))))
            return


def condition(p: Parts) -> Expr:
    rng = p.rng
    cells = [(e, k) for e, k in p.values if not (isinstance(e, Var) and e.name in p.names)] or p.values
    e, kind = rng.choice(cells)
    if rng.random() < 0.1:
        return Op(rng.choice(("is null", "is not null")), (e,))
    if kind == FLAG:
        return Op("or", (e, Op("is null", (e,))))
    if kind == WORD:
        choices = (Lit("a"), Lit("cs"), Lit(""), Lit("Prof"))
        if rng.random() < 0.15 and len(p.of_kind(WORD)) > 1:
            return Op("<>", (e, rng.choice(p.of_kind(WORD))))
        return Op(rng.choice(("<>", "<>", "<", ">=")), (e, rng.choice(choices)))
    plain = Op(rng.choice((">", "<", "<=", "<>")), (e, Lit(rng.randint(0, 3))))
    return Op("or", (plain, Op("is null", (e,)))) if rng.random() < 0.2 else plain


def scalar(p: Parts) -> tuple[Expr, str]:
    rng = p.rng
    e, kind = rng.choice(p.values)
    if rng.random() < 0.8 or kind == FLAG:
        return e, kind
    if kind == NUMBER:
        forms: list[Expr] = [
            Op("+", (e, Lit(1))), Op("*", (e, Lit(2))), Op("coalesce", (e, Lit(0))),
            Op("case", (Op(">", (e, Lit(1))), e, Lit(0))), Op("abs", (Op("-", (e, Lit(2))),)),
        ]  # fmt: skip
        return rng.choice(forms), kind
    words: list[Expr] = [Op("upper", (e,)), Op("||", (e, Lit("z"))), Op("coalesce", (e, Lit("cs")))]
    return (Op("length", (e,)), NUMBER) if rng.random() < 0.2 else (rng.choice(words), kind)


def aggregate(p: Parts) -> Agg:
    rng = p.rng
    e, kind = scalar(p)
    if rng.random() < 0.15:
        return Agg("count", None)
    fns = ("sum", "avg", "min", "max", "count") if kind == NUMBER else ("min", "max", "count")
    fn = rng.choice(fns)
    return Agg(fn, e, distinct=fn == "count" and rng.random() < 0.5)


def _finish(p: Parts, style: str, number: int) -> Query:
    rng = p.rng
    aggregated = rng.random() < (0.4 if style in ("none", "constant") else 0.28)
    pivot = _variable(p) if style in ("pivot", "both") else None
    home = _variable(p) if style in ("split", "both") else None
    home = home if home != pivot or rng.random() < 0.1 else None
    p.operators |= {n for n, on in (("UNFOLD", pivot), ("SPLIT", home), ("aggregate", aggregated)) if on}
    fixed = [scalar(p)[0] for _ in range(rng.choice((1, 1, 2, 2, 3)) if not aggregated else rng.choice((0, 1, 1, 2)))]
    data: list[Expr] = [aggregate(p) for _ in range(1 if pivot else rng.choice((1, 1, 2)))] if aggregated else []
    if pivot and not data:
        data = [scalar(p)[0]]
    exprs = list(dict.fromkeys([*fixed, *data])) if not pivot else [*dict.fromkeys(fixed), *data]
    if pivot and rng.random() < 0.2:
        exprs = [exprs[-1], *exprs[:-1]]
    group, having = _grouping(p, exprs, [v for v in (pivot, home) if v]) if aggregated else (None, None)
    distinct = not aggregated and rng.random() < 0.12
    names = rng.sample(FIXED, len(exprs))
    if style == "none":
        bare = [e for e in exprs if not isinstance(e, Var | Cell)] or len({_short(e) for e in exprs}) < len(exprs)
        select = tuple((e, n if bare or rng.random() < 0.5 else None) for e, n in zip(exprs, names, strict=True))
        if len({(n or _short(e)).lower() for e, n in select}) < len(select):  # an alias may be what another is called anyway
            select = tuple(zip(exprs, names, strict=True))
        return _query(p, select, group, having, distinct, None)
    place = data[0] if pivot else None
    attrs: list[Name] = [Const(n) for n in names]
    if pivot and place is not None:
        attrs[exprs.index(place) if exprs[0] is place else len(exprs) - 1] = Ref(pivot)
    constant = rng.choice(("out", "cs", "o u t"))
    header = Header(rng.choice((None, f"o{number}")), Ref(home) if home else Const(constant), tuple(attrs))
    return _query(p, tuple((e, None) for e in exprs), group, having, distinct, header)


def _query(p: Parts, select: tuple[tuple[Expr, str | None], ...], *rest: object) -> Query:
    return Query(select, tuple(p.items), tuple(dict.fromkeys(p.where)), *rest)  # type: ignore[arg-type]


def _short(e: Expr) -> str:
    match e:
        case Cell(attr=Const(name=n)):
            return n.lower()
        case Cell(attr=Ref(var=n)) | Var(name=n):
            return n.lower()
    return ""


def _variable(p: Parts) -> str:
    """A variable that can give names: of names, or of an attribute's values."""
    found = [e.name for e, _ in p.values if isinstance(e, Var)]
    cells = [e for e, k in p.values if isinstance(e, Cell) and k != NUMBER] or [e for e, _ in p.values if isinstance(e, Cell)]
    if cells and (not found or p.rng.random() < 0.4):
        cell = p.rng.choice(cells)
        kind = next(k for e, k in p.values if e == cell)
        var = p.add(Field(cell.tuple, cell.attr), "V")
        p.values.append((Var(var), kind))
        return var
    return p.rng.choice(found)


def _grouping(p: Parts, exprs: list[Expr], names: list[str]) -> tuple[tuple[Expr, ...] | None, Expr | None]:
    rng = p.rng
    keys: list[Expr] = list(dict.fromkeys([*(e for e in exprs if not isinstance(e, Agg)), *map(Var, names)]))
    explicit = bool(keys) and rng.random() < 0.6
    having = None
    if rng.random() < 0.2:
        having = rng.choice((Op(">", (Agg("count", None), Lit(1))), Op("is not null", (aggregate(p),))))
    return (tuple(keys) if explicit else None), having
