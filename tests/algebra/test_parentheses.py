"""What is put together out of scalars means what its parts mean: infix parts are in parentheses."""

from __future__ import annotations

import pytest

from belvedere.algebra.scalar import conjunction
from belvedere.algebra.types import parse_schema
from belvedere.algebra.typing import scalar

SCHEMA = parse_schema("x int, y int, p boolean, s string")


@pytest.mark.parametrize("infix", ["y = 1 OR y IS NULL", "s RLIKE 'a'", "y = 1"])
def test_conjunctions(infix: str) -> None:
    part, other = scalar(infix, SCHEMA), scalar("x > 1", SCHEMA)
    for parts in ([part, other], [other, part]):
        assert f"({part})" in str(conjunction(parts)), conjunction(parts)


@pytest.mark.parametrize("infix", ["y = 1 OR y IS NULL", "y = 1 AND x = 1", "s RLIKE 'a'"])
def test_substitution(infix: str) -> None:
    part = scalar(infix, SCHEMA)
    assert str(scalar("NOT p", SCHEMA).substitute({"p": part})) == f"NOT ({part})"


def test_a_conjunction_of_conjunctions_is_flat() -> None:
    both = conjunction([scalar("x > 1", SCHEMA), scalar("y > 1", SCHEMA)])
    assert len(conjunction([both, scalar("p", SCHEMA)]).conjuncts()) == 3
