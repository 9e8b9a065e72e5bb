"""Path expressions by what is left of them: after a step over an edge a path is again a path, or several (partial derivatives).
No automaton is built, so nothing here is like the product's way."""

from __future__ import annotations

import re

from belvedere.languages.lorel.syntax import AnyPath, Group, Label, PathStep, Step

#: what is left of a path
Rest = tuple[PathStep, ...]
Out = dict[str, list[tuple[str, str]]]


def fits(text: str, pattern: str) -> bool:
    """`%` stands for any text, everything else for itself."""
    first, *others = pattern.split("%")
    if not others:
        return text == pattern
    return re.fullmatch(re.escape(first) + "".join(f"(?s:.*){re.escape(p)}" for p in others), text) is not None


def label_fits(label: Label, text: str) -> bool:
    return fits(text, label.text) if label.pattern else text == label.text


def ends(rest: Rest) -> bool:
    """Whether nothing more need follow."""
    return all(_may_be_empty(s) for s in rest)


def _may_be_empty(step: PathStep) -> bool:
    match step:
        case Step():
            return False
        case AnyPath():
            return True
        case Group():
            return step.repeat in ("?", "*") or any(ends(a) for a in step.alternatives)


def after(rest: Rest, label: str) -> set[Rest]:
    """What may be left after an edge with that label."""
    if not rest:
        return set()
    first, more = rest[0], rest[1:]
    found: set[Rest] = set()
    match first:
        case Step():
            if label_fits(first.label, label):
                found.add(more)
        case AnyPath():
            found.add(rest)
        case Group():
            again: Rest = (Group(first.alternatives, "*"),) if first.repeat in ("*", "+") else ()
            found |= {left + again + more for a in first.alternatives for left in after(a, label)}
    return found | after(more, label) if _may_be_empty(first) else found


def walk(out: Out, start: str, rest: Rest) -> tuple[set[str], set[tuple[str, str, str]]]:
    """The objects that the path reaches, and all edges along it, also where it goes no further."""
    met, todo = {(start, rest)}, [(start, rest)]
    edges: set[tuple[str, str, str]] = set()
    while todo:
        node, left = todo.pop()
        for label, target in out.get(node, ()):
            following = after(left, label)
            if following:
                edges.add((node, label, target))
            for f in following:
                if (target, f) not in met:
                    met.add((target, f))
                    todo.append((target, f))
    return {node for node, left in met if ends(left)}, edges
