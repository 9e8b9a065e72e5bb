"""What binding a query gives."""

from __future__ import annotations

from dataclasses import dataclass

from belvedere.algebra.node import Node
from belvedere.algebra.ops import SortKey


@dataclass(frozen=True)
class Bound:
    """A query in the algebra.

    `columns` are the names that the user sees, for the columns of `node` in order. `order` is the order to show the rows in
    (an order without a limit is no part of the algebra); where it needs columns that the query does not give, `ordered` is
    the node with those columns at the end. `star` says that a `*` stands in the text, so the view follows added columns.
    """

    node: Node
    columns: tuple[str, ...]
    relations: tuple[str, ...]
    order: tuple[SortKey, ...]
    star: bool
    text: str
    ordered: Node | None = None
