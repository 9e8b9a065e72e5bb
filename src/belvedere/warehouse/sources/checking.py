"""What the remote joins of a view should hold: their tables as they were at the recorded positions, joined anew."""

from __future__ import annotations

import pyarrow as pa

from belvedere.changes.names import WEIGHT
from belvedere.changes.zset import add, consolidate, negate, weighted
from belvedere.errors import BelvedereError
from belvedere.maintenance.remote import RemoteJoin
from belvedere.sources.maintain.here import projected
from belvedere.sources.maintain.view import JoinView
from belvedere.sources.source import LogLost
from belvedere.store.parquet import to_physical
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.resolve import Overlay
from belvedere.warehouse.sources.attached import all_attached
from belvedere.warehouse.sources.here import EngineHere
from belvedere.warehouse.sources.joins import join_view, tables_of
from belvedere.warehouse.sources.learned import Learned, learned
from belvedere.warehouse.sources.sites import Site, Sites


def remote_rows(core: Core, registry: Registry, d: Definition, epoch: int) -> Overlay:
    """Rows for the remote joins, to be compared with: a table of a source is what it is now, less what changed since."""
    known, instead = registry.all_collections(), Overlay()
    for join in d.remotes:
        view, kept = join_view(join, known), learned(core.store, join.name, epoch)
        with Sites(core.store, all_attached(core.store), tables_of(view), mend=False) as sites:
            rows = _joined(core, view, kept, sites)
        instead.replaced.add(join.name)
        instead.tables[join.name] = [to_physical(_ordered(rows, join), known[join.name])]
    return instead


def _joined(core: Core, view: JoinView, kept: Learned | None, sites: Sites) -> pa.Table:
    here, inputs = EngineHere(core.duckdb), []
    for p in view.parts:
        slots = view.slots_of(p.alias)
        rows = _then(sites.site(p.source), p.table, [s.column for s in slots], kept)
        inputs.append(rows.rename_columns([*(s.name for s in slots), WEIGHT]))
    return projected(here, view, here.joined(inputs, [c.expr for c in view.conditions], view.types))


def _then(site: Site, table: str, columns: list[str], kept: Learned | None) -> pa.Table:
    name = site.attached.name
    if kept is None or name not in kept.positions or table not in site.snapshot.tables:
        raise BelvedereError(f"source {name!r}: table {table!r} cannot be compared any more; refresh the view first")
    try:
        changes = site.changes(table, kept.positions[name])
    except LogLost as e:
        raise BelvedereError(f"source {name!r}: {e}, so the view cannot be compared with it; refresh the view first") from e
    wanted = [*columns, WEIGHT]
    since = negate(changes).select(wanted)
    now = [weighted(b) for b in site.snapshot.read(table, columns)]
    return consolidate(add(since, *now))


def _ordered(rows: pa.Table, join: RemoteJoin) -> pa.Table:
    return rows.select([*join.columns, WEIGHT])
