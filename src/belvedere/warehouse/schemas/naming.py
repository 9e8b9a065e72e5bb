"""Names that a new view's columns and relations may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from belvedere.errors import BelvedereError
from belvedere.warehouse.graph_views.parts import full_names
from belvedere.warehouse.schemas.members import full_name
from belvedere.warehouse.tables import check_column

if TYPE_CHECKING:
    from belvedere.warehouse.definition import Definition
    from belvedere.warehouse.registry import Registry


def check_new(registry: Registry, d: Definition) -> None:
    """Before a view is made: its columns have names, and what it makes under names known now is not there already.
    Names that come from data are looked at whenever the view is (`clashes`)."""
    if d.schema is None:
        columns: tuple[str, ...] = d.columns
    else:
        layout = d.schema.layout
        columns = tuple(a for _, a in layout.fixed)
        if layout.relation_name is not None:
            full = full_name(layout.database or d.name, layout.relation_name)
            if registry.taken(full) is not None:
                raise BelvedereError(f"there is a relation {full!r} already; give the view's header another name or database")
    for full in full_names(d.name) if d.graph is not None else ():
        if registry.taken(full) is not None:
            raise BelvedereError(f"there is a relation {full!r} already, and the view has a part of that name; call it otherwise")
    for column in columns:
        check_column(f"view {d.name!r}", column)
