"""All cases of operators."""

from tests.engines.cases import aggregates, closures, joins, linear, ordered
from tests.engines.cases.base import TABLES, Case

CASES: list[Case] = [*linear.CASES, *joins.CASES, *aggregates.CASES, *ordered.CASES, *closures.CASES]

__all__ = ["CASES", "TABLES", "Case"]
