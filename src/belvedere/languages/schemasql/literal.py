"""Names as constants of the algebra."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.scalar import Scalar, integer
from belvedere.algebra.types import String
from belvedere.languages.schemasql.expansion import Choice


def text_literal(text: str) -> Scalar:
    node = exp.Literal.string(text)
    node.meta["t"] = String()
    return Scalar(node, String())


def choice_literal(choice: Choice, *, encoded: bool) -> Scalar:
    """The name, or the permanent id where names are given on reading."""
    if encoded:
        assert choice.id is not None
        return integer(choice.id)
    return text_literal(choice.name)
