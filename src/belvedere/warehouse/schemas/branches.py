"""Branches that can be compared over time: a branch reads the same rows as another if it reads the same columns of the same
collection, whatever these are called."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, Values
from belvedere.algebra.rewrite import rewrite
from belvedere.languages.schemasql.bound import Branch, Source
from belvedere.store.model import Collection

#: a branch, told by what it means
Meaning = tuple[tuple[object, ...], Node]


def by_ids(node: Node, known: Mapping[str, Collection]) -> Node:
    """The node over leaves that are called by permanent ids, without what nobody reads."""

    def swap(n: Node) -> Node:
        if not isinstance(n, Get) or n.name not in known:
            return n
        c = known[n.name]
        return replace(n, name=f"#{c.id}", columns=tuple(f"#{c.schema[x].id}" for x in n.columns))

    return rewrite(node).transform(swap)


def meanings(source: Source, known: Mapping[str, Collection]) -> dict[Meaning, Branch]:
    return {(b.key, by_ids(b.node, known)): b for b in source.branches}


def digest(sources: Iterable[Source], known: Mapping[str, Collection]) -> str:
    """A short text that is equal for sources of the same meaning."""
    parts: list[str] = []
    for s in sources:
        parts += [s.name, str(s.distinct), *(f"{n} {t}" for n, t in s.columns)]
        parts += sorted(f"{key!r} {text_of(node)}" for key, node in meanings(s, known))
    return short(parts)


def text_of(node: Node) -> str:
    """All of a node, constants included."""
    lines = []
    for n in node.walk():
        lines.append(n.label)
        if isinstance(n, Values):
            lines += [", ".join(map(str, row)) for row in n.rows]
        if isinstance(n, Get):
            lines.append(f"{n.columns} {n.types}")
    return "\n".join(lines)


def short(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
