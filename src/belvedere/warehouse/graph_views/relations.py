"""The part of the registry that knows the relations of Lorel views."""

from __future__ import annotations

from typing import Any

from belvedere.algebra.ops import renamed
from belvedere.languages.sql.catalog import Relation
from belvedere.warehouse.graph_views.parts import full_names, part


class GraphRelations:
    """Relations by their full names, of the views in Lorel there are."""

    def view_names(self) -> list[str]:
        raise AssertionError("the registry says")

    def document(self, name: str) -> dict[str, Any]:
        raise AssertionError("the registry says")

    def definition(self, name: str) -> Any:
        raise AssertionError("the registry says")

    def graph_relations(self) -> dict[str, tuple[str, str]]:
        """Full name → (view, part)."""
        views = (v for v in self.view_names() if self.document(v)["language"] == "lorel")
        return {full: (view, name) for view in views for full, name in full_names(view).items()}

    def graph_relation(self, view: str, name: str) -> Relation:
        """One part of a Lorel view, to be read in a plan."""
        d = self.definition(view)
        node = part(renamed(d.visible, d.columns), name)
        return Relation(f"{view}.{name}", node.schema, node)
