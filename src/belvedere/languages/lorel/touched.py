"""RelevantOids: every object that an evaluation from the top meets, with the variable it is met as.

A closure over the canonical form's states. The with paths begin at the objects that are selected, the others at the roots.
"""

from __future__ import annotations

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Closure, Project, UnionAll
from belvedere.algebra.scalar import string
from belvedere.languages.lorel.automaton import ANY
from belvedere.languages.lorel.graph import Graph, number, seeds
from belvedere.languages.lorel.resolved import Enter
from belvedere.languages.lorel.spec import Spec
from belvedere.languages.lorel.syntax import Label
from belvedere.languages.lorel.view import Selected


def touched(spec: Spec, items: tuple[Selected, ...], graph: Graph) -> Closure:
    """(src = '', state, node = oid)."""
    parts: list[Node] = []
    for state, root in spec.starts:
        leaf = graph.root(Enter(root, oid=root not in spec.roots, target=""))
        parts.append(Project(leaf.node, (("src", string("")), ("state", number(state)), ("node", leaf.scalar("oid")))))
    for state, item in spec.starts_adjunct:
        parts.append(seeds(items[item].node, "oid", state, src=False))
    found = parts[0] if len(parts) == 1 else UnionAll(tuple(parts))
    return graph.closure(found, tuple((s, _label(exact, pattern), t) for s, exact, pattern, t in spec.transitions))


def _label(exact: str | None, pattern: str | None) -> Label:
    if exact is not None:
        return Label(exact)
    return ANY if pattern is None else Label(pattern, pattern=True)
