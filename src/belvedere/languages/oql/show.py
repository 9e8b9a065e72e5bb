"""Comprehensions as the papers write them."""

from __future__ import annotations

from belvedere.languages.oql.calculus import (
    Bind,
    Call,
    Comp,
    Const,
    Gen,
    Group,
    Merge,
    Multiplicity,
    Outside,
    Pred,
    Proj,
    Qualifier,
    Record,
    Source,
    Term,
    Var,
)

#: operators as the calculus writes them
SIGNS = {
    "eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥", "and": "∧", "or": "∨", "add": "+", "sub": "−", "mul": "×",
    "div": "/", "mod": "mod", "concat": "||", "like": "like", "append": "++",
}  # fmt: skip
_MERGES = {"set": "∪", "bag": "⊎", "list": "++"}


def show(t: Term) -> str:
    """
    >>> from belvedere.objects.types import PRIMITIVES, CollectionType
    >>> long = PRIMITIVES["long"]
    >>> x = Var(long, "x")
    >>> show(Comp(CollectionType("bag", long), "bag", x, (Gen(x, Source(CollectionType("set", long), "Numbers")),)))
    'bag{x | x←Numbers}'
    """
    match t:
        case Const(value=v):
            return constant(v)
        case Outside(number=n):
            return f"${n}"
        case Var(name=n) | Source(name=n):
            return n
        case Proj(base=b, name=n):
            return f"{_tight(b)}.{n}"
        case Record(fields=fields):
            return f"⟨{', '.join(f'{n}: {show(x)}' for n, x in fields)}⟩"
        case Call(fn=fn, args=(a, b)) if fn in SIGNS:
            return f"{_tight(a)} {SIGNS[fn]} {_tight(b)}"
        case Call(fn="not", args=(a,)):
            return f"¬{_tight(a)}"
        case Call(fn=fn, args=args):
            return f"{fn}({', '.join(map(show, args))})"
        case Merge(monoid=m, left=a, right=b):
            return f"{_tight(a)} {_MERGES[m]} {_tight(b)}"
        case Multiplicity(op=op, left=a, right=b):
            return f"{_tight(a)} {'∩' if op == 'intersect' else '∖'} {_tight(b)}"
        case Comp(monoid=m, head=h, quals=qs, order=order):
            by = f" by {', '.join(show(k) + (' desc' if d else '') for k, d in order)}" if order else ""
            return f"{m}{{{show(h)}{_bar(qs)}{by}}}"
        case Group(keys=keys, quals=qs, members=members):
            labels = ", ".join(f"{n}: {show(k)}" for n, k in keys)
            same = ", ".join(f"{show(k)}′ = {show(k)}" for _, k in keys)
            partition = f"bag{{⟨{', '.join(f'{n}: {show(m)}′' for n, m in members)}⟩{_bar(qs)}′, {same}}}"
            return f"set{{⟨{labels}, partition: {partition}⟩{_bar(qs)}}}"
    raise AssertionError(type(t).__name__)


def _bar(quals: tuple[Qualifier, ...]) -> str:
    return f" | {', '.join(map(_qualifier, quals))}" if quals else " |"


def _qualifier(q: Qualifier) -> str:
    match q:
        case Gen(var=v, domain=d):
            return f"{v.name}←{_tight(d)}"
        case Bind(var=v, term=t):
            return f"{v.name}≡{_tight(t)}"
        case Pred(term=t):
            return show(t)


def _tight(t: Term) -> str:
    text = show(t)
    wide = isinstance(t, (Merge, Multiplicity)) or (isinstance(t, Call) and t.fn in SIGNS and len(t.args) == 2)
    return f"({text})" if wide else text


def constant(value: object) -> str:
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
