"""How many members and how much work a tree may mean, so that the reference's loops stay short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from belvedere.languages.oql import ast

MEMBERS = 4


def children(node: Any) -> Iterator[ast.Node]:
    """The nodes directly below, wherever they stand in the fields."""
    if isinstance(node, (tuple, list)):
        for part in node:
            if isinstance(part, ast.Node):
                yield part
            else:
                yield from children(part)
    elif isinstance(node, ast.Node):
        for name in _names(type(node)):
            value = getattr(node, name)
            if isinstance(value, ast.Node):
                yield value
            elif isinstance(value, tuple):
                yield from children(value)


@cache
def _names(kind: type[ast.Node]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


def names_in(node: ast.Node) -> set[str]:
    """Every name that the tree mentions."""
    own = {node.name} if isinstance(node, ast.Name) else set()
    return own.union(*(names_in(c) for c in children(node)))


def size(node: ast.Node, sizes: dict[str, int]) -> int:
    """Members of a collection, at most or nearly."""
    match node:
        case ast.Name(name=n):
            return sizes.get(n, MEMBERS)
        case ast.Select(iterators=iterators):
            product = 1
            for i in iterators:
                product *= max(1, size(i.domain, sizes))
            return product
        case ast.Collection(items=items):
            return len(items)
        case ast.Binary(op="union", left=a, right=b):
            return size(a, sizes) + size(b, sizes)
        case ast.Binary(left=a):
            return size(a, sizes)
        case ast.Function(name="flatten", operand=o):
            return size(o, sizes) * MEMBERS
        case ast.Function(operand=o):
            return size(o, sizes)
        case ast.Slice(base=b):
            return size(b, sizes)
    return MEMBERS


def width(node: ast.Node) -> int:
    """About how many joins and groupings a plan of the tree has: steps of paths, iterators, aggregates, quantifiers."""
    inner = sum(width(c) for c in children(node))
    match node:
        case ast.Path() | ast.Iterator():
            return 1 + inner
        case ast.Quantified() | ast.Compared() | ast.Binary(op="in" | "union" | "except" | "intersect"):
            return 2 + inner
        case ast.Function(name=n) if not n.startswith("is_"):
            return 1 + inner
        case ast.Select(distinct=d, group=g, order=o):
            return inner + d + 2 * bool(g) + bool(o)
    return inner


def cost(node: ast.Node, sizes: dict[str, int]) -> int:
    """Steps of the reference's loops."""
    inner = sum(cost(c, sizes) for c in children(node))
    match node:
        case ast.Select():
            return size(node, sizes) * (1 + inner)
        case ast.Quantified(domain=d):
            return size(d, sizes) * (1 + inner)
        case ast.Name(name=n, args=args) if args is not None:
            return sizes.get("()" + n, 1) + inner
    return 1 + inner
