"""The commands about freshness: refresh, status, explain, verify, history."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

import belvedere as bv
from belvedere.cli import output
from belvedere.cli.failures import FAILED, complain
from belvedere.cli.options import HERE, CatalogOption, Engine, EngineOption, JsonOption, Strategy, WarehouseOption
from belvedere.cli.session import warehouse

NamesArgument = Annotated[list[str] | None, typer.Argument(help="Views; all if none is named.")]
ViewArgument = Annotated[str, typer.Argument(help="The view.")]


_TOLD = (
    "epoch", "strategy", "engine", "rows_in", "rows_out", "rows_read", "bytes_read", "rows_written", "estimate", "seconds",
    "reason",
)  # fmt: skip


_STRATEGY = "incremental fails rather than recompute; batch, grouping and sequential are for views that ask other databases."


class Format(StrEnum):
    text = "text"
    dict = "dict"
    mermaid = "mermaid"
    svg = "svg"


def refresh(
    names: NamesArgument = None,
    strategy: Annotated[Strategy, typer.Option("--strategy", help=_STRATEGY)] = Strategy.auto,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Bring stale views up to date, in the order of their dependencies."""
    with warehouse(path, catalog, engine) as wh:
        if strategy is Strategy.auto:
            done = _done(wh, names, strategy)
        else:
            done = [r for n in names or [v.name for v in wh.views()] for r in _done(wh, [n], strategy)]
        invalid = [r for r in done if r.held or (r.strategy == "none" and wh.view(r.view).status == "invalid")]
    asking = any(r.asked for r in done)
    rows = [_summary(r, asking) for r in done if r.strategy != "none"]
    output.listing(rows, as_json=as_json, empty="nothing to refresh" if invalid else "all views are fresh")
    for report in invalid:
        complain(f"{report.view} was not refreshed: {report.reason}")
    if invalid:
        raise typer.Exit(FAILED)


def _done(wh: bv.Warehouse, names: list[str] | None, strategy: Strategy) -> list[bv.Refresh]:
    """The reports, also of a refresh in which a view failed."""
    try:
        if strategy is Strategy.auto:
            return wh.refresh(*(names or []))
        return [wh.view(n).refresh(strategy=strategy.value) for n in names or []]
    except bv.RefreshFailed as e:
        return list(e.reports)


def _summary(r: bv.Refresh, asking: bool) -> dict[str, Any]:
    return {
        "view": r.view, "epoch": r.epoch, "strategy": r.strategy, "engine": r.engine, "rows_in": r.rows_in,
        "rows_out": r.rows_out, "rows_read": r.rows_read, "ms": round(r.seconds * 1000, 1),
        **({"asked": "; ".join(f"{a.strategy} ({_counts(a.queries)})" for a in r.asked)} if asking else {}),
    }  # fmt: skip


def _counts(queries: dict[str, int]) -> str:
    return ", ".join(f"{source} {n}" for source, n in queries.items()) or "nothing asked"


def status(path: WarehouseOption = HERE, catalog: CatalogOption = None, as_json: JsonOption = False) -> None:
    """Show the epoch, and for each view whether it is fresh, stale or invalid, and why."""
    with warehouse(path, catalog) as wh:
        epoch = wh.epoch
        rows = [{"view": v.name, "status": v.status, "reason": v.reason or ""} for v in wh.views()]
        names = wh.tables()
    if as_json:
        output.show_json({"warehouse": str(path.resolve()), "epoch": epoch, "tables": names, "views": rows})
        return
    output.say(f"epoch {epoch}, {output.count(len(names), 'table')}, {output.count(len(rows), 'view')}")
    if rows:
        output.show_rows(rows)


def explain(
    view: ViewArgument,
    format: Annotated[Format, typer.Option("--format", help="How the plan is written.")] = Format.text,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Show the plan that the next refresh will run, its SQL, and why."""
    with warehouse(path, catalog, engine) as wh:
        plan = wh.view(view).explain(format=format.value)
    if format is Format.dict:
        output.show_json(plan)
    else:
        typer.echo(plan)


def verify(
    names: NamesArgument = None,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
    engine: EngineOption = Engine.auto,
) -> None:
    """Compare views with their recomputation. The exit code is 1 if one differs."""
    with warehouse(path, catalog, engine) as wh:
        rows = []
        for name in names or [v.name for v in wh.views()]:
            found = wh.view(name).verify()
            rows.append({"view": name, "ok": found.ok, "missing": found.missing.num_rows, "extra": found.extra.num_rows})
    output.listing(rows, as_json=as_json, empty="no views")
    if not all(r["ok"] for r in rows):
        raise typer.Exit(FAILED)


def history(
    view: ViewArgument,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="The latest so many; 0 shows all.")] = 20,
    schema: Annotated[bool, typer.Option("--schema", help="How a SchemaSQL view's schema changed, and why.")] = False,
    as_json: JsonOption = False,
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
) -> None:
    """Show a view's refreshes: strategy, engine, rows read, the time that was estimated and the time it took."""
    with warehouse(path, catalog) as wh:
        if schema:
            output.listing(wh.view(view).schema_history()[-limit:], as_json=as_json, empty="its schema has not changed")
            return
        records = wh.view(view).history(limit or None)
    if not as_json:
        records = [{k: r[k] for k in _TOLD if k in r} for r in records]
    output.listing(records, as_json=as_json, empty="no refreshes yet")
