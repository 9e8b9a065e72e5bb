"""All cases of operators."""

from tests.engines.cases import aggregates, joins, linear, ordered
from tests.engines.cases.base import TABLES, Case

CASES: list[Case] = [*linear.CASES, *joins.CASES, *aggregates.CASES, *ordered.CASES]

__all__ = ["CASES", "TABLES", "Case"]
