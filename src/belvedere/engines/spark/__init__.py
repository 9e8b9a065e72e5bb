"""The Spark engine. Importing it does not import pyspark; the first use does."""

from belvedere.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]
