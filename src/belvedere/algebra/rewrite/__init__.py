"""Rewriting: an ordered tuple of small rules, each of which can be switched off by name."""

from __future__ import annotations

from collections.abc import Callable

from belvedere.algebra.node import Node
from belvedere.algebra.rewrite.factor import factor
from belvedere.algebra.rewrite.prune import prune
from belvedere.algebra.rewrite.push_filters import push_filters
from belvedere.algebra.rewrite.split_distinct import split_distinct

RULES: tuple[tuple[str, Callable[[Node], Node]], ...] = (
    ("factor", factor),
    ("push_filters", push_filters),
    # what nobody reads goes first: it may be what keeps the rest from being split
    ("prune", prune),
    ("split_distinct", split_distinct),
)


def rewrite(node: Node, *, off: frozenset[str] = frozenset()) -> Node:
    """All rules in order; the schema must come out as it went in."""
    for name, rule in RULES:
        if name in off:
            continue
        after = rule(node)
        if after.schema != node.schema:
            raise AssertionError(f"rule {name} changed the schema from ({node.schema}) to ({after.schema})")
        node = after
    return node


__all__ = ["RULES", "factor", "prune", "push_filters", "rewrite", "split_distinct"]
