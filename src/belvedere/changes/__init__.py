"""Rows in any form → Arrow Z-sets, typed and checked."""
