"""Graphs of schemaless data (OEM): the base tables, loading, updates, garbage, export."""
