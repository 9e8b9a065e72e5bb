"""What changed for a view since it was last brought up to date, and whether it can matter."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from belvedere.algebra.types import Date, Decimal
from belvedere.maintenance.relevance import Interest, matters
from belvedere.maintenance.stage_delta import Facts
from belvedere.store.model import Collection, Run
from belvedere.store.store import Store
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.fanout import Fanouts
from belvedere.warehouse.graph_views.relevance import EDGES, VALUES, Felt, felt
from belvedere.warehouse.registry import Registry
from belvedere.warehouse.resolve import Overlay, has_deletes, has_inserts


@dataclass
class Inputs:
    """relevant: collections whose change can matter; deleting, inserting: those of them that lose rows, and that gain rows;
    updated: the columns that updates set, where nothing came or went; blocked: why a delta is not to be had; why_not: the
    reason where nothing matters."""

    relevant: set[str] = field(default_factory=set)
    deleting: set[str] = field(default_factory=set)
    inserting: set[str] = field(default_factory=set)
    updated: dict[str, frozenset[str] | None] = field(default_factory=dict)
    size: dict[str, int] = field(default_factory=dict)
    blocked: dict[str, str] = field(default_factory=dict)
    why_not: str = ""
    #: for a view in Lorel: how it feels the updates, where that could be told without a query
    felt: Felt | None = None
    #: plans for any kind of change, so that there are fewer of them to make: those of a graph are dear
    coarse: bool = False
    fanout: Fanouts | None = None

    @property
    def rows(self) -> int:
        return sum(self.size[n] for n in self.relevant)

    def facts(self) -> Facts:
        """For the plans of maintenance."""
        relevant = frozenset(self.relevant)
        if self.coarse:
            return Facts(relevant, relevant, relevant)
        deleting, inserting = frozenset(self.deleting), frozenset(self.inserting)
        return Facts(relevant, deleting, inserting, dict(self.updated), fanout=self.fanout)


def look(store: Store, registry: Registry, overlay: Overlay, d: Definition, since: int, until: int) -> Inputs:
    """Ask the run log, not the data."""
    found = Inputs(coarse=d.graph is not None, fanout=Fanouts(store, until))
    seen_changes = False
    deltas: dict[str, list[Run]] = {}
    known = registry.all_collections()
    for name in sorted(d.plan.reads & known.keys()):  # a remote join may be yet to be made
        c = known[name]
        runs = [] if name in overlay.replaced else store.delta(c, since, until)
        if runs is None or name in overlay.replaced:
            found.relevant.add(name)
            found.deleting.add(name)
            found.inserting.add(name)
            found.size[name] = sum(r.rows for r in store.snapshot(c, until)) + overlay.rows(name)
            if runs is None and not store.has_epoch(since):
                found.blocked["incremental"] = f"the changes of {name!r} since epoch {since} are beyond the retention"
            continue
        deltas[name] = runs
        pending = overlay.tables.get(name, [])
        seen_changes |= bool(runs or pending or overlay.files.get(name))
        uses = d.interests.get(name, ())
        kept = [r for r in runs if any(_run_matters(u, r, c) for u in uses)]
        fresh = [t for t in pending if any(_pending_matters(u, overlay, name) for u in uses)]
        files = overlay.files.get(name, [])
        if not (kept or fresh or files):
            continue
        # one relevant run makes all of them count: rows that cancel must meet
        found.relevant.add(name)
        found.size[name] = sum(r.rows for r in runs) + overlay.rows(name)
        if any(r.deletes for r in [*runs, *files]) or any(has_deletes(t) for t in pending):
            found.deleting.add(name)
        if any(r.deletes < r.rows for r in [*runs, *files]) or any(has_inserts(t) for t in pending):
            found.inserting.add(name)
        found.updated[name] = _updated(runs, bool(pending), overlay, c) if not files else None
    if d.graph is not None and found.relevant and found.relevant <= {EDGES, VALUES} and found.relevant <= deltas.keys():
        known = registry.all_collections()
        found.felt = felt(registry.core, d.graph, known, {n: deltas[n] for n in found.relevant}, overlay, until)
        if found.felt is not None and not found.felt:
            return Inputs(why_not="it does not look at any object in a way that the changes touch")
    if not found.relevant:
        found.why_not = "the changes cannot matter to it" if seen_changes else "nothing that it reads changed"
    return found


def _updated(runs: Sequence[Run], pending: bool, overlay: Overlay, c: Collection) -> frozenset[str] | None:
    """The columns that the updates behind all these runs set; None if one of them is more than updates."""
    columns: set[str] = set()
    for r in runs:
        named = _changed(r, c)
        if named is None:
            return None
        columns |= named
    if pending:
        named = overlay.changed.get(c.name)
        if named is None:
            return None
        columns |= named
    return frozenset(columns)


def _changed(run: Run, c: Collection) -> frozenset[str] | None:
    """The columns, by name, in which the rows of a run differ from before; None if rows came or went."""
    changed = run.stats.get("changed")
    names = {col.id: col.name for col in c.schema}
    return None if changed is None else frozenset(names[i] for i in changed if i in names)


def _run_matters(interest: Interest, run: Run, c: Collection) -> bool:
    return matters(interest, _facts(run, c), _changed(run, c))


def _facts(run: Run, c: Collection) -> dict[str, Any]:
    """What is known of a run, which remembers it: many views may ask."""
    known: tuple[Collection, dict[str, Any]] | None = run.__dict__.get("_facts")
    if known is None or known[0] is not c:
        known = run.__dict__["_facts"] = c, table_facts(run.stats, c)
    return known[1]


def _pending_matters(interest: Interest, overlay: Overlay, name: str) -> bool:
    changed = overlay.changed.get(name)
    return matters(interest, overlay.facts.get(name, {}), None if changed is None else frozenset(changed))


def table_facts(stats: Mapping[str, Any], c: Collection) -> dict[str, Any]:
    """Statistics by column name, decoded."""
    facts = {}
    for column in c.schema:
        known = stats.get(str(column.id))
        if known is None:
            continue
        if isinstance(column.type, Decimal):
            known = _decoded(known, decimal.Decimal)
        elif isinstance(column.type, Date):
            known = _decoded(known, dt.date.fromisoformat)
        facts[column.name] = known
    return facts


def _decoded(fact: Mapping[str, Any], read: Any) -> dict[str, Any]:
    out = dict(fact)
    for side in ("min", "max"):
        if fact.get(side) is not None:
            out[side] = read(fact[side])
    if "values" in fact:
        out["values"] = [read(v) for v in fact["values"]]
    return out
