"""Aggregate functions over weighted rows, one file per family."""
