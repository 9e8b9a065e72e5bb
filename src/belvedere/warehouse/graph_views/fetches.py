"""The paper's cost model: how many objects are fetched, from the fanouts of the paths of a view.

How many objects each variable is bound to is known from the image of what evaluation meets, so fanouts cost no query. Recomputing
fetches every target of every step. An update of an edge binds both its ends, and the rest of the view is followed from there:
down a step by its fanout, up a step to one object. The paper leaves sharing out; but a value that a thousand objects share is as
many changed edges, so how many edges lead to what was changed is asked for where it can decide something.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from belvedere.languages.lorel.spec import Spec


@dataclass(frozen=True)
class Fetches:
    """`bound`: how many objects each state is bound to."""

    spec: Spec
    bound: Mapping[int, int]

    def cost(self, a: int, b: int) -> float:
        """|x| · Fanout(x, L): the targets fetched by one step."""
        return float(self.bound.get(b, 0)) if a != b else float(self.bound.get(a, 0))

    def fanout(self, a: int, b: int) -> float:
        return self.cost(a, b) / max(self.bound.get(a, 0), 1)

    def recompute(self) -> float:
        """The sum over all steps."""
        return sum(self.cost(a, b) for a, _, _, b in self.spec.transitions)

    def update(self, at: int, *, sources: float = 1.0, into: float = 1.0) -> float:
        """An edge update that fits the transition of this number; or one of several edges with the same target, from so many
        sources. `into`: how many edges lead to a source, if it is shared."""
        first, _, _, second = self.spec.transitions[at]
        total = sources + 1.0
        reached = {first: sources, second: 1.0}
        todo = [first, second]
        while todo:
            state = todo.pop()
            for number, (a, _, _, b) in enumerate(self.spec.transitions):
                if number == at or (a in reached and b in reached):
                    continue
                if a == state:
                    reached[b] = reached[a] * self.fanout(a, b)
                    total += reached[b]
                    todo.append(b)
                elif b == state:
                    shared = into if b == first else 1.0
                    reached[a] = min(reached[b] * max(1.0, shared), max(self.bound.get(a, 0), 1.0))
                    total += reached[a]
                    todo.append(a)
        return total

    def value(self, state: int, into: float = 1.0) -> float:
        """A value change of an object in this state, to which so many edges lead: as if each of them came or went."""
        steps = [n for n, (_, _, _, b) in enumerate(self.spec.transitions) if b == state]
        return max((self.update(n, sources=max(1.0, into)) for n in steps), default=1.0)

    def describe(self) -> list[str]:
        """The estimates in words."""
        spec, found = self.spec, [f"recomputing fetches about {self.recompute():,.0f} objects"]
        for n, (a, exact, pattern, b) in enumerate(spec.transitions):
            label = exact if exact is not None else pattern or "%"
            words = f"an edge {spec.variables[a]}.{label} {spec.variables[b]}"
            found.append(f"{words}: fanout {self.fanout(a, b):,.1f}, an update fetches about {self.update(n):,.0f}")
        return found
