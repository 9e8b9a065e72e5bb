"""Which constructs a tree holds, and which stands directly inside which."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzz.scope import Tally
from tests.oqlfuzz.estimate import children

from belvedere.languages.oql import ast


def constructs(node: ast.Node) -> Iterator[str]:
    """The names of what a node itself is; a select may be several things at once."""
    match node:
        case ast.Select():
            yield "select"
            flags = {
                "distinct": node.distinct, "where": node.where, "group by": node.group, "having": node.having,
                "order by": node.order, "select *": node.items is None, "several iterators": len(node.iterators) > 1,
                "iterator without a name": any(i.variable is None for i in node.iterators),
            }  # fmt: skip
            yield from (name for name, there in flags.items() if there)
        case ast.Binary(op=op) | ast.Unary(op=op):
            yield f"{op} of one" if isinstance(node, ast.Unary) and op in "+-" else op
        case ast.Compared(op=op, quantifier=q):
            yield f"{op} {q}"
        case ast.Quantified(quantifier=q):
            yield "for all" if q == "all" else "exists:"
        case ast.Function(name=n):
            yield n
        case ast.Literal(kind=k):
            yield k
        case ast.Collection(kind=k):
            yield f"{k}(…)"
        case ast.Name(args=args):
            yield "name" if args is None else "call"
        case ast.Parameter():
            yield "$n"
        case ast.New():
            yield "Class(…)"
        case ast.Define() | ast.Undefine() | ast.CountAll() | ast.Struct() | ast.Cast() | ast.Index() | ast.Slice() | ast.Path():
            yield type(node).__name__.lower()


def tally(node: ast.Node, found: Tally | None = None, outer: tuple[str, ...] = ()) -> Tally:
    found = found if found is not None else Tally()
    own = tuple(constructs(node))
    found.used.update(own)
    found.pairs.update((o, n) for o in outer for n in own)
    for c in children(node):
        tally(c, found, own or outer)
    return found
