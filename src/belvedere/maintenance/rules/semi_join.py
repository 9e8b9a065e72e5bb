"""Semijoin and antijoin: Δ = ΔL ⋉ R_new + (A ⋉ R_new − A ⋉ R_old), A = the rows of L_old that some row of ΔR matches.

A covers every row whose answer a change of R can turn; rows of L that ΔR cannot reach keep theirs. Where the condition reads
nothing of R, all that counts is whether R has rows, and A is empty unless their number changed.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Consolidate, Filter, Keys, Negate, Project, SemiJoin, UnionAll, equi_pairs
from belvedere.algebra.rewrite import push_filters
from belvedere.algebra.scalar import col, cols, integer, true
from belvedere.maintenance.change import Change
from belvedere.maintenance.lookup import narrow, reach
from belvedere.maintenance.propagate import propagate, rule


@rule(SemiJoin)
def semi_join(node: SemiJoin, change: Change) -> Node | None:
    links = equi_pairs(node.on, node.left.schema, node.right.schema)
    back = tuple((b, a) for a, b in links)
    left, right = propagate(node.left, change), propagate(node.right, change)
    terms: list[Node] = []
    if left is not None:
        left = change.share(left, "rows")
        terms.append(SemiJoin(left, narrow(change.at(node.right, "new"), left, links, change), node.on, node.anti))
    if right is not None:
        read = [node.right.schema[n] for n in node.right.schema.names if n in node.on.columns]
        old_left = change.at(node.left, "old")
        if read:
            changed: Node = change.share(Keys(right, tuple((c.name, col(c)) for c in read)), "keys")
            affected = change.share(SemiJoin(reach(old_left, changed, back, change), changed, node.on), "rows")
        else:
            number = Consolidate(Project(right, ((change.fresh("one"), integer(1)),)))
            changed = Keys(number, cols(number.schema))
            affected = change.share(SemiJoin(push_filters(Filter(old_left, node.on)), changed, true()), "rows")
        new = SemiJoin(affected, narrow(change.at(node.right, "new"), affected, links, change), node.on, node.anti)
        old = SemiJoin(affected, narrow(change.at(node.right, "old"), affected, links, change), node.on, node.anti)
        terms += [new, Negate(old)]
    if not terms:
        return None
    return terms[0] if len(terms) == 1 else UnionAll(tuple(terms))
