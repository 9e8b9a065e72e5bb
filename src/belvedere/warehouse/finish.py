"""The end of a transaction: net changes, keys, views that follow at once, one publication, and housekeeping after it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from belvedere.errors import InvalidView
from belvedere.store.model import Collection
from belvedere.store.stats import exact_stats
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.inputs import look, table_facts
from belvedere.warehouse.modes import ON_READ, due_now
from belvedere.warehouse.objects.keys import check_class_keys
from belvedere.warehouse.publishing import republish
from belvedere.warehouse.refresh import Refresher
from belvedere.warehouse.resolve import Overlay
from belvedere.warehouse.schemas.transition import has_moved

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

#: a quiet view's mark follows the head at this fraction of the retention
LAG = 4


def finish(tx: Transaction) -> int:
    """Everything that must hold before the epoch is visible."""
    write_rows(tx)
    compiled = _immediate(tx)
    epoch = tx.commit.publish()
    for d in compiled:
        tx._warehouse.registry.remember(d)
    tx._warehouse.after_publish(tx.overlay.tables)
    return epoch


def write_rows(tx: Transaction) -> None:
    """Each table's net change becomes a run, once its keys are known to be right."""
    tx.flush_objects()
    tx.settle_graph()
    for name in list(tx.overlay.tables):
        if name in tx.overlay.dropped:
            continue
        c = tx.registry.collection(name)
        net = tx.net(name)
        if c.key and (name in tx._keys_at_risk):
            tx.check_key(c, net)
        check_class_keys(tx, c, net)
        _append(tx, c, net)


def follow_at_once(tx: Transaction) -> list[str]:
    """The views that must follow what the transaction has written in its own epoch."""
    touched = set(tx.overlay.tables) | tx.overlay.replaced
    if not touched and not tx.overlay.collections and not tx.overlay.dropped:
        return []
    marks = tx.core.store.docs("pin", tx.commit.base)
    found = _needed(tx)
    for name in tx.registry.view_names():
        with suppress(InvalidView):
            d = tx.registry.definition(name)
            if d.plan.reads & touched and _due(tx, d, marks):
                found.add(name)
    return sorted(found)


def _append(tx: Transaction, c: Collection, net: Any) -> None:
    """Write the net change as one run, with what is known about it."""
    if not net.num_rows:
        tx.overlay.tables.pop(c.name, None)
        return
    changed = tx.changed_columns(c.name)
    if changed is not None and pc.sum(net.column("_w")).as_py() != 0:
        changed = None
    stats: dict[str, Any] = {}
    if changed is not None:
        stats["changed"] = sorted(changed)
    run = tx.commit.append(c, net, stats=stats)
    tx.core.keep(run, net)
    tx.overlay.tables[c.name] = [net]
    tx.overlay.changed[c.name] = None if changed is None else frozenset(x.name for x in c.schema if x.id in changed)
    tx.overlay.facts[c.name] = table_facts(run.stats or exact_stats(net), c)


def _immediate(tx: Transaction) -> list[Definition]:
    """Bring views that follow at once up to date in the same epoch; move on the marks of those that had nothing to feel. Gives
    the definitions that got new documents."""
    touched = set(tx.overlay.tables) | tx.overlay.replaced
    # a view in SchemaSQL that was invalid may be valid with what came or went, and then has changes to catch up with
    reshaped = bool(tx.overlay.collections or tx.overlay.dropped)
    if not touched and not reshaped:
        return []
    refresher: Refresher | None = None
    marks = tx.core.store.docs("pin", tx.commit.base)
    needed = _needed(tx)
    for name in tx.registry.in_order():
        try:
            d = tx.registry.definition(name)
        except InvalidView:
            continue  # its status says so, and why; the transaction stands
        worked, moved = False, has_moved(tx.registry, d)
        felt = bool(d.plan.reads & (touched | set(tx.overlay.tables)) or d.views & set(tx.overlay.outlines))
        # a name that went may have been in the way of a view's relation
        felt = felt or moved or (reshaped and (d.schema is not None or any(tx.registry.outline(v) for v in d.views)))
        if felt and (name in needed or _due(tx, d, marks)):
            refresher = refresher or Refresher(tx.core, tx.registry, tx.commit, tx.overlay)
            worked = refresher.refresh(name).strategy != "none"
        if not worked and not moved and name in marks:
            _advance(tx, d, int(marks[name]["epoch"]))
    if refresher is None:
        return []
    views = [r.view for r in refresher.reports if r.strategy != "none"]
    republish(tx._warehouse, tx.registry, tx.commit, tx.overlay, views)
    return refresher.compiled


def _needed(tx: Transaction) -> set[str]:
    """Views that must be up to date in every epoch: immediate ones, and what they read of those that follow when read."""
    modes = {n: tx.registry.document(n)["mode"] for n in tx.registry.view_names()}
    immediate = [n for n, mode in modes.items() if mode == "immediate"]
    return {n for n in tx.registry.in_order(immediate) if modes[n] in ("immediate", *ON_READ)} if immediate else set()


def _due(tx: Transaction, d: Definition, marks: dict[str, Any]) -> bool:
    if d.mode != "hybrid":
        return False
    since = int(marks[d.name]["epoch"]) if d.name in marks else tx.commit.base
    return due_now(tx.registry, d, look(tx.core.store, tx.registry, tx.overlay, d, since, tx.commit.base))


def _advance(tx: Transaction, d: Definition, mark: int) -> None:
    """Move on the mark of a view that has had nothing to feel for a while, so that it does not hold on to old epochs.

    Up to the base only: what this transaction and others that overtake it change is for the next look. So writers meet
    in a quiet view's mark once in many epochs, and never in what the view reads.
    """
    base = tx.commit.base
    if base - mark < max(1, tx.core.store.retention // LAG):
        return
    if not look(tx.core.store, tx.registry, Overlay(), d, mark, base).relevant:
        tx.commit.put_doc("pin", d.name, {"epoch": base})
