"""The change rules, one file per family of operators. Importing this package registers them all."""

from belvedere.maintenance.rules import aggregate, internal, join, leaves, linear, outer_join, semi_join, threshold, window

__all__ = ["aggregate", "internal", "join", "leaves", "linear", "outer_join", "semi_join", "threshold", "window"]
