"""The parts of benchmarks/sources.py."""
