"""SchemaSQL views in the warehouse: what they range over, how they are kept, read, and brought over a change of the schema."""
