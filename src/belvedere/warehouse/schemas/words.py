"""What changed in the catalog, in words: the reason of a transition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from belvedere.algebra.ops import Get
from belvedere.languages.schemasql.bound import Branch
from belvedere.store.model import Collection
from belvedere.warehouse.schemas.outline import Dictionaries


def rename_words(before: Dictionaries, after: Dictionaries) -> list[str]:
    """Ids that have another name now."""
    words = []
    for column, entries in sorted(before.items()):
        now = dict(after.get(column, ()))
        words += [f"{old} is called {now[i]} now" for i, old in entries if i in now and now[i] != old]
    return words


def branch_words(branch: Branch, here: Mapping[str, Collection], there: Mapping[str, Collection], what: str) -> Iterator[str]:
    """What about a branch is on one side of the change only; `here` is the side that has the branch."""
    others = {c.id: c for c in there.values()}
    for leaf in branch.node.walk():
        if not isinstance(leaf, Get):
            continue
        c = here[leaf.name]
        other = others.get(c.id)
        if other is None:
            yield f"relation {c.name} {what}"
            continue
        columns = [x for x in leaf.columns if c.schema[x].id not in other.column_ids()]
        if columns:
            yield from (f"column {x} of {c.name} {what}" for x in columns)
        elif other.name != c.name:
            yield f"{other.name} is called {c.name} now" if what == "came" else f"{c.name} is called {other.name} now"
        else:
            renamed = [x.name for x in other.schema for y in c.schema if x.id == y.id and x.name != y.name]
            place = "in" if what == "came" else "out of"
            yield f"columns of {c.name} got other names" if renamed else f"{c.name} is {place} its range now"
