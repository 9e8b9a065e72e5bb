"""What `benchmarks/schemasql.py` measures: Figs 17 to 21 of the paper on SchemaSQL views, and changes of names."""
