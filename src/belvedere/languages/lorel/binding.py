"""A Lorel text → algebra over the tables of graphs, with its canonical form."""

from __future__ import annotations

from collections.abc import Mapping

from belvedere.errors import ParseError, Unsupported
from belvedere.languages.lorel.bound import LorelBound
from belvedere.languages.lorel.canonical import canonical
from belvedere.languages.lorel.catalog import OemNames
from belvedere.languages.lorel.graph import Graph
from belvedere.languages.lorel.parser import parse_view
from belvedere.languages.lorel.resolve import resolve_view
from belvedere.languages.lorel.scopes import Session
from belvedere.languages.lorel.touched import touched
from belvedere.languages.lorel.view import as_rows, long_form, selected
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.parameters import Parameter


def bind(text: str, names: Names, *, view: bool = False, parameters: Mapping[str, Parameter] | None = None) -> LorelBound:
    """The long form of a view, or with `view` False the rows (oid, label, type, text) of a query; errors carry line, column and
    a caret."""
    if parameters:
        raise Unsupported("parameters in Lorel; write the constant into the text", text=text)
    try:
        return _bound(text, names, view)
    except RecursionError:
        raise ParseError("the text is nested too deeply; break it into several views", text=text) from None


def _bound(text: str, names: Names, view: bool) -> LorelBound:
    session = session_of(text, names)
    parsed = parse_view(text)
    if not view and (parsed.with_ or parsed.name is not None):
        raise ParseError("a query has no with clause and no define view; wh.create_view makes a view of it", text=text)
    resolved = resolve_view(parsed, session)
    graph = Graph(names, session)
    items = selected(resolved.query, graph)
    node = long_form(resolved, items, graph) if view else as_rows(items, graph)
    spec = canonical(resolved)
    met = touched(spec, items, graph)
    return LorelBound(
        node, node.schema.names, tuple(graph.relations), (), False, text, spec=spec, touched=met, title=resolved.title
    )  # fmt: skip


def session_of(text: str, names: Names) -> Session:
    return Session(text, names.entry_points() if isinstance(names, OemNames) else None)
