"""Attached databases: their tables as mirrors, which follow the change logs of the source, exactly once."""
