"""The commands that read rows: show, query, changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from belvedere.algebra.types import quote_name
from belvedere.cli import output
from belvedere.cli.options import HERE, CatalogOption, Engine, EngineOption, JsonOption, LimitOption, WarehouseOption
from belvedere.cli.session import warehouse
from belvedere.warehouse.resolve import Overlay

if TYPE_CHECKING:
    import pyarrow as pa


def show(
    name: Annotated[str, typer.Argument(help="A view, a table, or a relation of a SchemaSQL view (view.relation).")],
    limit: LimitOption = 20,
    epoch: Annotated[int | None, typer.Option("--epoch", help="As of an earlier epoch within the retention.")] = None,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Show the rows of a view or a table."""
    with warehouse(path, catalog, engine) as wh:
        if name in wh.tables():
            if epoch is not None:
                raise typer.BadParameter(f"--epoch reads earlier states of views, and {name} is a table")
            found = wh.query(f"select * from {quote_name(name)}").arrow()
        else:
            registry = wh.registry if epoch is None else wh.registry.over(Overlay(), epoch)
            known = {} if name in registry.view_names() else registry.schema_relations()
            of, relation = known.get(name, (name, None))
            view = wh.view(of)
            found = view.arrow(epoch=epoch) if relation is None else view.relation(relation, epoch).arrow()
            if view.status != "fresh" and epoch is None:
                output.note(f"{name} is {view.status} ({view.reason}); 'belvedere refresh' brings it up to date")
    _print(found, limit, as_json)


def query(
    text: Annotated[str, typer.Argument(help="A query over tables and views.")],
    language: Annotated[str, typer.Option("--language", "-l", help="The query's language.")] = "sql",
    limit: LimitOption = 100,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Answer a query; nothing is stored."""
    with warehouse(path, catalog, engine) as wh:
        found = wh.query(text, language=language).arrow()
    _print(found, limit, as_json)


def changes(
    view: Annotated[str, typer.Argument(help="The view.")],
    since: Annotated[int, typer.Option("--since", min=0, help="The epoch after which changes count.")],
    limit: LimitOption = 100,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Show a view's own delta since an epoch: rows with a weight, positive in, negative out. Of a SchemaSQL view: the sequence of
    changes of its schema and its tuples."""
    with warehouse(path, catalog, engine) as wh:
        if wh.view(view).language == "schemasql":
            output.listing(wh.view(view).changes(since)[: limit or None], as_json=as_json, empty="no changes")
            return
        found = wh.view(view).changes_arrow(since)
    _print(found, limit, as_json)


def _print(found: pa.Table, limit: int, as_json: bool) -> None:
    """The first rows, and on stderr how many more there are: a cut must not look like the whole."""
    shown = found.slice(0, limit) if limit else found
    if as_json:
        output.show_json(shown.to_pylist())
    else:
        output.show_rows(shown.to_pylist(), columns=shown.column_names)
    if shown.num_rows < found.num_rows:
        output.note(f"{shown.num_rows:,} of {found.num_rows:,} rows; --limit 0 shows all")
