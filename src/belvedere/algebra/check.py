"""Checks that nodes run when they are made. A failure here is a bug of ours, never the user's."""

from __future__ import annotations

from belvedere.algebra.node import Node


def need_columns(op: str, used: frozenset[str], *inputs: Node) -> None:
    known = {n for i in inputs for n in i.schema.names}
    missing = used - known
    if missing:
        raise ValueError(f"{op}: columns {sorted(missing)} are not among {sorted(known)}")


def need_disjoint(op: str, left: Node, right: Node) -> None:
    shared = set(left.schema.names) & set(right.schema.names)
    if shared:
        raise ValueError(f"{op}: both sides have columns {sorted(shared)}")
