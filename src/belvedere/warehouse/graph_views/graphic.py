"""What the definition of a Lorel view has beyond its plan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from belvedere.languages.lorel.spec import Spec
from belvedere.maintenance.stages import Stage


@dataclass(frozen=True)
class Graphic:
    """What a view in Lorel has beyond its plan."""

    spec: Spec
    #: the stage that knows every (variable, object) met
    touched: Stage
    #: the stage that holds the view in long form
    long: Stage

    @cached_property
    def steps(self) -> tuple[tuple[int, re.Pattern[str]], ...]:
        """Of each step: the state that it leaves, and the labels that it takes."""
        found = []
        for state, exact, pattern, _ in self.spec.transitions:
            text = re.escape(exact) if exact is not None else ".*".join(map(re.escape, (pattern or "%").split("%")))
            found.append((state, re.compile(text, re.DOTALL)))
        return tuple(found)
