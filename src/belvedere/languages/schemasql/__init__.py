"""SchemaSQL text → fragments in the algebra, and how they become relations."""

from belvedere.languages.schemasql.binding import bind
from belvedere.languages.schemasql.bound import Branch, Layout, SchemaBound, Source
from belvedere.languages.schemasql.catalog import Attribute, Member, SchemaNames
from belvedere.languages.schemasql.formula import algebra_text

__all__ = ["Attribute", "Branch", "Layout", "Member", "SchemaBound", "SchemaNames", "Source", "algebra_text", "bind"]
