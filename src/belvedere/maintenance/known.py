"""Plans of maintenance that were made before, by what changed.

To make a plan, to write its statements and to have them prepared takes many times what it takes to run them over a few rows. So
what changed is told apart only as far as it makes another plan, and a plan that reckons with more than what changed serves
as well. Law: a change of nothing adds nothing, so a plan for changes of A and B is right where only A changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from belvedere.algebra.ops import gets
from belvedere.maintenance.stage_delta import Facts, StageDelta, felt, ways
from belvedere.maintenance.stages import Stage, ViewPlan

#: after a wider plan was asked for so often (a refresh asks twice: what it will read, and what to run), one of its own has paid
#: for being made
OWN = 64


@dataclass(frozen=True)
class Happened:
    """What happened to one collection: it loses rows, it gains rows; the columns that updates set, where that can decide."""

    loses: bool
    gains: bool
    columns: frozenset[str] | None


#: a stage and, for each collection that it reads and that changed, what happened to it
Key = tuple[str, frozenset[tuple[str, Happened]]]
Ways = tuple[StageDelta, ...]


def planned(plan: ViewPlan, stage: Stage, facts: Facts) -> Ways:
    """The ways to the stage's delta, the preferred first; made once for each combination of what changed."""
    facts = _as_it_matters(stage, facts)
    return _made(plan, stage, facts, _key(stage, facts))


def _made(plan: ViewPlan, stage: Stage, facts: Facts, key: Key) -> Ways:
    if key not in plan.known:
        plan.known[key] = ways(stage, facts)
    found: Ways = plan.known[key]
    return found


def usable(plan: ViewPlan, stage: Stage, facts: Facts) -> Ways:
    """The same, or those of a wider plan that is there already, until what changed has come often.

    Identities that are kept make plans for some columns much cheaper than others, so there everything has its own."""
    facts = _as_it_matters(stage, facts)
    key = _key(stage, facts)
    if key in plan.known or stage.support:
        return _made(plan, stage, facts, key)
    wider = [k for k in plan.known if _covers(k, key)]
    if not wider or plan.uses.get(key, 0) >= OWN:
        return _made(plan, stage, facts, key)
    plan.uses[key] = plan.uses.get(key, 0) + 1
    found: Ways = plan.known[min(wider, key=lambda k: len(k[1]))]
    return found


def _as_it_matters(stage: Stage, facts: Facts) -> Facts:
    """Without what makes no other plan of this stage: only where identities are kept, the columns of an update decide."""
    changed = felt(stage, facts)
    updated: dict[str, frozenset[str] | None] = {}
    if stage.support:
        read: dict[str, set[str]] = {}
        for leaf in gets(stage.definition):
            read.setdefault(leaf.name, set()).update(leaf.columns)
        updated = {n: c if c is None else c & read[n] for n, c in facts.updated.items() if n in changed}
    return replace(
        facts, changed=changed, deleting=facts.deleting & changed, inserting=facts.inserting & changed, updated=updated
    )


def _key(stage: Stage, facts: Facts) -> Key:
    happened = ((n, Happened(n in facts.deleting, n in facts.inserting, facts.updated.get(n))) for n in facts.changed)
    return stage.name, frozenset(happened)


def _covers(wide: Key, key: Key) -> bool:
    """Whether it reckons with all of this and more. What it has besides must not be of another kind: a plan for insertions alone
    can do with less than one that reckons with deletions anywhere."""
    if wide[0] != key[0] or not key[1] or not key[1] < wide[1]:
        return False
    kinds = {(h.loses, h.gains) for _, h in key[1]}
    if kinds == {(True, True)}:
        return True
    return {(h.loses, h.gains) for _, h in wide[1] - key[1]} <= kinds
