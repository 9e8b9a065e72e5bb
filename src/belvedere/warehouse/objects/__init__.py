"""Objects in the warehouse: declaring classes, and updates that keep extents, inverses and keys right."""
