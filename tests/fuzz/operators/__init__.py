"""All operators of the random views, by name. Importing the package registers them."""

from tests.fuzz.operators import (
    aggregates,
    basic,
    generators,
    grouping,
    joins,
    nested,
    outer,
    reshape,
    subqueries,
    unions,
    windows,
)
from tests.fuzz.operators.base import OPERATORS, Operator, operator

__all__ = [
    "OPERATORS",
    "Operator",
    "aggregates",
    "basic",
    "generators",
    "grouping",
    "joins",
    "nested",
    "operator",
    "outer",
    "reshape",
    "subqueries",
    "unions",
    "windows",
]
