"""Views in Lorel: how they are read, what matters to them, and what they cost."""
