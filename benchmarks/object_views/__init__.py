"""What `benchmarks/objects.py` measures: the first paper's Fig 12 and the second paper's Table 2."""
