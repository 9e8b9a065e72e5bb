"""From a remote join of a definition to the join view that the sources are asked about."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Get, gets
from belvedere.algebra.rewrite import rewrite
from belvedere.maintenance.remote import RemoteJoin, cut
from belvedere.sources.maintain.view import Condition, JoinView, Output, Part, Slot
from belvedere.sources.source import TableInfo
from belvedere.store.model import Collection
from belvedere.warehouse.sources.mirrors import REMOTE, SOURCE, is_remote

Known = Mapping[str, Collection]


def cut_remotes(view: str, node: Node, known: Known) -> tuple[Node, tuple[RemoteJoin, ...]]:
    """The definition over remote joins where it reads tables that are not kept here."""
    if not any(is_remote(known[g.name]) for g in gets(node) if g.name in known):
        return node, ()
    return cut(view, rewrite(node), lambda n: n in known and is_remote(known[n]))


def join_view(join: RemoteJoin, known: Known) -> JoinView:
    """Every column of its tables is a slot; what comes out are slots."""
    parts: list[Part] = []
    slots: dict[str, Slot] = {}
    for leaf in join.leaves:
        c = known[leaf.name]
        alias, number = leaf.name, 1
        while any(p.alias == alias for p in parts):
            number += 1
            alias = f"{leaf.name} #{number}"
        parts.append(Part(alias, str(c.properties[SOURCE]), str(c.properties[REMOTE])))
        for column in leaf.schema:
            slots[column.name] = Slot(f"v{len(slots)}", alias, leaf.source(column.name), column.type)
    names = {n: s.name for n, s in slots.items()}
    conditions = [Condition(c.rename(names).expr, frozenset(slots[n].part for n in c.columns)) for c in join.conditions]
    outputs = [Output(n, s.rename(names).expr, s.type) for n, s in join.items()]
    return JoinView(tuple(parts), tuple(slots.values()), tuple(conditions), tuple(outputs))


def table_info(leaf: Get, known: Known, rows: float) -> TableInfo:
    """What is known here of a table, without asking: enough for an estimate."""
    c = known[leaf.name]
    key = tuple(x.name for x in c.schema if x.id in c.key)
    return TableInfo(str(c.properties[REMOTE]), c.schema, key, int(rows), tuple(x.id for x in c.schema))


def digest(join: RemoteJoin, known: Known) -> str:
    """Another one if the join reads other tables or columns, or in another way; the same if they are only renamed."""
    read = [(known[g.name].id, [known[g.name].schema[x].id for x in g.columns], str(g.schema)) for g in join.leaves]
    said = repr((read, [str(c) for c in join.conditions], join.columns))
    return hashlib.sha256(said.encode()).hexdigest()[:24]


def tables_of(view: JoinView) -> dict[str, list[str]]:
    """Source → its tables that the join reads."""
    found: dict[str, set[str]] = {}
    for p in view.parts:
        found.setdefault(p.source, set()).add(p.table)
    return {s: sorted(t) for s, t in sorted(found.items())}
