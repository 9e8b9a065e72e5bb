"""Views over closures without a path language: `seeds in SQL || steps in SQL || shape`, in the place of SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Closure, Filter, Join, Project, SemiJoin, UnionAll, renamed
from belvedere.algebra.scalar import cols, equal
from belvedere.algebra.types import BigInt, Schema
from belvedere.algebra.typing import scalar
from belvedere.languages import bind
from belvedere.languages.sql import Bound
from belvedere.warehouse import registry


def _ends(c: Node) -> Node:
    """Only rows in state 1, without the state."""
    kept = Filter(c, scalar("state = 1", c.schema))
    return Project(kept, cols(Schema((c.schema["src"], c.schema["node"]))))


def _counted(c: Node) -> Node:
    by = (("node", dict(cols(c.schema))["node"]),)
    return Aggregate(c, by, (("n", Agg("count", (), BigInt())),))


def _twice(c: Node) -> Node:
    """The closure of where the closure ends, by the same steps, beside the pairs that meet: three uses of one closure."""
    assert isinstance(c, Closure)
    ends = Filter(c, scalar("state = 1", c.schema))
    again = Closure(
        Project(ends, tuple((n, scalar(e, c.schema)) for n, e in (("src", "src"), ("state", "0"), ("node", "node")))), c.steps
    )
    other = renamed(c, ("src2", "state2", "node2"))
    meet = Join(c, other, equal(c.schema["node"], other.schema["node2"]))
    kept = Filter(meet, scalar("src < src2", meet.schema))
    return UnionAll((again, Project(kept, cols(Schema(c.schema.columns)))))


def _missing(c: Node) -> Node:
    """Seeds' places that no other source reaches."""
    assert isinstance(c, Closure)
    other = renamed(c, ("src2", "state2", "node2"))
    on = scalar("node = node2 and src <> src2", Schema((*c.seeds.schema.columns, *other.schema.columns)))
    return SemiJoin(c.seeds, other, on, anti=True)


SHAPES: dict[str, Callable[[Node], Node]] = {
    "plain": lambda c: c, "ends": _ends, "counted": _counted, "twice": _twice, "missing": _missing,
}  # fmt: skip


def text(shape: str, seeds: str = "select src, state, node from seeds", steps: str = "select s1, a, s2, b from steps") -> str:
    return f"{seeds} || {steps} || {shape}"


def _bind(text: str, names: Any, language: str = "sql", **more: Any) -> Bound:
    parts = [p.strip() for p in text.split("||")]
    if len(parts) != 3:
        return bind(text, names, language, **more)
    seeds, steps = bind(parts[0], names), bind(parts[1], names)
    node = SHAPES[parts[2]](Closure(renamed(seeds.node, ("src", "state", "node")), renamed(steps.node, ("s1", "a", "s2", "b"))))
    return replace(seeds, node=node, columns=node.schema.names, ordered=None)


@contextmanager
def closures() -> Iterator[None]:
    """For as long as this lasts, views may be written so."""
    with patch.object(registry, "bind", _bind):
        yield
