"""The object model: classes, their types, and where their properties are stored."""
