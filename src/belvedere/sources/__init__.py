"""Other databases: their changes come out exactly once, maintenance queries go in. Knows nothing of the warehouse."""
