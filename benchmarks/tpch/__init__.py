"""TPC-H as maintained views: tables, the 22 queries, batches of changes, and a plain database to compare with.

Used by `benchmarks/tpch.py` and by `tests/tpch`, so that what is measured is what is tested.
"""
