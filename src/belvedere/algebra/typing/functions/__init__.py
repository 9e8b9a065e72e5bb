"""The functions that Belvedere knows, by family. Each module gives RULES (by sqlglot class) and NAMED (by Spark's name)."""
