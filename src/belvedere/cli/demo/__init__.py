"""`belvedere demo`: the two-minute tour."""
