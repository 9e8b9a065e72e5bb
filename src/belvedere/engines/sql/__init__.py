"""Algebra → SQL text, for both engines. Knows no engine: what differs is behind `dialect.Dialect`."""

from belvedere.engines.sql.lowering import Leaf, check, lower
from belvedere.engines.sql.statement import Slot, Statement

__all__ = ["Leaf", "Slot", "Statement", "check", "lower"]
